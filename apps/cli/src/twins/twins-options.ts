import { DEFAULT_SETTINGS } from '@slotwire/gateway'
import { HIGHEST_PORT } from '../run/network-options.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** What makes no sense for many, as it is typed, and why. */
const WITHOUT_MEANING = {
  listen: ['--listen', 'they are for this machine alone'],
  httpsPort: ['--https-port', 'they are for this machine alone'],
  httpPort: ['--http-port', 'they are for this machine alone'],
  state: ['--state', 'they remember nothing when they end'],
  resetState: ['--reset-state', 'they remember nothing when they end'],
  sysRoot: ['--sys-root', 'they have no kernel driver'],
  devRoot: ['--dev-root', 'they have no kernel driver'],
  powerManager: ['--power-manager', 'each has its own power'],
} as const satisfies Partial<Record<keyof ServeOptions, readonly [option: string, reason: string]>>

/** Throws `UsageError` for an option that makes no sense with `--twins`. */
export function refuseOptions(options: ServeOptions): void {
  const typed: Partial<Record<string, unknown>> = { ...options }
  for (const [name, [option, reason]] of Object.entries(WITHOUT_MEANING)) {
    if (typed[name] !== undefined && typed[name] !== false) throw new UsageError(`${option} does not go with --twins: ${reason}`)
  }
}

/** The port of each twin: consecutive from the first, or 0 for all. Throws `UsageError` where there are not enough. */
export function portsOf({
  port: first = DEFAULT_SETTINGS.loopbackPort,
  twins,
}: Pick<ServeOptions, 'port'> & { readonly twins: number }): readonly number[] {
  const last = first + twins - 1
  if (first !== 0 && last > HIGHEST_PORT) {
    const highest = HIGHEST_PORT - twins + 1
    throw new UsageError(
      `${twins} twins from port ${first} on would need port ${last}: begin at ${highest} or below, or let ports be picked with --port 0`,
    )
  }
  return Array.from({ length: twins }, (_, index) => (first === 0 ? 0 : first + index))
}
