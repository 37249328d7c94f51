import type { Clock, Log, Random, Timer } from '@slotwire/core'
import { decodeResponse, encodeRequest, modeRun } from '@slotwire/sdbp'
import { StallTimer } from '../stall-timer.ts'
import type { Bus } from './bus.ts'
import type { SlotStatistics } from './slot-statistics.ts'

/** Shortest and longest time between two heartbeats, in milliseconds; wire-protocol.md section 2. */
export const HEARTBEAT_MIN_MS = 90
export const HEARTBEAT_MAX_MS = 110
/** Without a heartbeat for longer than this the module may have fallen back to SUSPEND: its own fail-safe is at 1000 ms. */
export const HEARTBEAT_GAP_LIMIT_MS = 900
/** A heartbeat that is under way for longer, in milliseconds, does not end at all: the bus gives a module that hangs up long before. */
export const HEARTBEAT_LIMIT_MS = 10_000

const PAYLOAD = encodeRequest(modeRun, {})

export interface HeartbeatOptions {
  readonly slot: number
  readonly bus: Pick<Bus, 'send'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly statistics: SlotStatistics
  /** The module runs: it has acknowledged a heartbeat. */
  readonly onRun: () => void
  /** The module runs again after a gap in which it may have lost its state. */
  readonly onGap: () => void
}

/** Keeps one module running: MODE_RUN by deadline, between the exchanges of a job, ahead of the jobs that wait. */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #underWay: StallTimer
  #timer: Timer | undefined
  #failing = false
  /** When the last acknowledged MODE_RUN went out: a module counts from its operation frame, however late it answers. */
  #lastRunMs = 0
  #sentMs = 0

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#underWay = new StallTimer(options.clock, HEARTBEAT_LIMIT_MS)
  }

  /** For how many seconds a heartbeat has been under way that does not end; undefined: none is stuck. */
  get stuckSeconds(): number | undefined {
    return this.#underWay.stuckSeconds
  }

  /** To be called when the module has just acknowledged its first MODE_RUN. */
  start(): void {
    this.#lastRunMs = this.#options.clock.now()
    this.#arm()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(): void {
    const { clock, random } = this.#options
    this.#timer = clock.after(HEARTBEAT_MIN_MS + (HEARTBEAT_MAX_MS - HEARTBEAT_MIN_MS) * random(), this.#beat)
  }

  readonly #beat = (): void => {
    this.#arm()
    // The one before still waits for the bus: a second would not come any sooner.
    if (this.#underWay.now) return
    this.#underWay.begin()
    this.#options.bus.send(PAYLOAD, this.#onSent).then(this.#onAnswer, this.#onFailure)
  }

  readonly #onSent = (): void => {
    this.#sentMs = this.#options.clock.now()
  }

  readonly #onAnswer = (response: Uint8Array): void => {
    try {
      decodeResponse(modeRun, response)
    } catch (error) {
      this.#onFailure(error)
      return
    }
    this.#underWay.end()
    this.#failing = false
    this.#options.statistics.heartbeats++
    this.#options.onRun()
    const gapMs = this.#sentMs - this.#lastRunMs
    this.#lastRunMs = this.#sentMs
    if (gapMs > HEARTBEAT_GAP_LIMIT_MS) this.#options.onGap()
  }

  /** The next beat is the retry; a link that is gone is the bus's to report. */
  readonly #onFailure = (error: unknown): void => {
    this.#underWay.end()
    if (this.#timer === undefined) return
    const { log, slot, statistics } = this.#options
    statistics.failedHeartbeats++
    const fields = { slot, reason: error instanceof Error ? error.message : String(error) }
    if (this.#failing) log.debug(fields, 'heartbeat failed again')
    else log.warn(fields, 'heartbeat failed')
    this.#failing = true
  }
}
