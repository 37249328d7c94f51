import type { ModuleDescriptor } from '@slotwire/core'
import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { commandClass, MODULE_CLASS_IDENTIFIER, u8 } from '@slotwire/sdbp'
import type { ChassisOptions } from '../board/chassis.ts'
import { Chassis } from '../board/chassis.ts'
import type { Firmware, FirmwareContext, FirmwareDefinition } from './firmware.ts'
import { on, Refusal } from './firmware.ts'
import { VolatileMemory } from './memory.ts'

const lamp = commandClass({ classIdentifier: MODULE_CLASS_IDENTIFIER, class: 1, statuses: { failed: 1, tooBright: 3 } })
export const setLamp = lamp.command('SET_LAMP', 2, { request: { level: u8({ max: 100 }) } })
export const getLamp = lamp.command('GET_LAMP', 3, { response: { level: u8() } })
export const breakLamp = lamp.command('BREAK_LAMP', 4)

export const TOO_BRIGHT = 3
const BRIGHTEST = 50

export const toyDescriptor: ModuleDescriptor = {
  vendorProductId: 'slotwire.test/lamp',
  vendorName: 'Slotwire',
  productName: 'A lamp whose name is so long that it does not fit into one frame of sixty-four bytes',
  serialCode: '0001-0203-0405-0607-0809-0A0B-0C0D-0E0F',
  firmware: { stability: 'S', version: { major: 1, minor: 2, patch: 3 } },
  hardwareVersion: { major: 4, minor: 5, patch: 6 },
  protocolVersion: { major: 1, minor: 0, patch: 0 },
  bootloaderState: 'supported',
  maxFrameSize: 1024,
  maxPower3v3: 300,
  maxPower5v0: 5,
  maxPower12v: 12,
  maxSclkSpeedKhz: 20_000,
}

/** A lamp with a level that RUN keeps and SUSPEND resets. */
export class ToyFirmware implements Firmware {
  level = 0
  powered = false
  readonly handlers = [
    on(setLamp, ({ level }) => {
      if (level > BRIGHTEST) throw new Refusal(TOO_BRIGHT)
      this.level = level
      return {}
    }),
    on(getLamp, () => ({ level: this.level })),
    on(breakLamp, () => {
      throw new Error('a defect')
    }),
  ]

  constructor(readonly context: FirmwareContext) {}

  descriptor(): ModuleDescriptor {
    return { ...toyDescriptor, maxPower12v: 12 + this.level }
  }

  reset(): void {
    this.level = 0
    this.powered = true
  }

  powerDown(): void {
    this.powered = false
  }
}

/** The toy as a module type; `made` collects the created firmwares. */
export function toyDefinition(): FirmwareDefinition & { readonly made: ToyFirmware[] } {
  const made: ToyFirmware[] = []
  return {
    vendorProductId: toyDescriptor.vendorProductId,
    made,
    create: (context) => {
      const firmware = new ToyFirmware(context)
      made.push(firmware)
      return firmware
    },
  }
}

/** A chassis with a toy in slot 2, switched off. */
export function toyChassis(options: Partial<ChassisOptions> = {}) {
  const clock = new ManualClock()
  const chassis = new Chassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory(), log: silentLog, ...options })
  const definition = toyDefinition()
  chassis.plug(2, definition)
  return { clock, chassis, definition, toy: () => definition.made.at(-1) as ToyFirmware }
}

/** Switches a device with a timed bus on, and opens slot 2. */
export async function openOnTimedBus({ chassis, clock }: Pick<ReturnType<typeof toyChassis>, 'chassis' | 'clock'>) {
  const poweredOn = chassis.powerOn()
  await clock.advance(2000)
  await poweredOn
  return chassis.open(2)
}
