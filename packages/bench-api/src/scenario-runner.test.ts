import { ManualClock } from '@slotwire/core'
import { catalog, createBench, defaultChassis } from '@slotwire/device/twin'
import { parseScenario } from '@slotwire/scenario'
import { VolatileMemory } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { ScenarioRunner } from './scenario-runner.ts'

it('ScenarioRunner refuses to start a scenario after close', async () => {
  const clock = new ManualClock()
  const chassis = defaultChassis({ clock, random: () => 0.5, memory: () => new VolatileMemory() })
  const request = () => Promise.reject(new Error('not expected'))
  const journal = { last: { boot: 1, sequence: 0 }, read: () => ({ records: [] }) }
  const runner = new ScenarioRunner({ clock, bench: createBench(chassis), journal, request })
  await runner.close()
  expect(() => runner.start(parseScenario('steps:\n  - short: 3/2\n', { catalog }))).toThrow('stopping')
  expect([runner.isRunning, runner.report.state]).toEqual([false, 'none'])
})
