import { seededRandom } from '@slotwire/core'
import { expect, it } from 'vitest'
import { Rack } from '../rack/rack.ts'
import { FakeModule, RELAY } from '../slot/fake-module.testkit.ts'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { plug } from './scripted-files.testkit.ts'

const FILE = '/sys/class/sdbp/slot3/notification'

it('a new session does not get the notification that the kernel kept from an earlier one', async () => {
  const kernel = new ScriptedKernel()
  plug(kernel.files, 3)
  const module = new FakeModule(kernel.clock)
  module.exchangeMs = 5
  kernel.files.slots.set('/dev/slot3', (payload) => module.exchange(payload))
  const backplane = await kernel.start()
  const { clock, log } = kernel
  const rack = new Rack({ backplane, clock, random: seededRandom(3), log, types: [RELAY] })
  const started = rack.start()
  await clock.advance(1)
  kernel.files.wake(FILE, '0x0106020004000000\0')
  await clock.advance(50)
  await started
  const pending = (number: number): boolean | undefined => rack.find(3, RELAY)?.notifications.has(number)
  expect(pending(3)).toBe(false)
  kernel.files.wake(FILE, '0x0106020002000000\0')
  await clock.advance(1)
  expect([pending(2), pending(3)]).toEqual([true, false])
  await rack.stop()
  expect(await kernel.close()).toBe(0)
})
