import { checked, wholeNumber } from '@slotwire/core'
import { type Chassis, SLOT_COUNT, SLOT_NUMBER } from '../board/chassis.ts'
import { RAILS, type Rail, type Rails } from '../board/rails.ts'
import type { Connection } from '../circuit/connection.ts'
import type { ActiveFault } from '../faults/slot-faults.ts'
import { mostPins } from '../module/firmware.ts'
import type { Bench, BenchOptions, BenchPin, BenchRail, BenchSlot } from './bench.ts'
import { AMBIENT_CELSIUS, COMPUTER_WATT, RAIL_LOAD_MILLIAMPERE, RAIL_OFFSET_MILLIVOLT } from './bounds.ts'
import { ChassisPin } from './chassis-pin.ts'
import { ChassisSlotBench } from './chassis-slot-bench.ts'
import { ChassisUsb } from './chassis-usb.ts'

/** The bench around a virtual device, which need not be switched on. */
export function createBench(options: BenchOptions): Bench {
  return new ChassisBench(options)
}

class ChassisBench implements Bench {
  readonly slots: readonly BenchSlot[]
  readonly usb: ChassisUsb
  readonly #chassis: Chassis
  readonly #mostPins: number
  readonly #rails: ReadonlyMap<string, BenchRail>

  constructor(options: BenchOptions) {
    const { chassis, moduleTypes } = options
    this.#chassis = chassis
    this.#mostPins = mostPins(Object.values(moduleTypes))
    this.slots = Array.from({ length: SLOT_COUNT }, (_, slot) => new ChassisSlotBench(slot, options))
    this.usb = new ChassisUsb(chassis, moduleTypes)
    this.#rails = new Map(RAILS.map((rail) => [rail, new ChassisRail(rail, chassis.rails)]))
  }

  pin(slot: number, pin: number): BenchPin {
    checked('slot', SLOT_NUMBER, slot)
    checked('pin', wholeNumber(1, this.#mostPins), pin)
    return new ChassisPin(slot, pin, this.#chassis.wiring, this.#chassis.clock)
  }

  slot(slot: number): BenchSlot {
    return this.slots[checked('slot', SLOT_NUMBER, slot)] as BenchSlot
  }

  rail(rail: Rail): BenchRail {
    const known = this.#rails.get(rail)
    if (known === undefined) throw new RangeError(`rail ${rail}: ${RAILS.join(', ')}`)
    return known
  }

  get connections(): readonly Connection[] {
    return this.#chassis.wiring.connections()
  }

  connection(id: string): Connection {
    return this.#chassis.wiring.connection(id)
  }

  get faults(): readonly ActiveFault[] {
    return this.#chassis.faults.active()
  }

  clearFaults(slot?: number): number {
    if (slot !== undefined) checked('slot', SLOT_NUMBER, slot)
    return this.#chassis.faults.clear(slot)
  }

  get ambientCelsius(): number {
    return this.#chassis.computer.ambientCelsius
  }

  set ambientCelsius(celsius: number) {
    this.#chassis.computer.ambientCelsius = checked('ambientCelsius', AMBIENT_CELSIUS, celsius)
  }

  get computerWatt(): number {
    return this.#chassis.computer.loadWatt
  }

  set computerWatt(watt: number) {
    this.#chassis.computer.loadWatt = checked('computerWatt', COMPUTER_WATT, watt)
  }

  restart(): void {
    this.#chassis.interruptSupply()
  }
}

/** A supply rail of a chassis. */
class ChassisRail implements BenchRail {
  readonly rail: Rail
  readonly #rails: Rails

  constructor(rail: Rail, rails: Rails) {
    this.rail = rail
    this.#rails = rails
  }

  get milliampere(): number {
    return this.#rails.current(this.rail)
  }

  get isOn(): boolean {
    return this.#rails.isOn(this.rail)
  }

  get loadMilliampere(): number {
    return this.#rails.load(this.rail)
  }

  set loadMilliampere(milliampere: number) {
    this.#rails.setLoad(this.rail, checked('loadMilliampere', RAIL_LOAD_MILLIAMPERE, milliampere))
  }

  get offsetMillivolt(): number {
    return this.#rails.voltageOffset(this.rail)
  }

  set offsetMillivolt(millivolt: number) {
    this.#rails.setVoltageOffset(this.rail, checked('offsetMillivolt', RAIL_OFFSET_MILLIVOLT, millivolt))
  }
}
