/** Where an exchange is: on its way to the module, with it, on its way back. */
type Place = 'out' | 'with the module' | 'back'

/** How many were shown, how many of them were heard, and whether somebody reads: a reader that makes a pause does so by the tests' clock. */
interface Notifications {
  told: number
  heard: number
  reading: boolean
}

/** What is on its way between the driver and the kernel's side, through processes whose time is not the tests'. */
export class KernelTraffic {
  readonly #exchanges = new Map<number, Place>()
  readonly #closing = new Set<number>()
  readonly #work = new Set<Promise<unknown>>()
  /** By slot; gone with the module. */
  readonly #notifications = new Map<number, Notifications>()
  #onQuiet: (() => void)[] = []

  /** Nothing is on its way. What a module takes its time for is not: that is time of the tests' clock. */
  get isQuiet(): boolean {
    const onTheirWay = [...this.#exchanges.values()].some((place) => place !== 'with the module')
    const unheard = [...this.#notifications.values()].some(({ told, heard, reading }) => reading && heard < told)
    return !onTheirWay && !unheard && this.#closing.size === 0 && this.#work.size === 0
  }

  /** What is on its way, in words. */
  get text(): string {
    const exchanges = [...this.#exchanges].map(([slot, place]) => `slot ${slot} ${place}`)
    const closing = [...this.#closing].map((slot) => `slot ${slot} being closed`)
    const notifications = [...this.#notifications].map(([slot, { told, heard }]) => `slot ${slot} heard ${heard} of ${told}`)
    return [...exchanges, ...closing, ...notifications, `${this.#work.size} calls`].join(', ')
  }

  /** Calls back when something has come to rest and nothing is on its way, once. */
  onceQuiet(callback: () => void): void {
    this.#onQuiet.push(callback)
  }

  /** Counts until it is over. */
  track<Result>(work: Promise<Result>): Promise<Result> {
    this.#work.add(work)
    const end = (): void => {
      this.#work.delete(work)
      this.#rested()
    }
    work.then(end, end)
    return work
  }

  async exchange<Result>(slot: number, work: () => Promise<Result>): Promise<Result> {
    this.#exchanges.set(slot, 'out')
    try {
      return await work()
    } finally {
      this.#exchanges.delete(slot)
      this.#rested()
    }
  }

  arrived(slot: number): void {
    if (this.#exchanges.has(slot)) this.#exchanges.set(slot, 'with the module')
    this.#rested()
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
    this.#rested()
  }

  told(slot: number): void {
    this.#of(slot).told++
  }

  /** Somebody reads the notifications of a slot, until the work is over; what it brings has been heard. */
  async listening(slot: number, work: Promise<string>): Promise<string> {
    const notifications = this.#of(slot)
    notifications.reading = true
    try {
      const content = await work
      notifications.heard += content.split('\0').length - 1
      return content
    } catch (error) {
      // What the reader had taken is lost with it.
      notifications.heard = notifications.told
      throw error
    } finally {
      notifications.reading = false
      this.#rested()
    }
  }

  /** The module left: nobody waits for what was on its way. */
  left(slot: number): void {
    this.#closing.delete(slot)
    this.#notifications.delete(slot)
    this.#rested()
  }

  #of(slot: number): Notifications {
    const found = this.#notifications.get(slot) ?? { told: 0, heard: 0, reading: false }
    this.#notifications.set(slot, found)
    return found
  }

  #rested(): void {
    if (this.#onQuiet.length === 0 || !this.isQuiet) return
    const callbacks = this.#onQuiet
    this.#onQuiet = []
    for (const callback of callbacks) callback()
  }
}
