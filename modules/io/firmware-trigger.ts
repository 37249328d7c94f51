import type { Clock, Timer } from '@slotwire/core'
import { type Band, type CircuitNode, type Direction, LevelTracker, type Moment } from '@slotwire/twin'
import { thresholdBand } from './circuit.ts'

/** Reports of one trigger are at least this far apart. Events in between are reported together, so a fast signal costs no more. */
export const REPORT_SPACING_MS = 5
/**
 * Where one search cannot look far enough, because sources of similar speed have no common period, the changes are searched in chunks: this
 * many, then a pause of one report interval. Changes in between are missed; decision 20 says how fast the sources must be for that.
 */
const CHUNKS_AT_ONCE = 2

export interface TriggerOptions {
  readonly clock: Clock
  readonly node: CircuitNode
  readonly band: Band
  readonly direction: Direction
  /** The assumed level while the voltage is inside the band. */
  readonly wasHigh: boolean
  readonly debounceMs: number
  /** Events up to this moment are ignored. */
  readonly quietUntilMs?: number
  /** Whether a level that began in the ignored time and still lasts at its end counts as an event then. */
  readonly reportsLasting?: boolean
  /** Called with the moment of an event, at that moment or a little later. */
  readonly report: (atMs: number) => void
}

/**
 * Watches a level for changes in one direction. After an event all others are ignored for the debounce time. Events within the report
 * interval are reported at its end. It sleeps until the next moment that can matter.
 */
export class Trigger {
  #tracker: LevelTracker
  #node: CircuitNode
  /** All events up to here have been handled. */
  #settledMs: number
  /** Events up to here are ignored. */
  #quietUntilMs: number
  /** Whether an event was ignored since. */
  #ignored = false
  /** No report before this moment. */
  #nextReportMs = Number.NEGATIVE_INFINITY
  /** An event that waits to be reported. */
  #pendingMs: number | undefined
  #timer: Timer | undefined
  /** The last search: the timer that it set repeats it. */
  #search: { readonly tracker: LevelTracker; readonly fromMs: number; readonly moment: Moment } | undefined
  #ended = false

  constructor(private readonly options: TriggerOptions) {
    this.#settledMs = options.clock.now()
    this.#quietUntilMs = options.quietUntilMs ?? Number.NEGATIVE_INFINITY
    this.#node = options.node
    this.#tracker = new LevelTracker(options.node, options.band, this.#settledMs, options.wasHigh)
    this.#arm()
  }

  /** Call this when the node has changed, before any other call. */
  changed(node: CircuitNode): void {
    if (node === this.#node) return
    const nowMs = this.options.clock.now()
    this.#settle(nowMs)
    const wasHigh = this.#tracker.isHigh(nowMs)
    this.#node = node
    this.#tracker = this.#tracker.movedTo(node, nowMs)
    const isHigh = this.#tracker.isHigh(nowMs)
    const jumped = isHigh !== wasHigh && isHigh === (this.options.direction === 'rising')
    if (jumped && this.#isQuiet(nowMs)) this.#ignored = true
    else if (jumped) this.#happened(nowMs, nowMs)
    this.#reportIfDue(nowMs)
    this.#arm()
  }

  /** Reports the events so far, and stops. */
  finish(): void {
    const nowMs = this.options.clock.now()
    this.#settle(nowMs)
    this.cancel()
    if (this.#pendingMs !== undefined) this.options.report(Math.max(this.#pendingMs, this.#nextReportMs))
  }

  /** Stops and drops events that were not reported. A report may call it. */
  cancel(): void {
    this.#ended = true
    this.#timer?.cancel()
  }

  #wake(): void {
    const nowMs = this.options.clock.now()
    this.#settle(nowMs)
    this.#reportIfDue(nowMs)
    this.#arm()
  }

  #settle(nowMs: number): void {
    if (this.options.reportsLasting === true && this.#settledMs < this.#quietUntilMs) this.#settleQuiet(nowMs)
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
    const isRising = this.options.direction === 'rising'
    const upToMs = Math.min(nowMs, this.#quietUntilMs)
    const isThere = this.#tracker.isHigh(upToMs) === isRising
    const moment = this.#tracker.next(this.#settledMs, this.options.direction)
    const came = isThere && this.#tracker.isHigh(this.#settledMs) !== isRising
    this.#ignored ||= came || (moment.found && moment.atMs <= upToMs)
    if (nowMs < this.#quietUntilMs) return
    if (this.#ignored && isThere) this.#happened(upToMs, nowMs)
    this.#ignored = false
  }

  /** Without a check at the end of the quiet time, its last moment is part of it. */
  #isQuiet(nowMs: number): boolean {
    return this.options.reportsLasting === true ? nowMs < this.#quietUntilMs : nowMs <= this.#quietUntilMs
  }

  /** One event represents all so far: only the fact is reported. */
  #happened(atMs: number, nowMs: number): void {
    this.#pendingMs ??= atMs
    this.#quietUntilMs = Math.max(atMs + this.options.debounceMs, nowMs)
  }

  #reportIfDue(nowMs: number): void {
    if (this.#pendingMs === undefined || nowMs < this.#nextReportMs) return
    const atMs = Math.max(this.#pendingMs, this.#nextReportMs)
    this.#pendingMs = undefined
    this.#nextReportMs = atMs + REPORT_SPACING_MS
    this.options.report(atMs)
  }

  #next(): Moment {
    const tracker = this.#tracker
    const fromMs = Math.max(this.#settledMs, this.#quietUntilMs)
    if (this.#search?.tracker !== tracker || this.#search.fromMs !== fromMs)
      this.#search = { tracker, fromMs, moment: tracker.next(fromMs, this.options.direction) }
    return this.#search.moment
  }

  /** The end of the quiet time, if something may have to be reported then. */
  #quietEndMs(): number {
    const { reportsLasting, clock } = this.options
    const matters = reportsLasting === true && (this.#ignored || !this.#node.isSteady)
    return matters && clock.now() < this.#quietUntilMs ? this.#quietUntilMs : Number.POSITIVE_INFINITY
  }

  #arm(): void {
    this.#timer?.cancel()
    if (this.#ended) return
    const moment = this.#next()
    const { clock } = this.options
    const earliestMs = moment.found ? this.#nextReportMs : clock.now() + REPORT_SPACING_MS
    const eventMs = this.#pendingMs === undefined ? Math.max(moment.atMs, earliestMs) : this.#nextReportMs
    const wakeMs = Math.min(eventMs, this.#quietEndMs())
    if (wakeMs === Number.POSITIVE_INFINITY) return
    this.#timer = clock.after(Math.max(0, wakeMs - clock.now()), () => this.#wake())
  }
}

/** The signal of a trigger and the receiver of its reports. */
export type Watched = Pick<TriggerOptions, 'clock' | 'node' | 'report'>

/** Fires when the voltage crosses the threshold from now on. A voltage that is beyond it already does not count. Spec IO rules 1 and 3. */
export function thresholdTrigger(watched: Watched, millivolt: number, direction: Direction): Trigger {
  const band = thresholdBand(millivolt, direction)
  // Inside the hysteresis the threshold counts as not crossed.
  return new Trigger({ ...watched, band, direction, wasHigh: direction === 'falling', debounceMs: 0 })
}

/** A voltage that crosses the limit repeatedly is reported once in this time. */
export const OVER_VOLTAGE_REPEAT_MS = 1000

/**
 * Fires when the voltage rises above the limit from now on, however briefly. A voltage that is already above does not count. A rise in
 * the quiet time counts at its end if the voltage is still above.
 */
export function overVoltageTrigger(watched: Watched, limitVolts: number, quietUntilMs: number): Trigger {
  return new Trigger({
    ...watched,
    band: { lowVolts: limitVolts, highVolts: limitVolts },
    direction: 'rising',
    wasHigh: false,
    debounceMs: OVER_VOLTAGE_REPEAT_MS,
    quietUntilMs,
    reportsLasting: true,
  })
}
