export const RAILS = ['3v3', '5v0', '12v'] as const
export type Rail = (typeof RAILS)[number]

/** Milliampere per rail. */
export type RailCurrents = Readonly<Record<Rail, number>>

/** The supply rails of the device: the sum of what each slot draws, and which rails are switched on. */
export class Rails {
  readonly #draws = new Map<number, RailCurrents>()
  readonly #off = new Set<Rail>()
  readonly #listeners = new Set<() => void>()

  /** What `slot` draws from now on, in mA; undefined when it left. */
  setDraw(slot: number, currents: RailCurrents | undefined): void {
    if (currents === undefined) this.#draws.delete(slot)
    else this.#draws.set(slot, currents)
    this.#changed()
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
    this.#changed()
  }

  /** Calls `listener` after every change of a draw or a switch, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
