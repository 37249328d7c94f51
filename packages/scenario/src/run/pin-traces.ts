import type { Bench, PinTrace } from '@slotwire/twin'
import type { PinPlace } from '../read/field-types.ts'
import { CHART_COLUMNS, drawChart } from '../report/chart.ts'

/** A chart begins before the last action on its pin: by this share of its length, at least by BEFORE_MS. */
const BEFORE_SHARE = 0.15
const BEFORE_MS = 20

/** Records pins from the start, so that a failure can show their waveform: an alert may change a pin before an expectation reads it. */
export class PinTraces {
  readonly #bench: Bench
  readonly #now: () => number
  readonly #startMs: number
  readonly #pins = new Map<string, { readonly place: PinPlace; readonly trace: PinTrace; lastActionMs: number | undefined }>()

  constructor(bench: Bench, now: () => number) {
    this.#bench = bench
    this.#now = now
    this.#startMs = now()
  }

  /** Starts recording a pin. */
  watch(place: PinPlace): void {
    if (this.#pins.has(place.name)) return
    this.#pins.set(place.name, { place, trace: this.#bench.pin(place.slot, place.pin).record(), lastActionMs: undefined })
  }

  /** Marks the time of an action on a pin. */
  markAction(place: PinPlace): void {
    const watched = this.#pins.get(place.name)
    if (watched !== undefined) watched.lastActionMs = this.#now()
  }

  /** Recorded pins of a slot. */
  inSlot(slot: number): readonly PinPlace[] {
    return [...this.#pins.values()].map(({ place }) => place).filter((place) => place.slot === slot)
  }

  /** Waveform of the pin since shortly before the last action on it; undefined if no time has passed. */
  chart(place: PinPlace): string | undefined {
    const watched = this.#pins.get(place.name)
    if (watched === undefined) return undefined
    const { trace, lastActionMs = this.#startMs } = watched
    const toMs = this.#now()
    const beforeMs = Math.max((toMs - lastActionMs) * BEFORE_SHARE, BEFORE_MS)
    const fromMs = Math.max(lastActionMs - beforeMs, trace.sinceMs)
    if (fromMs >= toMs) return undefined
    const columns = trace.samples(fromMs, toMs, CHART_COLUMNS)
    return drawChart(columns, { title: `pin ${place.name}`, fromMs: fromMs - this.#startMs, toMs: toMs - this.#startMs })
  }

  /** Stops all recordings. */
  close(): void {
    for (const { trace } of this.#pins.values()) trace.stop()
  }
}
