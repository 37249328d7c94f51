import { ManualClock } from '@slotwire/core'
import { expect, it } from 'vitest'
import { MACHINE_ID, PUBLISHED } from './bridged-device.testkit.ts'
import { commandAll, forget } from './fleet-view.ts'
import { MemoryBroker } from './memory-broker.testkit.ts'
import { stateTopic, statusTopic } from './topics.ts'

const device = { ...PUBLISHED, state: 'online' } as const

it.each([
  ['a device that is offline', { ...device, state: 'offline' }, 'offline'],
  ['a device that takes no commands', { ...device, commands: 'off' }, 'commands-off'],
] as const)('sends nothing to %s, and does not wait for it', async (_what, each, result) => {
  const broker = new MemoryBroker()
  const options = { path: 'io/3/pin/1', word: 'high', expirySeconds: 5, nonce: 'n', clock: new ManualClock() }
  expect(await commandAll(broker.open(), [each], options)).toMatchObject([{ id: MACHINE_ID, result }])
  expect(broker.published).toEqual([])
})

it('forgets what the broker retains of a device, also for Home Assistant, and nothing else', async () => {
  const broker = new MemoryBroker()
  const clock = new ManualClock()
  const other = 'homeassistant/sensor/other/x/config'
  const topics = [
    statusTopic(MACHINE_ID),
    stateTopic(MACHINE_ID, 'io/3/pin/1'),
    `homeassistant/sensor/slotwire_${MACHINE_ID}/x/config`,
  ]
  for (const topic of [...topics, other]) broker.retained.set(topic, '1')
  const done = forget(broker.open(), [device], 'homeassistant', clock)
  await clock.advance(1000)
  await done
  expect([...broker.retained.keys()]).toEqual([other])
})
