import { boolean, decimal } from '@slotwire/contract'
import type { ChassisOptions } from '../board/chassis.ts'
import type { FirmwareContext, FirmwareDefinition } from '../module/firmware.ts'
import { ToyFirmware, toyChassis } from '../module/toy-firmware.testkit.ts'
import { type SettingFields, SettingValues } from '../settings/kind.ts'
import { Bench } from './bench.ts'

const settings = {
  probe1Celsius: decimal({ description: 'temperature at probe 1', unit: '°C', min: -40, max: 125, default: 21 }),
  isWet: boolean({ description: 'whether rain falls on it', default: false }),
} as const satisfies SettingFields

/** A lamp with a switch, a temperature probe, a filament that can break, and observable light. */
export class BenchToy extends ToyFirmware {
  switched = 0
  broken = 0
  readonly settings = new SettingValues(settings)
  readonly seen = { hours: [1, 2] }
  readonly actions = {
    main_switch: () => {
      this.switched++
    },
  }
  readonly observations = { light: () => this.level, lamp: () => this.seen }
  readonly defects = {
    filament: () => {
      this.broken++
      return () => {
        this.broken--
      }
    },
  }
}

/** A bench with a lamp in slot 2, switched off. Slots 4 and 5 have USB ports. */
export function toyBench(options: Partial<ChassisOptions> = {}) {
  const { clock, chassis, toy } = toyChassis(options)
  const lamps: BenchToy[] = []
  const definition: FirmwareDefinition = {
    vendorProductId: 'slotwire.test/lamp',
    pins: 6,
    usbPorts: { 4: 2, 5: 1 },
    settings,
    actions: ['main_switch'],
    defects: ['filament'],
    create: (context: FirmwareContext) => {
      const made = new BenchToy(context)
      lamps.push(made)
      return made
    },
  }
  chassis.unplug(2)
  const bench = new Bench(chassis, { lamp: definition })
  bench.slot(2).plug('lamp')
  return { clock, chassis, bench, definition, toy, lamp: () => lamps.at(-1) as BenchToy }
}
