import { type Clock, LinkError, type Log, messageOf, type Repeated, type Timer } from '@slotwire/core'
import { decodeResponse, encodeRequest, modeRun } from '@slotwire/sdbp'
import { StallTimer } from '../stall-timer.ts'
import { type Bus, STALL_MS } from './bus.ts'
import type { SlotStatistics } from './slot-statistics.ts'

/** Shortest and longest time between two heartbeats, in milliseconds; wire-protocol.md section 2. */
export const MIN_HEARTBEAT_INTERVAL_MS = 90
export const MAX_HEARTBEAT_INTERVAL_MS = 110
/** Time between two heartbeats when none is late, in milliseconds. */
export const HEARTBEAT_PERIOD_MS = 100
/** After a longer time without heartbeat, the module may have fallen back to SUSPEND. Its own fail-safe is at 1000 ms. */
export const MAX_HEARTBEAT_GAP_MS = 900
/** How often a link that repeats the heartbeat by itself is asked to continue, in milliseconds. It does so for 900 ms. */
export const RENEWAL_MS = 300
/** A heartbeat that takes longer is stuck, in milliseconds. The bus gives up a hung module long before. */
export const MAX_HEARTBEAT_MS = 10_000

const PAYLOAD = encodeRequest(modeRun, {})

export interface HeartbeatOptions {
  readonly slot: number
  readonly bus: Pick<Bus, 'send' | 'repeat' | 'answeredMs' | 'waits'>
  readonly clock: Clock
  /** 0…100 ms, the same for all slots of a device: they beat at the same moments, so that the process wakes up once for all. */
  readonly heartbeatPhaseMs: number
  readonly log: Log
  readonly statistics: SlotStatistics
  /** The module has acknowledged a heartbeat that was sent at this time. */
  readonly onRun: (sentMs: number) => void
  /** The module was not asked for so long that its state may be lost. */
  readonly onGap: () => void
  /** Then called until it succeeds: brings the module into its initial state, runs it, and calls `start`. */
  readonly restart: () => Promise<void>
  /** The module was asked for so long, and did not answer. */
  readonly onDead: (reason: string) => void
}

/**
 * Keeps one module running: sends MODE_RUN by deadline, between the exchanges of a job and ahead of waiting jobs. A link that can repeat it
 * by itself does so while this process renews that, until something unexpected happens.
 */
export class Heartbeat {
  readonly #sending: StallTimer
  #timer: Timer | undefined
  #failing = false
  /** When a heartbeat last was not answered. One that was not sent does not count. */
  #unansweredMs = Number.NEGATIVE_INFINITY
  #dueMs = Number.POSITIVE_INFINITY
  /** The module may have lost its state, although it was asked in time. */
  #hasLostState = false
  /** After a gap, until the module runs again. */
  #isRestarting = false
  /** When the last acknowledged MODE_RUN was sent. A module counts from its operation frame, however late it answers. */
  #lastRunMs = 0
  #sentMs = 0
  /** The response that the link expects while it repeats the heartbeat. */
  #repeated: Uint8Array | undefined
  /** The answer to the last renewal is to renew again. */
  #isOverdue = false
  /** The current heartbeat follows an end of the link's own ones. */
  #isRelief = false

  constructor(private readonly options: HeartbeatOptions) {
    this.#sending = new StallTimer(options.clock, MAX_HEARTBEAT_MS)
  }

  /** How many seconds the current heartbeat has been stuck; undefined if it is not. */
  get stuckSeconds(): number | undefined {
    return this.#sending.stuckSeconds
  }

  /** When the last acknowledged MODE_RUN was sent. */
  get lastRunMs(): number {
    return this.#lastRunMs
  }

  /** Whether the module may have fallen back to SUSPEND since its last heartbeat. */
  get isLate(): boolean {
    return this.#hasLostState || this.options.clock.now() - this.#lastRunMs > MAX_HEARTBEAT_GAP_MS
  }

  /** Call this when the module has just acknowledged a MODE_RUN in its initial state. */
  start(): void {
    this.#lastRunMs = this.options.clock.now()
    this.#isRestarting = false
    this.#hasLostState = false
    this.#timer?.cancel()
    this.#arm()
  }

  /** The module may have restarted: it gets a new session, as after a gap. */
  loseState(): void {
    this.#hasLostState = true
    if (!this.#sending.running && this.#timer !== undefined) this.#beatNow()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(): void {
    const { clock, heartbeatPhaseMs } = this.options
    const nextMs = HEARTBEAT_PERIOD_MS + ((heartbeatPhaseMs - clock.now()) % HEARTBEAT_PERIOD_MS)
    // After a late beat the interval is as short or as long as allowed, until the moments are the same again.
    const intervalMs = nextMs < HEARTBEAT_PERIOD_MS / 2 ? nextMs + HEARTBEAT_PERIOD_MS : nextMs
    const delayMs = Math.min(Math.max(intervalMs, MIN_HEARTBEAT_INTERVAL_MS), MAX_HEARTBEAT_INTERVAL_MS)
    this.#dueMs = clock.now() + delayMs
    this.#timer = clock.after(delayMs, this.#beat)
  }

  readonly #beat = (): void => {
    this.#repeated = undefined
    // This process did not run: what failed before proves nothing.
    if (this.options.clock.now() - this.#dueMs > STALL_MS) this.#unansweredMs = Number.NEGATIVE_INFINITY
    this.#arm()
    if (this.#endsSession()) return
    // The previous one still waits for the bus: another would not be faster.
    if (this.#sending.running) return
    this.#sending.begin()
    this.options.bus.send(PAYLOAD, this.#onSent, () => this.isLate).then(this.#onAnswer, this.#onFailure)
  }

  /** After too long without an acknowledged heartbeat: the module is dead, or it gets a new session. Not while it may still answer. */
  #endsSession(): boolean {
    const { bus, onGap, restart, onDead } = this.options
    if (!this.isLate || bus.waits) return false
    if (this.#unansweredMs >= bus.answeredMs) {
      this.stop()
      onDead(`no heartbeat was acknowledged for ${MAX_HEARTBEAT_GAP_MS} ms`)
      return true
    }
    if (this.#sending.running) return false
    if (!this.#isRestarting) onGap()
    this.#isRestarting = true
    this.#sending.begin()
    restart().then(() => this.#sending.end(), this.#onFailure)
    return true
  }

  readonly #onSent = (): void => {
    this.#sentMs = this.options.clock.now()
  }

  readonly #onAnswer = (response: Uint8Array): void => {
    try {
      decodeResponse(modeRun, response)
    } catch (error) {
      this.#onFailure(error)
      return
    }
    this.#sending.end()
    this.#failing = false
    this.options.statistics.heartbeats++
    this.options.onRun(this.#sentMs)
    this.#lastRunMs = this.#sentMs
    if (this.#hasLostState && this.#timer !== undefined) {
      this.#endsSession()
      return
    }
    const isRelief = this.#isRelief
    this.#isRelief = false
    // After an unexpected end the next regular heartbeat comes first: a link that always fails must not be asked without end.
    if (isRelief || this.#timer === undefined || this.options.bus.repeat === undefined) return
    this.#repeated = response
    this.#renew()
  }

  /** All slots renew at the same moments: the process wakes up once for all. */
  readonly #renew = (): void => {
    const { clock, bus } = this.options
    this.#timer?.cancel()
    const isStalled = clock.now() - this.#dueMs > STALL_MS
    const delayMs = RENEWAL_MS - (clock.now() % RENEWAL_MS)
    this.#dueMs = clock.now() + delayMs
    this.#timer = clock.after(delayMs, this.#renew)
    const response = this.#repeated
    if (response === undefined || bus.repeat === undefined) return
    // This process did not run: the answer may have come, and is handled after the timers.
    this.#isOverdue = this.#sending.running && isStalled
    if (this.#isOverdue) return
    if (this.#sending.running) {
      // The module is busy, or hangs: the deadline of the bus applies to a heartbeat of this process.
      this.#sending.end()
      this.#beatNow()
      return
    }
    this.#sending.begin()
    const isCurrent = (): boolean => response === this.#repeated
    bus.repeat(PAYLOAD, response).then(
      (repeated) => this.#onRepeated(repeated, isCurrent()),
      (error: unknown) => {
        if (isCurrent()) this.#onNotRepeated(error)
      },
    )
  }

  /** After a heartbeat of this process, a late answer only counts. */
  #onRepeated({ count, sinceMs, end }: Repeated, isCurrent: boolean): void {
    const { clock, statistics, onRun } = this.options
    statistics.heartbeats += count
    statistics.transactions += count
    if (count > 0) {
      const sentMs = clock.now() - sinceMs
      if (isCurrent) this.#lastRunMs = sentMs
      onRun(sentMs)
    }
    if (!isCurrent) return
    this.#sending.end()
    if (end === 'failed') this.#onNotRepeated(new Error('the module did not acknowledge it'))
    else if (end === 'late' && this.#timer !== undefined) this.#beatNow()
    else if (this.#isOverdue && this.#timer !== undefined) this.#renew()
  }

  #onNotRepeated(error: unknown): void {
    this.#onFailure(error)
    if (this.#timer !== undefined) this.#beatNow()
  }

  #beatNow(): void {
    this.#timer?.cancel()
    this.#dueMs = this.options.clock.now()
    this.#isRelief = true
    this.#beat()
  }

  /** The next beat is the retry. A link that is gone is reported by the bus. */
  readonly #onFailure = (error: unknown): void => {
    this.#sending.end()
    if (this.#timer === undefined) return
    const { log, slot, statistics } = this.options
    statistics.failedHeartbeats++
    const fields = { slot, reason: messageOf(error) }
    if (this.#failing) log.debug(fields, 'heartbeat failed again')
    else log.warn(fields, 'heartbeat failed')
    this.#failing = true
    const { cause = error } = error instanceof Error ? error : {}
    if (!(cause instanceof LinkError && cause.failure === 'busy')) this.#unansweredMs = this.options.clock.now()
    // After a restart that was not possible, the next beat tries again.
    if (!this.#isRestarting || this.#unansweredMs >= this.options.bus.answeredMs) this.#endsSession()
  }
}
