import { checked, wholeNumber } from '@slotwire/core'
import { type Chassis, SLOT_COUNT, SLOT_NUMBER } from '../board/chassis.ts'
import { RAILS, type Rail, type Rails } from '../board/rails.ts'
import type { Connection } from '../circuit/connection.ts'
import type { ActiveFault } from '../faults/slot-faults.ts'
import { type ModuleTypes, mostPins } from '../module/firmware.ts'
import { BenchPin } from './bench-pin.ts'
import { BenchSlot } from './bench-slot.ts'
import { BenchUsb } from './bench-usb.ts'
import { AMBIENT_CELSIUS, COMPUTER_WATT, RAIL_LOAD_MILLIAMPERE, RAIL_OFFSET_MILLIVOLT } from './bounds.ts'

export interface BenchOptions {
  readonly chassis: Chassis
  /** What can be plugged. The types say which pins can be wired, and which slots have a USB port. */
  readonly moduleTypes: ModuleTypes
}

/**
 * All that is around the modules of a virtual device, which need not be switched on, and what can be done to them from outside; twin.md
 * "Bench and scenarios".
 */
export class Bench {
  readonly slots: readonly BenchSlot[]
  readonly usb: BenchUsb
  readonly #chassis: Chassis
  readonly #mostPins: number
  readonly #rails: ReadonlyMap<string, BenchRail>

  constructor({ chassis, moduleTypes }: BenchOptions) {
    this.#chassis = chassis
    this.#mostPins = mostPins(Object.values(moduleTypes))
    this.slots = Array.from({ length: SLOT_COUNT }, (_, slot) => new BenchSlot(slot, chassis, moduleTypes))
    this.usb = new BenchUsb(chassis, moduleTypes)
    this.#rails = new Map(RAILS.map((rail) => [rail, new BenchRail(rail, chassis.rails)]))
  }

  /** Throws `RangeError` outside slots 0…7, and for a pin that no module type has. */
  pin(slot: number, pin: number): BenchPin {
    checked('slot', SLOT_NUMBER, slot)
    checked('pin', wholeNumber(1, this.#mostPins), pin)
    return new BenchPin(slot, pin, this.#chassis.wiring, this.#chassis.clock)
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

  /** Throws `RangeError` for a connection that is not there, or not any more. */
  connection(id: string): Connection {
    return this.#chassis.wiring.connection(id)
  }

  /** In the order in which they began. */
  get faults(): readonly ActiveFault[] {
    return this.#chassis.faults.active()
  }

  /** Ends all faults, or those of one slot; returns how many. */
  clearFaults(slot?: number): number {
    if (slot !== undefined) checked('slot', SLOT_NUMBER, slot)
    return this.#chassis.faults.clear(slot)
  }

  /** In degrees Celsius: -40…125. */
  get ambientCelsius(): number {
    return this.#chassis.computer.ambientCelsius
  }

  set ambientCelsius(celsius: number) {
    this.#chassis.computer.ambientCelsius = checked('ambientCelsius', AMBIENT_CELSIUS, celsius)
  }

  /** Heat that the device's computer gives off, in watt: 0…50. */
  get computerWatt(): number {
    return this.#chassis.computer.loadWatt
  }

  set computerWatt(watt: number) {
    this.#chassis.computer.loadWatt = checked('computerWatt', COMPUTER_WATT, watt)
  }

  /** Takes the supply of the whole device away for a moment: everything restarts. */
  restart(): void {
    this.#chassis.interruptSupply()
  }
}

/** One of the three supply rails. */
export class BenchRail {
  readonly rail: Rail
  readonly #rails: Rails

  constructor(rail: Rail, rails: Rails) {
    this.rail = rail
    this.#rails = rails
  }

  /** What the modules and the load draw now, in mA; 0 while it is off. */
  get milliampere(): number {
    return this.#rails.current(this.rail)
  }

  get isOn(): boolean {
    return this.#rails.isOn(this.rail)
  }

  /** What somebody at the bench draws beside the modules, in mA: 0…20000. */
  get loadMilliampere(): number {
    return this.#rails.load(this.rail)
  }

  set loadMilliampere(milliampere: number) {
    this.#rails.setLoad(this.rail, checked('loadMilliampere', RAIL_LOAD_MILLIAMPERE, milliampere))
  }

  /** How far a fault of the supply moves its voltage, in mV: -15000…15000. */
  get offsetMillivolt(): number {
    return this.#rails.voltageOffset(this.rail)
  }

  set offsetMillivolt(millivolt: number) {
    this.#rails.setVoltageOffset(this.rail, checked('offsetMillivolt', RAIL_OFFSET_MILLIVOLT, millivolt))
  }
}
