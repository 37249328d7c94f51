import { type Clock, LinkError, type SlotLink, type Timer } from '@slotwire/core'
import { encodeRequest, MODULE_CLASS_IDENTIFIER, modeRun, modeSuspend } from '@slotwire/sdbp'
import type { SlotStatistics } from './slot-statistics.ts'

/** Longest time for one exchange, WAIT included, in milliseconds. Then the module counts as hung; decision 0061. */
export const EXCHANGE_DEADLINE_MS = 2000
/** An exchange that takes longer waits for a module that asked for time (WAIT), in milliseconds. Without an answer it ends after 250. */
const WAIT_AFTER_MS = 300
/** A timer that is later shows that this process did not run, in milliseconds: the answer may have come, and is handled after the timers. */
export const STALL_MS = 110

/** After an exchange that took longer, the module may have restarted, in milliseconds: half of what wire-protocol.md section 1 says. */
export const LATE_EXCHANGE_MS = 100
/** How often the module must reject the question before it counts as restarted: a single exchange may fail for other reasons. */
const ATTEMPTS = 3

const RUN = encodeRequest(modeRun, {})
const SUSPEND = encodeRequest(modeSuspend, {})
const COMMAND_SIZE = 3

/** `gone`: the link reported it; `hung`: an exchange did not end by its deadline. */
export type BusLoss = 'gone' | 'hung'

interface PendingExchange {
  readonly payload: Uint8Array
  readonly onSent: (() => void) | undefined
  readonly isTooLate: (() => boolean) | undefined
  readonly resolve: (response: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

export interface BusOptions {
  readonly link: SlotLink
  /** A reading command that the module executes only while it runs. Without it, only late heartbeats show that it has restarted. */
  readonly probe?: Uint8Array | undefined
  readonly clock: Clock
  readonly statistics: SlotStatistics
  /** The module has restarted, or may have: its state is not known. */
  readonly onRestart: () => void
  /** Called once, before the exchange that detected it is rejected. */
  readonly onLoss: (loss: BusLoss, reason: string) => void
}

/**
 * The link of one slot: one exchange at a time, each with a deadline. Its two users, the current job and the heartbeat, each send one
 * exchange after the other. So at most one waits.
 */
export class Bus {
  readonly #linkReportsSent: boolean
  readonly #restartWatch: RestartWatch
  #current: PendingExchange | undefined
  #next: PendingExchange | undefined
  #startedMs = 0
  #answeredMs = 0
  #watchdog: Timer | undefined
  #closed = false

  constructor(private readonly options: BusOptions) {
    this.#restartWatch = new RestartWatch(options)
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
      const exchange = { payload, onSent, isTooLate, resolve, reject }
      if (this.#current === undefined) this.#start(exchange)
      else this.#next = exchange
    })
  }

  /** As `SlotLink.repeat`; undefined for a link without it. */
  get repeat(): SlotLink['repeat'] {
    const { repeat } = this.options.link
    if (repeat === undefined) return undefined
    return async (payload, response) => {
      const repeated = await repeat(payload, response)
      if (repeated.end === 'failed') this.#restartWatch.doubt()
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

  #start(exchange: PendingExchange): void {
    const { clock, statistics } = this.options
    const restartWatch = this.#restartWatch
    this.#current = exchange
    this.#startedMs = clock.now()
    statistics.transactions++
    if (this.#watchdog === undefined) this.#watch(EXCHANGE_DEADLINE_MS)
    if (!this.#linkReportsSent) exchange.onSent?.()
    restartWatch.exchange(exchange.payload).then(
      (response) => {
        if (this.#current !== exchange) return
        this.#ended()
        this.#answeredMs = clock.now()
        restartWatch.ended(exchange.payload, this.#answeredMs - this.#startedMs, response)
        exchange.resolve(response)
        this.#startNext()
      },
      (error: unknown) => {
        if (this.#current !== exchange) return
        this.#ended()
        restartWatch.ended(exchange.payload, clock.now() - this.#startedMs, undefined)
        if (error instanceof LinkError) statistics.failures[error.failure]++
        if (error instanceof LinkError && error.failure === 'gone') this.#lose('gone', error.message)
        exchange.reject(error)
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

/**
 * Finds a module that has restarted so quickly that it did not leave its slot. After a late exchange the module is asked before the next
 * MODE_RUN, which would hide the restart.
 */
export class RestartWatch {
  #runs = false
  #isDoubtful = false

  constructor(private readonly options: Pick<BusOptions, 'link' | 'clock' | 'probe' | 'onRestart'>) {
    options.link.onRestart?.(() => this.#restarted())
  }

  /** As `SlotLink.exchange`. Rejects with `busy` for a MODE_RUN that was not sent, because the module has restarted. */
  exchange(payload: Uint8Array): Promise<Uint8Array> {
    if (this.#isDoubtful && isSame(payload, RUN)) return this.#probeFirst(payload)
    if (isSame(payload, SUSPEND)) this.#runs = false
    return this.options.link.exchange(payload)
  }

  /** Call this when an exchange has ended, with its response. A module that has restarted executes no command of its own. */
  ended(payload: Uint8Array, tookMs: number, response: Uint8Array | undefined): void {
    const isAnswered = isAnswer(payload, response)
    if (isAnswered && isSame(payload, RUN)) this.#runs = true
    else if (isAnswered && payload[0] === MODULE_CLASS_IDENTIFIER) this.#isDoubtful = false
    else if (tookMs > LATE_EXCHANGE_MS) this.doubt()
  }

  /** Call this when the link's own MODE_RUN has failed. */
  doubt(): void {
    this.#isDoubtful = this.#runs
  }

  async #probeFirst(payload: Uint8Array): Promise<Uint8Array> {
    const { link, clock, probe } = this.options
    for (let attempt = 1; probe !== undefined && this.#runs && this.#isDoubtful; attempt++) {
      const fromMs = clock.now()
      try {
        this.#isDoubtful = !isAnswer(probe, await link.exchange(probe))
        if (this.#isDoubtful) throw new LinkError('transfer-failed', 'the response has another command')
      } catch (error) {
        // A module that does not answer at all would not answer MODE_RUN either.
        const isRejected = error instanceof LinkError && error.failure === 'transfer-failed'
        if (!isRejected || clock.now() - fromMs > LATE_EXCHANGE_MS) throw error
        if (attempt < ATTEMPTS) continue
        this.#restarted()
        throw new LinkError('busy', 'the module has restarted')
      }
    }
    this.#isDoubtful = false
    return link.exchange(payload)
  }

  #restarted(): void {
    this.#isDoubtful = false
    if (!this.#runs) return
    this.#runs = false
    this.options.onRestart()
  }
}

/** A response repeats the command of its request; nonsense proves nothing. */
function isAnswer(request: Uint8Array, response: Uint8Array | undefined): boolean {
  return response !== undefined && isSame(request.subarray(0, COMMAND_SIZE), response.subarray(0, COMMAND_SIZE))
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
