import { type Backplane, LinkError, ManualClock, type SlotLink, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { ask, createBench, defaultChassis } from '@slotwire/device/twin'
import { type Chassis, VolatileMemory } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { allPins } from './pin-story.testkit.ts'
import { setPowerConfig } from './wire.ts'

const SLOT = 5
/** The exchanges after the configuration, each sent four times: UPDATE_DESCRIPTOR, and the MODE_SUSPEND that should undo it. */
const BURST = 8

it('leaves no pin driven with returned power when a burst of faults follows the configuration', async () => {
  const clock = new ManualClock()
  const random = seededRandom(1)
  const chassis = defaultChassis({ clock, random, memory: () => new VolatileMemory() })
  await chassis.powerOn()
  const device = await createDeviceService({ backplane: burstAfterConfiguration(chassis), clock, random })
  await device.start()
  const post = (path: string, body: object) => ask(device.service, { method: 'POST', path: `/api/io/1.0/${SLOT}/${path}`, body })

  const configured = post('power-management', allPins('12_volt', 10))
  await clock.advance(3000)
  expect(await configured).toMatchObject({ status: 500 })
  expect((await chassis.descriptor(SLOT)).maxPower12v).toBe(0)
  expect(await post('output/state', { pin: 1, state: 'high' })).toMatchObject({ status: 400 })
  expect(createBench(chassis).pin(SLOT, 1).volts).toBeCloseTo(0, 1)

  expect((await post('power-management', allPins('12_volt', 10))).body).toMatchObject({ status: 'success' })
  expect((await post('output/state', { pin: 1, state: 'high' })).body).toEqual({ status: 'success' })
  await device.close()
  chassis.powerOff()
})

/** The chassis, whose bus fails a burst of exchanges after the first SET_POWER_CONFIG. */
function burstAfterConfiguration(chassis: Chassis): Backplane {
  const { classIdentifier, class: group, operation } = setPowerConfig
  let left = 0
  let isOver = false
  const faulty = (link: SlotLink): SlotLink => ({
    slot: link.slot,
    exchange: async (payload) => {
      if (left > 0) {
        left--
        throw new LinkError('transfer-failed', 'a burst of faults')
      }
      const isConfiguration = payload[0] === classIdentifier && payload[1] === group && payload[2] === operation
      if (isConfiguration && !isOver) {
        left = BURST
        isOver = true
      }
      return link.exchange(payload)
    },
    onNotification: (listener) => link.onNotification(listener),
    close: () => link.close(),
  })
  return {
    kernelDriver: chassis.kernelDriver,
    get state() {
      return chassis.state
    },
    present: () => chassis.present(),
    descriptor: (slot) => chassis.descriptor(slot),
    powerDescriptors: (lastKnown) => chassis.powerDescriptors(lastKnown),
    open: async (slot) => faulty(await chassis.open(slot)),
    hostDevices: (query) => chassis.hostDevices(query),
    subscribe: (listener) => chassis.subscribe(listener),
  }
}
