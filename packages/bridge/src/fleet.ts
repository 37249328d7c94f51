import type { Clock, Timer } from '@slotwire/core'
import type { Broker, BrokerMessage, Publication } from './broker.ts'
import { ownerOf } from './ownership.ts'
import { bridgeIn, presenceTopic } from './topics.ts'

/** What the broker retains of the other bridges arrives within so many milliseconds after the subscription. */
const GATHER_MS = 1000
/** Changes of the bridges that come so soon after each other count as one, in milliseconds. */
const SETTLE_MS = 300
/** Presence is said again so often, and is forgotten after so long, in seconds: a broker that crashed publishes no will. */
const PRESENCE_EVERY_S = 3
const PRESENCE_S = 8
const MS_PER_SECOND = 1000
const TEXT = new TextDecoder()

export interface FleetOptions {
  /** Name of the fleet. */
  readonly fleet: string
  /** Name of this bridge in it. */
  readonly name: string
  readonly broker: Broker
  readonly clock: Clock
  /** The bridges changed: devices may have other owners. */
  readonly onChange: () => void
}

/** The bridges that share devices, by their retained presence. Each has a will, so that the broker says when one is gone. */
export class Fleet {
  readonly #options: FleetOptions
  /** When each bridge was seen last, by the clock. */
  readonly #bridges = new Map<string, number>()
  #timer: Timer | undefined
  #beat: Timer | undefined
  #isGathered = false

  constructor(options: FleetOptions) {
    this.#options = options
  }

  /** All bridges that are there, with this one; in order. */
  get bridges(): readonly string[] {
    return [...this.#bridges.keys()].sort()
  }

  /** The will of this bridge. */
  get will(): Publication {
    return this.#presence('offline')
  }

  /** Whether this bridge has the device; false while it does not know the others. */
  has(id: string): boolean {
    return this.#isGathered && ownerOf(id, this.#bridges.keys()) === this.#options.name
  }

  /** Of a new connection: joins, and resolves when the other bridges are known. */
  async join(): Promise<void> {
    const { fleet, name, broker, clock, onChange } = this.#options
    this.leave()
    this.#bridges.set(name, Number.POSITIVE_INFINITY)
    await broker.subscribe([presenceTopic(fleet, '+')])
    await broker.publish(this.#presence('online'))
    this.#beatSoon()
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
    this.#beat?.cancel()
    this.#isGathered = false
    this.#bridges.clear()
  }

  /** Says in order that this bridge is gone: the others take over at once. */
  async goodbye(): Promise<void> {
    this.#isGathered = false
    this.#beat?.cancel()
    await this.#options.broker.publish(this.#presence('offline')).catch(() => undefined)
  }

  onMessage({ topic, payload }: BrokerMessage): void {
    const { fleet, name, clock, broker } = this.#options
    const bridge = bridgeIn(topic, fleet)
    if (bridge === undefined) return
    const isThere = TEXT.decode(payload) === 'online'
    // The will of an earlier connection of this bridge came after its return.
    if (bridge === name) {
      if (!isThere && this.#isGathered) void broker.publish(this.#presence('online')).catch(() => undefined)
      return
    }
    const wasThere = this.#bridges.has(bridge)
    if (isThere) this.#bridges.set(bridge, clock.now())
    else this.#bridges.delete(bridge)
    if (isThere !== wasThere) this.#changed()
  }

  /** Says that this bridge is there, and forgets those that did not. */
  #beatSoon(): void {
    const { broker, clock } = this.#options
    this.#beat = clock.after(PRESENCE_EVERY_S * MS_PER_SECOND, () => {
      void broker.publish(this.#presence('online')).catch(() => undefined)
      const oldest = clock.now() - PRESENCE_S * MS_PER_SECOND
      const silent = [...this.#bridges].filter(([, at]) => at < oldest)
      for (const [bridge] of silent) this.#bridges.delete(bridge)
      if (silent.length > 0) this.#changed()
      this.#beatSoon()
    })
  }

  #changed(): void {
    if (!this.#isGathered) return
    const { clock } = this.#options
    this.#timer ??= clock.after(SETTLE_MS, () => {
      this.#timer = undefined
      this.#options.onChange()
    })
  }

  #presence(payload: 'online' | 'offline'): Publication {
    const { fleet, name } = this.#options
    const message = { topic: presenceTopic(fleet, name), payload, qos: 1, retain: true } as const
    return payload === 'online' ? { ...message, expirySeconds: PRESENCE_S } : message
  }
}
