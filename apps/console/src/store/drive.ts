import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { ClientError, type Lease } from '@slotwire/client'
import type { Clock } from '@slotwire/core'
import type { Device, StateDocument } from './device-types.ts'

/** A closed browser gives its slots back after so long, in seconds. */
const TTL_SECONDS = 20
/** A hidden page gives its slots back after so long, in milliseconds. */
const HIDDEN_MS = 60_000

/** Who may write to a slot. */
export interface Holder {
  readonly number: number
  readonly slots: readonly number[]
  /** As the client named itself. */
  readonly holder: string
  /** Name of its access token. */
  readonly token: string | undefined
}

export type DriveState =
  | { readonly step: 'off'; readonly ended?: 'hidden' | 'lost' }
  | { readonly step: 'taking' }
  | { readonly step: 'on'; readonly holder: string; readonly slots: readonly number[] }

/** The right of this page to write: read-only until the user drives. */
export class Drive {
  readonly state: ReadonlySignal<DriveState>
  /** The leases of others. */
  readonly others: ReadonlySignal<readonly Holder[]>
  readonly #state = signal<DriveState>({ step: 'off' })
  readonly #leases = signal<readonly Lease[]>([])
  readonly #device: Device
  readonly #clock: Clock
  #hidden: { cancel(): void } | undefined

  constructor(device: Device, clock: Clock, document: ReadonlySignal<StateDocument | undefined>) {
    this.#device = device
    this.#clock = clock
    this.state = this.#state
    this.others = computed(() => {
      const own = new Set(this.#leases.value.map(({ number }) => number))
      return holdersIn(document.value).filter(({ number }) => !own.has(number))
    })
  }

  /** Whether this page may write to these slots. */
  holds(slots: readonly number[]): boolean {
    const state = this.#state.value
    return state.step === 'on' && slots.every((slot) => state.slots.includes(slot))
  }

  /** Takes slots, all of one process at a time. Rejects with `leased` while another client has one; `force` takes it over. */
  async take(slots: readonly number[], holder: string, force = false): Promise<void> {
    this.#state.value = { step: 'taking' }
    try {
      const options = { holder, ttlSeconds: TTL_SECONDS, ...(force ? { force } : {}) }
      const lease = await this.#device.lease(slots, options)
      this.#leases.value = [...this.#leases.peek(), lease]
      void lease.lost.then(() => this.#end('lost'))
      this.#state.value = { step: 'on', holder, slots: this.#leases.peek().flatMap((held) => held.slots) }
    } catch (error) {
      await this.giveBack()
      throw error
    }
  }

  /** Gives all slots back. The requests leave at once, also from a page that closes. */
  async giveBack(ended?: 'hidden'): Promise<void> {
    const leases = this.#leases.peek()
    this.#leases.value = []
    this.#state.value = { step: 'off', ...(ended === undefined ? {} : { ended }) }
    await Promise.allSettled(leases.map((lease) => lease.release()))
  }

  /** The page was hidden, or is visible again. */
  setHidden(isHidden: boolean): void {
    this.#hidden?.cancel()
    this.#hidden = undefined
    if (isHidden && this.#state.peek().step === 'on')
      this.#hidden = this.#clock.after(HIDDEN_MS, () => void this.giveBack('hidden'))
  }

  #end(ended: 'lost'): void {
    if (this.#leases.peek().length === 0) return
    void this.giveBack()
    this.#state.value = { step: 'off', ended }
  }
}

function holdersIn(document: StateDocument | undefined): readonly Holder[] {
  return (document?.leases ?? []).map((lease) => {
    const { number, slots, holder, token } = lease as Partial<Holder>
    return { number: Number(number), slots: slots ?? [], holder: String(holder), token }
  })
}

export function isLeased(error: unknown): error is ClientError {
  return error instanceof ClientError && error.kind === 'leased'
}
