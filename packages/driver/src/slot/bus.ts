import type { Clock, SlotLink, Timer } from '@slotwire/core'
import { LinkError } from '@slotwire/core'
import type { SlotStatistics } from './slot-statistics.ts'

/** Longest that one exchange may take, WAIT included, before the module counts as hung, in milliseconds; decision 0061. */
export const EXCHANGE_DEADLINE_MS = 2000

/** `gone`: the link said so; `hung`: an exchange did not end by its deadline. */
export type BusLoss = 'gone' | 'hung'

interface Transfer {
  readonly payload: Uint8Array
  readonly onSent: (() => void) | undefined
  readonly resolve: (response: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

export interface BusOptions {
  readonly link: SlotLink
  readonly clock: Clock
  readonly statistics: SlotStatistics
  /** Called once, before the exchange that found out is rejected. */
  readonly onLoss: (loss: BusLoss, reason: string) => void
}

/** The link of one slot: one exchange at a time, urgent ones first, each with a deadline. */
export class Bus {
  readonly #link: SlotLink
  readonly #clock: Clock
  readonly #onLoss: (loss: BusLoss, reason: string) => void
  readonly #statistics: SlotStatistics
  readonly #linkTellsSent: boolean
  readonly #urgent: Transfer[] = []
  readonly #waiting: Transfer[] = []
  #current: Transfer | undefined
  #startedMs = 0
  #watchdog: Timer | undefined
  #closed = false

  constructor(options: BusOptions) {
    this.#link = options.link
    this.#clock = options.clock
    this.#onLoss = options.onLoss
    this.#statistics = options.statistics
    this.#linkTellsSent = this.#link.onOperationSent !== undefined
    this.#link.onOperationSent?.(() => this.#current?.onSent?.())
  }

  /** Sends in order of the calls. `onSent` is called when the operation frame is out. Rejects with `LinkError`. */
  send(payload: Uint8Array, onSent?: () => void): Promise<Uint8Array> {
    return this.#send(this.#waiting, payload, onSent)
  }

  /** Sends ahead of everything that waits. */
  sendUrgent(payload: Uint8Array, onSent?: () => void): Promise<Uint8Array> {
    return this.#send(this.#urgent, payload, onSent)
  }

  /** Fails what waits at once, and what is on the bus unless its response has arrived already. The link stays with its owner. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#watchdog?.cancel()
    for (const transfer of [...this.#urgent.splice(0), ...this.#waiting.splice(0)]) transfer.reject(closedError())
    const current = this.#current
    if (current === undefined) return
    // A response that has arrived but was not looked at yet is ahead of this in the microtask queue, and wins.
    queueMicrotask(() => {
      if (this.#current !== current) return
      this.#current = undefined
      current.reject(closedError())
    })
  }

  #send(queue: Transfer[], payload: Uint8Array, onSent: (() => void) | undefined): Promise<Uint8Array> {
    if (this.#closed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      const transfer = { payload, onSent, resolve, reject }
      if (this.#current === undefined) this.#start(transfer)
      else queue.push(transfer)
    })
  }

  #start(transfer: Transfer): void {
    this.#current = transfer
    this.#startedMs = this.#clock.now()
    this.#statistics.transactions++
    if (this.#watchdog === undefined) this.#watch(EXCHANGE_DEADLINE_MS)
    if (!this.#linkTellsSent) transfer.onSent?.()
    this.#link.exchange(transfer.payload).then(
      (response) => {
        if (this.#current !== transfer) return
        this.#ended()
        transfer.resolve(response)
        this.#next()
      },
      (error: unknown) => {
        if (this.#current !== transfer) return
        this.#ended()
        if (error instanceof LinkError) this.#statistics.failures[error.failure]++
        if (error instanceof LinkError && error.failure === 'gone') this.#lose('gone', error.message)
        transfer.reject(error)
        this.#next()
      },
    )
  }

  #ended(): void {
    this.#current = undefined
    this.#statistics.exchanges.add(this.#clock.now() - this.#startedMs)
  }

  #next(): void {
    const next = this.#urgent.shift() ?? this.#waiting.shift()
    if (next !== undefined) this.#start(next)
  }

  /** One timer for all exchanges: it looks again when the one on the bus would be due, and rests while the bus does. */
  #watch(delayMs: number): void {
    this.#watchdog = this.#clock.after(delayMs, () => {
      this.#watchdog = undefined
      if (this.#current === undefined) return
      const leftMs = this.#startedMs + EXCHANGE_DEADLINE_MS - this.#clock.now()
      // At least a millisecond: a remainder lost in rounding must not make the timer fire for ever in one moment.
      if (leftMs > 0) {
        this.#watch(Math.max(1, leftMs))
        return
      }
      this.#statistics.failures.hung++
      this.#lose('hung', `no answer within ${EXCHANGE_DEADLINE_MS} ms`)
    })
  }

  #lose(loss: BusLoss, reason: string): void {
    if (this.#closed) return
    this.#onLoss(loss, reason)
    this.close()
  }
}

function closedError(): LinkError {
  return new LinkError('gone', 'the slot has been given up')
}
