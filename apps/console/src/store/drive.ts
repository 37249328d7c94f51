import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { ClientError, type Lease } from '@slotwire/client'
import type { StateDocument } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import type { Device } from './device-types.ts'

/** A closed browser gives its slots back after so long, in seconds. */
const TTL_SECONDS = 20
/** A hidden page gives its slots back after so long, in milliseconds. */
const HIDDEN_MS = 60_000

/** Who may write to a slot. */
export interface LeaseHolder {
  readonly number: number
  readonly slots: readonly number[]
  /** As the client named itself. */
  readonly holder: string
  /** Name of its access token. */
  readonly token: string | undefined
}

export type DriveState =
  /** `by`: who has the slots now. */
  | { readonly step: 'off'; readonly ended?: 'hidden' | 'lost'; readonly by?: string }
  | { readonly step: 'taking' }
  | { readonly step: 'on'; readonly holder: string; readonly slots: readonly number[] }

/** The right of this page to write: read-only until the user drives. */
export class PageLeases {
  /** The leases of others. */
  readonly others: ReadonlySignal<readonly LeaseHolder[]>
  readonly #state = signal<DriveState>({ step: 'off' })
  readonly state: ReadonlySignal<DriveState> = this.#state
  readonly #leases = signal<readonly Lease[]>([])
  /** Modules that came while driving, and were asked for once. */
  readonly #requested = new Set<number>()
  /** Leases that the device listed. */
  readonly #listed = new WeakSet<Lease>()
  #hidden: { cancel(): void } | undefined

  constructor(
    private readonly device: Pick<Device, 'lease'>,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly document: ReadonlySignal<Pick<StateDocument, 'modules' | 'leases'> | undefined>,
  ) {
    this.others = computed(() => {
      const own = new Set(this.#leases.value.map(({ number }) => number))
      return holdersIn(document.value).filter(({ number }) => !own.has(number))
    })
    effect(() => this.#takeArrived(document.value?.modules ?? [], this.#state.value))
    effect(() => this.#endUnlisted(holdersIn(document.value)))
  }

  /** Whether this page may write to these slots. */
  holds(slots: readonly number[]): boolean {
    const state = this.#state.value
    const taken = new Set(this.others.value.flatMap((other) => other.slots))
    return state.step === 'on' && slots.every((slot) => state.slots.includes(slot) && !taken.has(slot))
  }

  /** Who drives one of these slots: another client, or this page. */
  holderOf(slots: readonly number[]): string | undefined {
    const state = this.#state.value
    return [...this.others.value, ...(state.step === 'on' ? [state] : [])].find((held) => isShared(held.slots, slots))?.holder
  }

  /** Takes the slots of all modules. Rejects with `leased` while another client has one; `force` takes them over. */
  async take(holder: string, force = false): Promise<void> {
    const former = this.#leases.peek()
    this.#leases.value = []
    this.#state.value = { step: 'taking' }
    this.#requested.clear()
    try {
      await Promise.allSettled(former.map((lease) => lease.release()))
      const modules = this.document.peek()?.modules ?? []
      const slots = modules.map(({ slot }) => slot)
      await this.#lease(slots, holder, force)
      this.#on(holder)
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
      this.#hidden = this.clock.after(HIDDEN_MS, () => void this.giveBack('hidden'))
  }

  async #lease(slots: readonly number[], holder: string, force: boolean): Promise<void> {
    const lease = await this.device.lease(slots, { holder, ttlSeconds: TTL_SECONDS, ...(force ? { force } : {}) })
    // The user stopped driving, or the page closes.
    if (this.#state.peek().step === 'off') return lease.release()
    this.#leases.value = [...this.#leases.peek(), lease]
    void lease.lost.then(() => this.#end(lease))
  }

  #on(holder: string): void {
    if (this.#state.peek().step === 'off') return
    this.#state.value = { step: 'on', holder, slots: this.#leases.peek().flatMap((held) => held.slots) }
  }

  /** A module that is plugged in while this page drives is taken, too. If another client has its slot, that is shown. */
  #takeArrived(modules: StateDocument['modules'], state: DriveState): void {
    if (state.step !== 'on') return
    const { holder, slots } = state
    for (const { slot } of modules) {
      if (slots.includes(slot) || this.#requested.has(slot)) continue
      this.#requested.add(slot)
      this.#lease([slot], holder, false).then(
        () => this.#on(holder),
        // `neededFor` says it at each control of the slot.
        () => undefined,
      )
    }
  }

  /** A lease that was in the list and is not any more is lost: its next renewal would say so later. */
  #endUnlisted(listed: readonly LeaseHolder[]): void {
    for (const lease of this.#leases.peek())
      if (listed.some(({ number }) => number === lease.number)) this.#listed.add(lease)
      else if (this.#listed.has(lease)) this.#end(lease)
  }

  #end(lease: Lease): void {
    if (!this.#leases.peek().includes(lease)) return
    const by = this.others.peek().find(({ slots }) => isShared(slots, lease.slots))?.holder
    void this.giveBack()
    this.#state.value = { step: 'off', ended: 'lost', ...(by === undefined ? {} : { by }) }
  }
}

function isShared(slots: readonly number[], others: readonly number[]): boolean {
  return slots.some((slot) => others.includes(slot))
}

function holdersIn(document: Pick<StateDocument, 'leases'> | undefined): readonly LeaseHolder[] {
  return (document?.leases ?? []).map((lease) => {
    const { number, slots, holder, token } = lease as Partial<LeaseHolder>
    return { number: Number(number), slots: slots ?? [], holder: String(holder), token }
  })
}

export function isLeased(error: unknown): error is ClientError {
  return error instanceof ClientError && error.kind === 'leased'
}
