import type { Clock, Timer } from '@slotwire/core'
import type { Broker, BrokerMessage, Publication } from './broker.ts'
import { ownerOf } from './ownership.ts'
import { presenceTopic } from './topics.ts'

/** What the broker retains of the other bridges arrives within so many milliseconds after the subscription. */
const GATHER_MS = 1000
/** Changes of the bridges that come so soon after each other count as one, in milliseconds. */
const SETTLE_MS = 300
const TEXT = new TextDecoder()

export interface FleetOptions {
  /** Name of the fleet. */
  readonly fleet: string
  /** Name of this bridge in it. */
  readonly name: string
  readonly broker: Broker
  readonly clock: Clock
  /** The bridges changed: devices may have other owners. */
  onChange(): void
}

/** The bridges that share devices, by their retained presence. Each has a will, so that the broker says when one is gone. */
export class Fleet {
  readonly #options: FleetOptions
  readonly #bridges = new Set<string>()
  #timer: Timer | undefined
  #isGathered = false

  constructor(options: FleetOptions) {
    this.#options = options
  }

  /** All bridges that are there, with this one; in order. */
  get bridges(): readonly string[] {
    return [...this.#bridges].sort()
  }

  /** The will of this bridge. */
  get will(): Publication {
    return this.#presence('offline')
  }

  /** Whether this bridge has the device; false while it does not know the others. */
  has(id: string): boolean {
    return this.#isGathered && ownerOf(id, this.#bridges) === this.#options.name
  }

  /** Of a new connection: joins, and resolves when the other bridges are known. */
  async join(): Promise<void> {
    const { fleet, name, broker, clock, onChange } = this.#options
    this.leave()
    this.#bridges.add(name)
    await broker.subscribe([presenceTopic(fleet, '+')])
    await broker.publish(this.#presence('online'))
    this.#timer = clock.after(GATHER_MS, () => {
      this.#timer = undefined
      this.#isGathered = true
      onChange()
    })
  }

  /** The connection is lost: nothing is known any more. */
  leave(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#isGathered = false
    this.#bridges.clear()
  }

  /** Says in order that this bridge is gone: the others take over at once. */
  async goodbye(): Promise<void> {
    await this.#options.broker.publish(this.#presence('offline')).catch(() => undefined)
  }

  onMessage({ topic, payload }: BrokerMessage): void {
    const { fleet, name, clock, broker } = this.#options
    const [before, after] = presenceTopic(fleet, '+').split('+') as [string, string]
    if (!topic.startsWith(before) || !topic.endsWith(after)) return
    const bridge = topic.slice(before.length, topic.length - after.length)
    const isThere = TEXT.decode(payload) === 'online'
    // The will of an earlier connection of this bridge came after its return.
    if (bridge === name) {
      if (!isThere && this.#isGathered) void broker.publish(this.#presence('online')).catch(() => undefined)
      return
    }
    if (isThere === this.#bridges.has(bridge)) return
    if (isThere) this.#bridges.add(bridge)
    else this.#bridges.delete(bridge)
    if (!this.#isGathered) return
    this.#timer ??= clock.after(SETTLE_MS, () => {
      this.#timer = undefined
      this.#options.onChange()
    })
  }

  #presence(payload: 'online' | 'offline'): Publication {
    const { fleet, name } = this.#options
    return { topic: presenceTopic(fleet, name), payload, qos: 1, retain: true }
  }
}
