import { join } from 'node:path'
import { type Backplane, SystemClock, seededRandom, silentLog } from '@slotwire/core'
import { createDeviceService, type DeviceService } from '@slotwire/device'
import { ask, defaultChassis } from '@slotwire/device/twin'
import { BuiltInArbiter, type PowerSupply } from '@slotwire/driver'
import { createPowerManagerClient, type PowerManagerServer, servePowerManager } from '@slotwire/driver/power-manager'
import { type Chassis, VolatileMemory } from '@slotwire/twin'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { allPins } from '../../modules/io/pin-story.testkit.ts'
import { TYPICAL_SUPPLY as typical } from '../../packages/driver/src/power/typical-supply.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const clock = new SystemClock()

let folder: string
let socket: string
let supply: PowerSupply
let chassis: Chassis
let daemon: PowerManagerServer
let drivers: readonly DeviceService[]

beforeEach(async () => {
  folder = temporaryFolder()
  socket = join(folder, 'p.socket')
  supply = typical
  chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
  await chassis.powerOn()
  daemon = await serve()
  drivers = await Promise.all([3, 5].map((slot) => driverOf(slot)))
})

afterEach(async () => {
  for (const driver of drivers) await driver.close()
  await daemon.close()
  chassis.powerOff()
})

function serve(): Promise<PowerManagerServer> {
  const manager = new BuiltInArbiter({ backplane: chassis, readSupply: async () => supply, mode: 'strict', log: silentLog })
  return servePowerManager({ socket, manager, clock, log: silentLog })
}

/** A separate driver for one slot, like another program. */
async function driverOf(slot: number): Promise<DeviceService> {
  const backplane: Backplane = {
    kernelDriver: chassis.kernelDriver,
    state: 'up',
    present: () => chassis.present().filter((one) => one === slot),
    descriptor: (one) => chassis.descriptor(one),
    powerDescriptors: (lastKnown) => chassis.powerDescriptors(lastKnown),
    open: (one) => chassis.open(one),
    hostDevices: async () => [],
    subscribe: (listener) => chassis.subscribe((event) => ('slot' in event && event.slot !== slot ? undefined : listener(event))),
  }
  const client = createPowerManagerClient({ socket, clock })
  const driver = await createDeviceService({ backplane, clock, random: seededRandom(slot), powerManager: () => client })
  await driver.start()
  return driver
}

async function configure(slot: 3 | 5, ...pins: Parameters<typeof allPins>) {
  const driver = drivers[slot === 3 ? 0 : 1]
  if (driver === undefined) throw new Error(`no driver of slot ${slot}`)
  const path = `/api/io/1.0/${slot}/power-management`
  return (await ask(driver.service, { method: 'POST', path, body: allPins(...pins) })).body
}
const missing12v = (milliwatt: number) => ({
  status: 'denied',
  too_much_power: { rail_3v3_milliwatt: 0, rail_5v0_milliwatt: 0, rail_12v_milliwatt: milliwatt },
})
const success = { status: 'success' }

it('two drivers share one budget: the second is denied until the first frees its power', async () => {
  expect(await configure(5, '12_volt', 200)).toMatchObject(success)
  expect((await chassis.descriptor(5)).maxPower12v).toBe(14_400)
  // 12V: 200 + 14400 + 14400 = 29000, 250 more than 28750.
  expect(await configure(3, '12_volt', 200)).toEqual(missing12v(250))
  expect(await configure(5, '5_volt', 0)).toMatchObject(success)
  expect(await configure(3, '12_volt', 200)).toMatchObject(success)
  expect(await configure(5, '12_volt', 200)).toEqual(missing12v(250))
})

it('exactly one of two simultaneous requests for more than the budget is granted', async () => {
  const answers = await Promise.all([configure(3, '12_volt', 200), configure(5, '12_volt', 200)])
  expect(answers.filter((answer) => JSON.stringify(answer).includes('"success"'))).toHaveLength(1)
})

it('a changed supply is used immediately', async () => {
  supply = { ...typical, source_12v: 10_000 }
  // 200 + 14400 = 14600, 4600 more than 10000.
  expect(await configure(3, '12_volt', 200)).toEqual(missing12v(4600))
  supply = typical
  expect(await configure(3, '12_volt', 200)).toMatchObject(success)
})

it('a restarted power manager continues with the configurations of the modules', async () => {
  expect(await configure(5, '12_volt', 200)).toMatchObject(success)
  await daemon.close()
  expect(JSON.stringify(await configure(3, '12_volt', 200))).toContain('cannot be reached (ENOENT)')
  daemon = await serve()
  expect(await configure(3, '12_volt', 200)).toEqual(missing12v(250))
})
