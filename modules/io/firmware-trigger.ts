import type { Clock, Timer } from '@slotwire/core'
import type { Band, Direction, SolvedNode } from '@slotwire/twin'
import { LevelTracker } from '@slotwire/twin'
import { thresholdBand } from './circuit.ts'

/** Reports of one trigger are at least this far apart; events in between are reported together. So a fast signal costs no more. */
export const REPORT_SPACING_MS = 5
/**
 * Where several fast sources meet, their edges are looked at in chunks: so many at a time, one time per report spacing. What happens
 * between two looks is not seen; it takes edges of more than 100 kHz to make such a gap.
 */
const CHUNKS_AT_ONCE = 2

export interface TriggerOptions {
  readonly clock: Clock
  readonly node: SolvedNode
  readonly band: Band
  readonly direction: Direction
  /** The level that counts while the voltage is inside the band. */
  readonly wasHigh: boolean
  readonly debounceMs: number
  /** Events up to this moment are ignored. */
  readonly quietUntilMs?: number
  /** What began while events are ignored and still lasts at the end of that time is an event then. */
  readonly tellsWhatLasts?: boolean
  /** Called at the moment of an event, or a little later, with the moment. */
  readonly report: (atMs: number) => void
}

/**
 * Watches a level for changes in one direction from now on. After an event all others are ignored for the debounce time, and what
 * still happens within the report spacing is reported at its end. It sleeps until the next moment that can matter.
 */
export class Trigger {
  readonly #options: TriggerOptions
  #tracker: LevelTracker
  #node: SolvedNode
  /** Up to here every event is accounted for. */
  #settledMs: number
  /** Events up to here are ignored. */
  #quietUntilMs: number
  /** One was ignored since. */
  #ignored = false
  /** No report before this moment. */
  #nextReportMs = Number.NEGATIVE_INFINITY
  /** An event that waits for its report. */
  #owedMs: number | undefined
  #timer: Timer | undefined
  #ended = false

  constructor(options: TriggerOptions) {
    this.#options = options
    this.#settledMs = options.clock.now()
    this.#quietUntilMs = options.quietUntilMs ?? Number.NEGATIVE_INFINITY
    this.#node = options.node
    this.#tracker = new LevelTracker(options.node, options.band, this.#settledMs, options.wasHigh)
    this.#arm()
  }

  /** The node was changed: to call before anything else is asked. */
  changed(node: SolvedNode): void {
    if (node === this.#node) return
    const nowMs = this.#options.clock.now()
    this.#settle(nowMs)
    const wasHigh = this.#tracker.isHigh(nowMs)
    this.#node = node
    this.#tracker = this.#tracker.movedTo(node, nowMs)
    const isHigh = this.#tracker.isHigh(nowMs)
    const jumped = isHigh !== wasHigh && isHigh === (this.#options.direction === 'rising')
    if (jumped && this.#isQuiet(nowMs)) this.#ignored = true
    else if (jumped) this.#happened(nowMs, nowMs)
    this.#reportIfDue(nowMs)
    this.#arm()
  }

  /** Reports what happened up to now, and ends. */
  finish(): void {
    const nowMs = this.#options.clock.now()
    this.#settle(nowMs)
    this.cancel()
    if (this.#owedMs !== undefined) this.#options.report(Math.max(this.#owedMs, this.#nextReportMs))
  }

  /** Ends, and forgets what has not been reported. A report may call it. */
  cancel(): void {
    this.#ended = true
    this.#timer?.cancel()
  }

  #wake(): void {
    const nowMs = this.#options.clock.now()
    this.#settle(nowMs)
    this.#reportIfDue(nowMs)
    this.#arm()
  }

  #settle(nowMs: number): void {
    if (this.#options.tellsWhatLasts === true && this.#settledMs < this.#quietUntilMs) this.#settleQuiet(nowMs)
    for (let chunks = 0; chunks < CHUNKS_AT_ONCE && Math.max(this.#settledMs, this.#quietUntilMs) < nowMs; ) {
      const moment = this.#next()
      if (moment.atMs > nowMs) break
      if (moment.found) this.#happened(moment.atMs, nowMs)
      else {
        this.#settledMs = moment.atMs
        chunks++
      }
    }
    this.#settledMs = nowMs
  }

  #settleQuiet(nowMs: number): void {
    const isRising = this.#options.direction === 'rising'
    const upToMs = Math.min(nowMs, this.#quietUntilMs)
    const isThere = this.#tracker.isHigh(upToMs) === isRising
    const moment = this.#tracker.next(this.#settledMs, this.#options.direction)
    const came = isThere && this.#tracker.isHigh(this.#settledMs) !== isRising
    this.#ignored ||= came || (moment.found && moment.atMs <= upToMs)
    if (nowMs < this.#quietUntilMs) return
    if (this.#ignored && isThere) this.#happened(upToMs, nowMs)
    this.#ignored = false
  }

  /** Where nothing is made up for at the end of the quiet time, its last moment belongs to it. */
  #isQuiet(nowMs: number): boolean {
    return this.#options.tellsWhatLasts === true ? nowMs < this.#quietUntilMs : nowMs <= this.#quietUntilMs
  }

  /** One event stands for all up to now: only the fact is reported. */
  #happened(atMs: number, nowMs: number): void {
    this.#owedMs ??= atMs
    this.#quietUntilMs = Math.max(atMs + this.#options.debounceMs, nowMs)
  }

  #reportIfDue(nowMs: number): void {
    if (this.#owedMs === undefined || nowMs < this.#nextReportMs) return
    const atMs = Math.max(this.#owedMs, this.#nextReportMs)
    this.#owedMs = undefined
    this.#nextReportMs = atMs + REPORT_SPACING_MS
    this.#options.report(atMs)
  }

  #next() {
    return this.#tracker.next(Math.max(this.#settledMs, this.#quietUntilMs), this.#options.direction)
  }

  /** The end of the quiet time, where something may have to be told then. */
  #quietEndMs(): number {
    const { tellsWhatLasts, clock } = this.#options
    const matters = tellsWhatLasts === true && (this.#ignored || !this.#node.isSteady)
    return matters && clock.now() < this.#quietUntilMs ? this.#quietUntilMs : Number.POSITIVE_INFINITY
  }

  #arm(): void {
    this.#timer?.cancel()
    if (this.#ended) return
    const moment = this.#next()
    const { clock } = this.#options
    const earliestMs = moment.found ? this.#nextReportMs : clock.now() + REPORT_SPACING_MS
    const eventMs = this.#owedMs === undefined ? Math.max(moment.atMs, earliestMs) : this.#nextReportMs
    const wakeMs = Math.min(eventMs, this.#quietEndMs())
    if (wakeMs === Number.POSITIVE_INFINITY) return
    this.#timer = clock.after(Math.max(0, wakeMs - clock.now()), () => this.#wake())
  }
}

/** Where a trigger looks and whom it tells. */
export type Watched = Pick<TriggerOptions, 'clock' | 'node' | 'report'>

/** Fires when the voltage crosses the threshold from now on; what is beyond it already does not count. Spec IO rules 1 and 3. */
export function thresholdTrigger(watched: Watched, millivolt: number, direction: Direction): Trigger {
  const band = thresholdBand(millivolt, direction)
  // Inside the hysteresis the threshold has not been crossed yet.
  return new Trigger({ ...watched, band, direction, wasHigh: direction === 'falling', debounceMs: 0 })
}

/** A voltage that swings over the limit again and again is told once in this time. */
export const OVER_VOLTAGE_REPEAT_MS = 1000

/**
 * Fires when the voltage rises above the limit from now on, however briefly. What is above already does not count; what rises in the
 * quiet time does at its end, if it is still above.
 */
export function overVoltageTrigger(watched: Watched, limitVolts: number, quietUntilMs: number): Trigger {
  return new Trigger({
    ...watched,
    band: { lowVolts: limitVolts, highVolts: limitVolts },
    direction: 'rising',
    wasHigh: false,
    debounceMs: OVER_VOLTAGE_REPEAT_MS,
    quietUntilMs,
    tellsWhatLasts: true,
  })
}
