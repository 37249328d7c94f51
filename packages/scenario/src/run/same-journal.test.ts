import { readFileSync } from 'node:fs'
import { ManualClock } from '@slotwire/core'
import { catalog, createTwin } from '@slotwire/device/twin'
import { expect, it } from 'vitest'
import { parseScenario } from '../parse-scenario.ts'
import { asFastAsPossible } from './pacer.ts'
import { runScenario } from './run-scenario.ts'

const SHORT = readFileSync(new URL('../../../../examples/scenarios/short-circuit.yaml', import.meta.url), 'utf8')
/** What may differ between two runs. */
const OWN = ['id', 'at', 'up_ms', 'session', 'driver_session']
const STORY = `${SHORT}
  - request: { post: bmc/0/watchdog, body: { timeout: 1000 } }
  - expect: { event: watchdog, record: { event: fired }, within: 5s }
  - expect: { session: driver, is: new, within: 10s }
  - fault: { slot: 3, lost_frames: 50%, for: 3s }
  - unplug: 5
  - after: 12s
    plug: { slot: 5, module: io }
`

/** The journal of a run, one record a line. */
async function journalOf(boot: number): Promise<string> {
  const clock = new ManualClock()
  const scenario = parseScenario(STORY, { file: 'story.yaml', catalog })
  const twin = await createTwin({ clock, seed: scenario.seed, boot })
  const pacer = asFastAsPossible(clock)
  try {
    await pacer.settle(twin.start(), 10_000)
    expect((await runScenario(scenario, twin, { pacer })).failures).toEqual([])
    const { records } = twin.journal.read({ boot, sequence: 0 }, () => true)
    return records
      .map((record) => JSON.stringify(record, (key, value: unknown) => (OWN.includes(key) ? undefined : value)))
      .join('\n')
  } finally {
    await twin.close()
  }
}

it('a scenario gives the same journal in every run, but for boot, date, time of the process and sessions', async () => {
  const [first, second] = [await journalOf(1), await journalOf(2)]
  expect(second).toBe(first)
  for (const kind of ['device', 'module', 'alert', 'power', 'write', 'watchdog']) expect(first).toContain(`"kind":"${kind}"`)
  expect(first).toMatch(/^\{"twin_ms":0,"kind":"module",/)
})
