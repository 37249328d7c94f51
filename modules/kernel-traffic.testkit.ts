/** Where an exchange is: on its way to the module, with it, on its way back. */
type Place = 'out' | 'with the module' | 'back'

/** What is on its way between the driver and the kernel's side, through processes whose time is not the tests'. */
export class KernelTraffic {
  readonly #exchanges = new Map<number, Place>()
  readonly #closing = new Set<number>()
  readonly #work = new Set<Promise<unknown>>()
  /** By slot: notifications that were shown; those that were heard, while somebody listens. */
  readonly #told = new Map<number, number>()
  readonly #heard = new Map<number, number>()

  /** Nothing is on its way. What a module takes its time for is not: that is time of the tests' clock. */
  get isQuiet(): boolean {
    const onTheirWay = [...this.#exchanges.values()].some((place) => place !== 'with the module')
    const unheard = [...this.#heard].some(([slot, heard]) => heard < (this.#told.get(slot) ?? 0))
    return !onTheirWay && !unheard && this.#closing.size === 0 && this.#work.size === 0
  }

  /** Counts until it is over. */
  track<Result>(work: Promise<Result>): Promise<Result> {
    this.#work.add(work)
    const end = (): void => void this.#work.delete(work)
    work.then(end, end)
    return work
  }

  async exchange<Result>(slot: number, work: () => Promise<Result>): Promise<Result> {
    this.#exchanges.set(slot, 'out')
    try {
      return await work()
    } finally {
      this.#exchanges.delete(slot)
    }
  }

  arrived(slot: number): void {
    if (this.#exchanges.has(slot)) this.#exchanges.set(slot, 'with the module')
  }

  answered(slot: number): void {
    if (this.#exchanges.has(slot)) this.#exchanges.set(slot, 'back')
  }

  /** The driver closes a slot's file; the kernel's side will see that. */
  closing(slot: number): void {
    this.#closing.add(slot)
  }

  closed(slot: number): void {
    this.#closing.delete(slot)
  }

  told(slot: number): void {
    this.#told.set(slot, (this.#told.get(slot) ?? 0) + 1)
  }

  /** Somebody reads the notifications of a slot, until the work is over; what it brings has been heard. */
  async listening(slot: number, work: Promise<string>): Promise<string> {
    if (!this.#heard.has(slot)) this.#heard.set(slot, this.#told.get(slot) ?? 0)
    try {
      const content = await work
      const heard = (this.#heard.get(slot) ?? 0) + content.split('\0').length - 1
      this.#heard.set(slot, heard)
      return content
    } catch (error) {
      this.#heard.delete(slot)
      throw error
    }
  }

  /** The module left: nobody waits for what was on its way. */
  left(slot: number): void {
    this.#closing.delete(slot)
    this.#told.delete(slot)
    this.#heard.delete(slot)
  }
}
