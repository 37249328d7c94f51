import { Listeners, RAILS, type Rail } from '@slotwire/core'

/** Milliampere per rail. */
export type RailCurrents = Readonly<Record<Rail, number>>

/** The supply rails of the device: the current of each slot and of an extra load, and which rails are on. */
export class Rails {
  readonly #draws = new Map<number, RailCurrents>()
  readonly #loads = new Map<Rail, number>()
  readonly #off = new Set<Rail>()
  readonly #offsets = new Map<Rail, number>()
  readonly #listeners = new Listeners<void>()
  #supplied = true

  /** Sets the current of a slot, in mA; undefined when its module left. */
  setDraw(slot: number, currents: RailCurrents | undefined): void {
    const before = this.#draws.get(slot)
    if (before === currents || (before && currents && RAILS.every((rail) => before[rail] === currents[rail]))) return
    if (currents === undefined) this.#draws.delete(slot)
    else this.#draws.set(slot, { ...currents })
    this.#listeners.emit()
  }

  /** Extra load on a rail beside the modules, in mA. */
  load(rail: Rail): number {
    return this.#loads.get(rail) ?? 0
  }

  /** Replaces the extra load on a rail, in mA; 0 removes it. */
  setLoad(rail: Rail, milliampere: number): void {
    if (this.load(rail) === milliampere) return
    this.#loads.set(rail, milliampere)
    this.#listeners.emit()
  }

  /** Sum over all slots and the extra load, in mA; 0 while the rail is off. */
  current(rail: Rail): number {
    if (!this.isOn(rail)) return 0
    let sum = this.load(rail)
    for (const draw of this.#draws.values()) sum += draw[rail]
    return sum
  }

  isOn(rail: Rail): boolean {
    return this.#supplied && !this.#off.has(rail)
  }

  /** Whether the device has its supply; without it all rails are off. */
  set supplied(supplied: boolean) {
    if (this.#supplied === supplied) return
    this.#supplied = supplied
    this.#listeners.emit()
  }

  switchRail(rail: Rail, on: boolean): void {
    if (this.#off.has(rail) !== on) return
    if (on) this.#off.delete(rail)
    else this.#off.add(rail)
    this.#listeners.emit()
  }

  /** Voltage offset of a rail caused by a fault, in mV. */
  voltageOffset(rail: Rail): number {
    return this.#offsets.get(rail) ?? 0
  }

  /** Sets the voltage offset of a rail, in mV; 0 ends the fault. */
  setVoltageOffset(rail: Rail, millivolt: number): void {
    if (this.voltageOffset(rail) === millivolt) return
    this.#offsets.set(rail, millivolt)
    this.#listeners.emit()
  }

  /** Calls `listener` after every change of a draw, a load, a switch or a fault, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }
}
