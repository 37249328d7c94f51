import type { Settings } from './settings/settings.ts'

/** A door as it is wished for; port 0 lets the system pick one. */
export interface PlannedDoor {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
}

const ANY_IPV4 = '0.0.0.0'
/** Takes IPv4 as well. */
const ANY_ADDRESS = '::'

/** The doors that these settings ask for. */
export function plannedDoors({
  listen,
  httpsPort,
  httpPort,
}: Pick<Settings, 'listen' | 'httpsPort' | 'httpPort'>): readonly PlannedDoor[] {
  return [...new Set(widest(listen))].flatMap((host) => [
    { scheme: 'https', host, port: httpsPort },
    ...(httpPort === undefined ? [] : [{ scheme: 'http', host, port: httpPort } as const]),
  ])
}

/** Addresses that another one contains cannot be had beside it. */
function widest(listen: readonly string[]): readonly string[] {
  if (listen.includes(ANY_ADDRESS)) return [ANY_ADDRESS]
  return listen.includes(ANY_IPV4) ? listen.filter((host) => host === ANY_IPV4 || host.includes(':')) : listen
}

/** What tells one planned door from another. */
export function doorKey({ scheme, host, port }: PlannedDoor): string {
  return `${scheme} ${host} ${port}`
}
