import type { Backplane, SlotLink } from '@slotwire/core'
import { type CommandCode, commandCodeOf, modeRun } from '@slotwire/sdbp'

/** How a link treats the operations of its slot: passes them on, keeps them until released, or never answers. */
type Gate = 'open' | 'held' | 'hung'

/** A call of the backplane, with its slot. */
type Stallable = `descriptor ${number}` | 'hostDevices' | `close ${number}`

const heartbeat = codeOf(modeRun)

function codeOf({ classIdentifier, class: group, operation }: CommandCode): string {
  return `${classIdentifier}/${group}/${operation}`
}

/** Passes everything on, records the operations of each slot, and can hold or lose them. Works with any backplane. */
export class RecordedBackplane {
  /** The backplane for the driver. */
  readonly backplane: Backplane
  readonly #exchanges = new Map<number, string[]>()
  readonly #gates = new Map<number, Gate>()
  readonly #stalled = new Set<Stallable>()
  readonly #held: { readonly slot: number; readonly pass: () => void }[] = []

  constructor(inner: Backplane) {
    this.backplane = {
      kernelDriver: inner.kernelDriver,
      get state() {
        return inner.state
      },
      present: () => inner.present(),
      descriptor: (slot) => this.#unlessStalled(`descriptor ${slot}`, () => inner.descriptor(slot)),
      powerDescriptors: (lastKnown) => inner.powerDescriptors(lastKnown),
      open: async (slot) => this.#recorded(await inner.open(slot)),
      hostDevices: (query) => this.#unlessStalled('hostDevices', () => inner.hostDevices(query)),
      subscribe: (listener) => inner.subscribe(listener),
    }
  }

  /** The payloads sent to a slot in hex, without heartbeats. */
  exchanges(slot: number): readonly string[] {
    return this.#exchanges.get(slot) ?? []
  }

  /** The number of exchanges so far in all slots, without heartbeats. */
  get count(): number {
    return [...this.#exchanges.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** Discards the records, for long runs. */
  forget(): void {
    this.#exchanges.clear()
  }

  /** Holds all operations to the slot until `release`. Heartbeats too, so not for long. */
  hold(slot: number): void {
    this.#gates.set(slot, 'held')
  }

  release(slot: number): void {
    this.#gates.set(slot, 'open')
    const mine = this.#held.filter((entry) => entry.slot === slot)
    for (const entry of mine) {
      this.#held.splice(this.#held.indexOf(entry), 1)
      entry.pass()
    }
  }

  /** From now on no exchange with the slot ends. */
  hang(slot: number): void {
    this.#gates.set(slot, 'hung')
  }

  /** From now on this call never ends. */
  stall(call: Stallable): void {
    this.#stalled.add(call)
  }

  async #unlessStalled<Result>(call: Stallable, work: () => Promise<Result>): Promise<Result> {
    return this.#stalled.has(call) ? new Promise(() => undefined) : work()
  }

  #recorded(link: SlotLink): SlotLink {
    return {
      slot: link.slot,
      exchange: async (payload) => {
        const gate = this.#gates.get(link.slot) ?? 'open'
        this.#note(link.slot, payload)
        if (gate === 'hung') return new Promise(() => undefined)
        if (gate === 'held') await new Promise<void>((pass) => this.#held.push({ slot: link.slot, pass }))
        return link.exchange(payload)
      },
      ...(link.onRestart && { onRestart: (listener) => link.onRestart?.(listener) }),
      onNotification: (listener) => link.onNotification(listener),
      close: () => this.#unlessStalled(`close ${link.slot}`, () => link.close()),
    }
  }

  #note(slot: number, payload: Uint8Array): void {
    if (codeOf(commandCodeOf(payload)) === heartbeat) return
    const known = this.#exchanges.get(slot) ?? []
    this.#exchanges.set(slot, known)
    known.push(Buffer.from(payload).toString('hex'))
  }
}
