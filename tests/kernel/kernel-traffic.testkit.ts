/** Position of an exchange: on its way to the module, at the module, or on its way back. */
type Place = 'out' | 'with the module' | 'back'

/** Numbers of shown and read notifications, and whether a reader is active. A reader pauses by the tests' clock. */
interface Notifications {
  shown: number
  read: number
  reading: boolean
}

/** Tracks data between the driver and the kernel's side, which passes through processes in real time. */
export class KernelTraffic {
  readonly #exchanges = new Map<number, Place>()
  readonly #closing = new Set<number>()
  readonly #pending = new Set<Promise<unknown>>()
  /** By slot, until the module leaves. */
  readonly #notifications = new Map<number, Notifications>()
  #onQuiet: (() => void)[] = []

  /** Whether nothing is in transit. Work of a module does not count: it takes time of the tests' clock. */
  get isQuiet(): boolean {
    const inTransit = [...this.#exchanges.values()].some((place) => place !== 'with the module')
    const unread = [...this.#notifications.values()].some(({ shown, read, reading }) => reading && read < shown)
    return !inTransit && !unread && this.#closing.size === 0 && this.#pending.size === 0
  }

  /** Describes what is in transit. */
  get text(): string {
    const exchanges = [...this.#exchanges].map(([slot, place]) => `slot ${slot} ${place}`)
    const closing = [...this.#closing].map((slot) => `slot ${slot} being closed`)
    const notifications = [...this.#notifications].map(([slot, { shown, read }]) => `slot ${slot} read ${read} of ${shown}`)
    return [...exchanges, ...closing, ...notifications, `${this.#pending.size} calls`].join(', ')
  }

  /** Calls `callback` once when something has finished and nothing is in transit. */
  onceQuiet(callback: () => void): void {
    this.#onQuiet.push(callback)
  }

  /** Counts as in transit until it settles. */
  track<Result>(work: Promise<Result>): Promise<Result> {
    this.#pending.add(work)
    const end = (): void => {
      this.#pending.delete(work)
      this.#callIfQuiet()
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
      this.#callIfQuiet()
    }
  }

  arrived(slot: number): void {
    if (this.#exchanges.has(slot)) this.#exchanges.set(slot, 'with the module')
    this.#callIfQuiet()
  }

  answered(slot: number): void {
    if (this.#exchanges.has(slot)) this.#exchanges.set(slot, 'back')
  }

  /** The driver closes a slot's file; the kernel's side will process that. */
  closing(slot: number): void {
    this.#closing.add(slot)
  }

  closed(slot: number): void {
    this.#closing.delete(slot)
    this.#callIfQuiet()
  }

  notificationShown(slot: number): void {
    this.#of(slot).shown++
  }

  notificationSkipped(slot: number): void {
    this.#of(slot).read++
    this.#callIfQuiet()
  }

  /** A reader waits for the notifications of a slot during `work`, which calls `onRead` with those that it has read. */
  async whileReading(slot: number, work: (onRead: (content: string) => void) => Promise<void>): Promise<void> {
    const notifications = this.#of(slot)
    notifications.reading = true
    try {
      await work((content) => {
        notifications.read += content.split('\0').length - 1
        this.#callIfQuiet()
      })
    } catch (error) {
      // Notifications taken by the reader are lost with it.
      notifications.read = notifications.shown
      throw error
    } finally {
      notifications.reading = false
      this.#callIfQuiet()
    }
  }

  /** The module left: nothing waits for its data. */
  left(slot: number): void {
    this.#closing.delete(slot)
    this.#notifications.delete(slot)
    this.#callIfQuiet()
  }

  #of(slot: number): Notifications {
    const found = this.#notifications.get(slot) ?? { shown: 0, read: 0, reading: false }
    this.#notifications.set(slot, found)
    return found
  }

  #callIfQuiet(): void {
    if (this.#onQuiet.length === 0 || !this.isQuiet) return
    const callbacks = this.#onQuiet
    this.#onQuiet = []
    for (const callback of callbacks) callback()
  }
}
