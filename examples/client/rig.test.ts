// A test rig: an application under test, a twin in the same process, and a test of its alarm. Run it with vitest.
import { connect, type Device } from 'slotwire/client'
import { createTwin, source, type Twin } from 'slotwire/twin'
import { afterEach, beforeEach, expect, it } from 'vitest'

/** The application: closes a valve at pin 1 when the pressure at pin 3 rises above 3 V. `closed` resolves when it has done that. */
async function protect(device: Device): Promise<{ closed: Promise<void> }> {
  const io = device.io(3)
  const alerts = io.pin(3).alerts()
  await alerts.ready
  await io.pin(3).threshold({ threshold_millivolt: 3000, trigger: 'rising' })
  return { closed: alerts.next().then(() => io.pin(1).output('low')) }
}

let twin: Twin
let device: Device

beforeEach(async () => {
  twin = await createTwin()
  await twin.start()
  device = await connect(twin)
})
afterEach(async () => {
  await device.close()
  await twin.close()
})

it('closes the valve when the pressure rises', async () => {
  const pressure = twin.bench.pin(3, 3).connect(source(1))
  await device.io(3).reset()
  await device.io(3).power(Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 50 })))
  await device.io(3).pin(1).output('high')

  const { closed } = await protect(device)
  pressure.set({ volts: 4 })
  await closed
  expect(await device.io(3).pin(1).value({ fresh: true })).toMatchObject({ value: 0 })
})
