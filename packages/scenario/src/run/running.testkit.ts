import { ManualClock } from '@slotwire/core'
import { catalog, createTwin } from '@slotwire/device/twin'
import type { Transfer } from '@slotwire/twin'
import { parseScenario } from '../parse-scenario.ts'
import { asFastAsPossible } from './pacer.ts'
import type { ScenarioResult } from './result.ts'
import { type RunOptions, runScenario } from './run-scenario.ts'

interface Options extends Omit<RunOptions, 'pacer'> {
  readonly onTransfer?: (transfer: Transfer) => void
}

/** Runs a scenario on a new virtual device, with driver and service, as fast as possible. */
export async function runText(text: string, { onTransfer, ...options }: Options = {}): Promise<ScenarioResult> {
  const clock = new ManualClock()
  const { seed, bus, powerMode } = parseScenario(text, { catalog })
  const twin = await createTwin({ clock, seed, bus, powerMode, ...(onTransfer === undefined ? {} : { onTransfer }) })
  const pacer = asFastAsPossible(clock)
  try {
    await pacer.settle(twin.start(), clock.now() + 10_000)
    return await runScenario(parseScenario(text, { file: 'test.yaml', catalog }), twin, { ...options, pacer })
  } finally {
    await twin.close()
  }
}

/** The failures, one line each: `4: expected …; saw …`. */
export function failuresOf({ failures }: ScenarioResult): readonly string[] {
  return failures.map(({ line, expected, seen }) => `${line}: expected ${expected}; saw ${seen}`)
}

const config = Array.from({ length: 6 }, (_, index) => ({ rail: '5_volt', current_milliampere: index < 2 ? 100 : 0 }))

/** A step that gives the first two pins of a slot power, in a line of its own. */
export const power = (slot: number): string =>
  `\n  - request: { post: io/${slot}/power-management, body: { config: ${JSON.stringify(config)} } }`
