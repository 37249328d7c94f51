import { ManualClock } from '@slotwire/core'
import { benchOf, catalog, defaultChassis } from '@slotwire/device/twin'
import { parseScenario } from '@slotwire/scenario'
import { VolatileMemory } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { ScenarioDesk } from './scenario-desk.ts'

it('a scenario is not begun any more once the bench is closed', async () => {
  const clock = new ManualClock()
  const chassis = defaultChassis({ clock, random: () => 0.5, memory: () => new VolatileMemory() })
  const request = () => Promise.reject(new Error('nobody asks'))
  const desk = new ScenarioDesk({ clock, bench: benchOf(chassis), request })
  await desk.close()
  expect(() => desk.start(parseScenario('steps:\n  - short: 3/2\n', { catalog }))).toThrow('stopping')
  expect([desk.isRunning, desk.report.state]).toEqual([false, 'none'])
})
