import { Listeners } from '@slotwire/core'

export const RAILS = ['3v3', '5v0', '12v'] as const
export type Rail = (typeof RAILS)[number]

/** Milliampere per rail. */
export type RailCurrents = Readonly<Record<Rail, number>>

/** The supply rails of the device: the sum of what each slot draws, and which rails are switched on. */
export class Rails {
  readonly #draws = new Map<number, RailCurrents>()
  readonly #off = new Set<Rail>()
  readonly #offsets = new Map<Rail, number>()
  readonly #listeners = new Listeners<void>()

  /** What `slot` draws from now on, in mA; undefined when it left. */
  setDraw(slot: number, currents: RailCurrents | undefined): void {
    const before = this.#draws.get(slot)
    if (before === currents || (before && currents && RAILS.every((rail) => before[rail] === currents[rail]))) return
    if (currents === undefined) this.#draws.delete(slot)
    else this.#draws.set(slot, { ...currents })
    this.#listeners.emit()
  }

  /** Sum over all slots in mA; 0 on a rail that is off. */
  current(rail: Rail): number {
    if (this.#off.has(rail)) return 0
    let sum = 0
    for (const draw of this.#draws.values()) sum += draw[rail]
    return sum
  }

  isOn(rail: Rail): boolean {
    return !this.#off.has(rail)
  }

  switchRail(rail: Rail, on: boolean): void {
    if (this.isOn(rail) === on) return
    if (on) this.#off.delete(rail)
    else this.#off.add(rail)
    this.#listeners.emit()
  }

  /** How far a fault moves the voltage of a rail, in mV. */
  voltageOffset(rail: Rail): number {
    return this.#offsets.get(rail) ?? 0
  }

  /** A fault of the supply: moves the voltage of a rail by so many mV; 0 ends it. */
  setVoltageOffset(rail: Rail, millivolt: number): void {
    if (this.voltageOffset(rail) === millivolt) return
    this.#offsets.set(rail, millivolt)
    this.#listeners.emit()
  }

  /** Calls `listener` after every change of a draw, a switch or a fault, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }
}
