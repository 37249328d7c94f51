import { type Clock, coreErrors, LinkError, type Log, type SlotLink, type SlotwireError, type Timer } from '@slotwire/core'
import { type AnyCommand, type Command, decodeResponse, encodeRequest, ModuleRefusal, SdbpError } from '@slotwire/sdbp'
import type { RestartWatch } from './restart-watch.ts'
import type { SlotStatistics } from './slot-statistics.ts'

/** Longest time for one exchange, WAIT included, in milliseconds. Then the module counts as hung; decision 0061. */
export const EXCHANGE_DEADLINE_MS = 2000
/** An exchange that takes longer waits for a module that asked for time (WAIT), in milliseconds. Without an answer it ends after 250. */
const WAIT_AFTER_MS = 300
/** A timer that is later shows that this process did not run, in milliseconds: the answer may have come, and is handled after the timers. */
export const STALL_MS = 110

/** `gone`: the link reported it; `hung`: an exchange did not end by its deadline. */
export type BusLoss = 'gone' | 'hung'

interface Transfer {
  readonly payload: Uint8Array
  readonly onSent: (() => void) | undefined
  readonly isTooLate: (() => boolean) | undefined
  readonly resolve: (response: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

export interface BusOptions {
  readonly link: SlotLink
  readonly restartWatch?: RestartWatch
  readonly clock: Clock
  readonly statistics: SlotStatistics
  /** Called once, before the exchange that detected it is rejected. */
  readonly onLoss: (loss: BusLoss, reason: string) => void
}

/**
 * The link of one slot: one exchange at a time, each with a deadline. Its two users, the current job and the heartbeat, each send one
 * exchange after the other. So at most one waits.
 */
export class Bus {
  readonly #linkReportsSent: boolean
  #current: Transfer | undefined
  #next: Transfer | undefined
  #startedMs = 0
  #answeredMs = 0
  #watchdog: Timer | undefined
  #closed = false

  constructor(private readonly options: BusOptions) {
    this.#linkReportsSent = options.link.onOperationSent !== undefined
    options.link.onOperationSent?.(() => this.#current?.onSent?.())
  }

  /** When an exchange last ended with an answer, valid or not. */
  get answeredMs(): number {
    return this.#answeredMs
  }

  /** Whether the current exchange takes so long that the module must have asked for time. */
  get waits(): boolean {
    return this.#current !== undefined && this.options.clock.now() - this.#startedMs > WAIT_AFTER_MS
  }

  /**
   * Sends now, or after the current exchange, unless `isTooLate` by then. `onSent` is called when the operation frame is sent. Rejects with
   * `LinkError`: with `busy` if it was too late.
   */
  send(payload: Uint8Array, onSent?: () => void, isTooLate?: () => boolean): Promise<Uint8Array> {
    if (this.#closed) return Promise.reject(closedError())
    if (this.#next !== undefined) return Promise.reject(new Error('a job sends one command after the other'))
    return new Promise((resolve, reject) => {
      const transfer = { payload, onSent, isTooLate, resolve, reject }
      if (this.#current === undefined) this.#start(transfer)
      else this.#next = transfer
    })
  }

  /** As `SlotLink.repeat`; undefined for a link without it. */
  get repeat(): SlotLink['repeat'] {
    const { link, restartWatch } = this.options
    const { repeat } = link
    if (repeat === undefined) return undefined
    return async (payload, response) => {
      const repeated = await repeat(payload, response)
      if (repeated.end === 'failed') restartWatch?.doubt()
      return repeated
    }
  }

  /** Fails the waiting exchange at once, and the current one unless its response has arrived. The owner closes the link. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#watchdog?.cancel()
    this.#next?.reject(closedError())
    this.#next = undefined
    const current = this.#current
    if (current === undefined) return
    // A response that has arrived, but was not handled yet, is earlier in the microtask queue and wins.
    queueMicrotask(() => {
      if (this.#current !== current) return
      this.#current = undefined
      current.reject(closedError())
    })
  }

  #start(transfer: Transfer): void {
    const { link, clock, statistics, restartWatch } = this.options
    this.#current = transfer
    this.#startedMs = clock.now()
    statistics.transactions++
    if (this.#watchdog === undefined) this.#watch(EXCHANGE_DEADLINE_MS)
    if (!this.#linkReportsSent) transfer.onSent?.()
    ;(restartWatch ?? link).exchange(transfer.payload).then(
      (response) => {
        if (this.#current !== transfer) return
        this.#ended()
        this.#answeredMs = clock.now()
        restartWatch?.ended(transfer.payload, this.#answeredMs - this.#startedMs, response)
        transfer.resolve(response)
        this.#startNext()
      },
      (error: unknown) => {
        if (this.#current !== transfer) return
        this.#ended()
        restartWatch?.ended(transfer.payload, clock.now() - this.#startedMs, undefined)
        if (error instanceof LinkError) statistics.failures[error.failure]++
        if (error instanceof LinkError && error.failure === 'gone') this.#lose('gone', error.message)
        transfer.reject(error)
        this.#startNext()
      },
    )
  }

  #ended(): void {
    const { clock, statistics } = this.options
    this.#current = undefined
    statistics.exchanges.add(clock.now() - this.#startedMs)
  }

  #startNext(): void {
    const next = this.#next
    this.#next = undefined
    if (next?.isTooLate?.() === true) next.reject(new LinkError('busy', 'the bus was taken for too long'))
    else if (next !== undefined) this.#start(next)
  }

  /** One timer for all exchanges: at its end it checks the current one, and it stops while the bus is idle. */
  #watch(delayMs: number): void {
    const { clock, statistics } = this.options
    const dueMs = clock.now() + delayMs
    this.#watchdog = clock.after(delayMs, () => {
      this.#watchdog = undefined
      if (this.#current === undefined) return
      const leftMs = this.#startedMs + EXCHANGE_DEADLINE_MS - clock.now()
      const isLate = clock.now() - dueMs > STALL_MS
      // At least a millisecond: with a rest lost in rounding, the timer would fire forever at one moment.
      if (leftMs > 0 || isLate) {
        this.#watch(Math.max(isLate ? STALL_MS : 1, leftMs))
        return
      }
      statistics.failures.hung++
      this.#lose('hung', `no answer within ${EXCHANGE_DEADLINE_MS} ms`)
    })
  }

  #lose(loss: BusLoss, reason: string): void {
    if (this.#closed) return
    this.options.onLoss(loss, reason)
    this.close()
  }
}

function closedError(): LinkError {
  return new LinkError('gone', 'the slot has been closed')
}

/** How often a failed exchange is repeated; wire-protocol.md section 3. */
export const MAX_RETRIES = 3

/** What retrying needs from its slot. */
export interface RetryContext {
  readonly slot: number
  readonly log: Log
  readonly statistics: SlotStatistics
  /** One transfer; rejects with `LinkError`. */
  send(payload: Uint8Array): Promise<Uint8Array>
  /** Why the slot has ended; undefined while it lives. */
  givenUp(): SlotwireError | undefined
}

/**
 * Sends one command, with retries where they are safe. Throws `ModuleRefusal` unchanged, `moduleFailed` without an answer,
 * `moduleAnswerInvalid` without a valid one, and the slot's own reason when it has ended.
 */
export async function exchangeWithRetries<Request, Response>(
  context: RetryContext,
  command: Command<Request, Response>,
  request: Request,
): Promise<Response> {
  const payload = encodeRequest(command, request)
  for (let attempt = 1; ; attempt++) {
    try {
      return decodeResponse(command, await context.send(payload))
    } catch (error) {
      if (error instanceof ModuleRefusal || !isTransportFailure(error)) throw error
      if (error instanceof SdbpError) context.statistics.failures.garbled++
      const last = !command.repeatable || attempt > MAX_RETRIES || !isWorthRepeating(error)
      if (last) throw context.givenUp() ?? finalError(context.slot, command, attempt, error)
      context.statistics.retries++
      context.log.warn(
        { slot: context.slot, command: command.name, attempt, reason: error.message },
        'exchange failed, trying again',
      )
    }
  }
}

function isTransportFailure(error: unknown): error is LinkError | SdbpError {
  return error instanceof LinkError || error instanceof SdbpError
}

function isWorthRepeating(error: LinkError | SdbpError): boolean {
  return error instanceof SdbpError || error.failure === 'transfer-failed' || error.failure === 'busy'
}

function finalError(slot: number, command: AnyCommand, attempts: number, cause: LinkError | SdbpError): SlotwireError {
  if (cause instanceof LinkError) return coreErrors.moduleFailed({ slot, command: command.name, attempts }, { cause })
  return coreErrors.moduleAnswerInvalid({ slot, command: command.name }, { cause })
}
