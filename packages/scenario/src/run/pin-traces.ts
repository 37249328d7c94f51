import type { Bench, PinTrace } from '@slotwire/twin'
import type { PinPlace } from '../read/field-types.ts'
import { CHART_COLUMNS, drawChart } from '../report/chart.ts'

/** Before what was done to the pin last, a little is shown, too: this share of the whole, but no less than so many ms. */
const BEFORE_SHARE = 0.15
const BEFORE_MS = 20

/** Watches pins from the beginning, so that a failure can show what they did: an alert has changed the pin before anybody looks. */
export class PinTraces {
  readonly #bench: Bench
  readonly #now: () => number
  readonly #startMs: number
  readonly #pins = new Map<string, { readonly place: PinPlace; readonly trace: PinTrace; actedMs: number | undefined }>()

  constructor(bench: Bench, now: () => number) {
    this.#bench = bench
    this.#now = now
    this.#startMs = now()
  }

  /** Looks at a pin from now on. */
  watch(place: PinPlace): void {
    if (this.#pins.has(place.name)) return
    this.#pins.set(place.name, { place, trace: this.#bench.pin(place.slot, place.pin).record(), actedMs: undefined })
  }

  /** Notes that something is done to a pin. */
  acted(place: PinPlace): void {
    const watched = this.#pins.get(place.name)
    if (watched !== undefined) watched.actedMs = this.#now()
  }

  /** Pins that are watched in a slot. */
  inSlot(slot: number): readonly PinPlace[] {
    return [...this.#pins.values()].map(({ place }) => place).filter((place) => place.slot === slot)
  }

  /** What the pin did since something was done to it last, and a little before; undefined where no time has passed. */
  chart(place: PinPlace): string | undefined {
    const watched = this.#pins.get(place.name)
    if (watched === undefined) return undefined
    const { trace, actedMs = this.#startMs } = watched
    const toMs = this.#now()
    const beforeMs = Math.max((toMs - actedMs) * BEFORE_SHARE, BEFORE_MS)
    const fromMs = Math.max(actedMs - beforeMs, trace.sinceMs)
    if (fromMs >= toMs) return undefined
    const columns = trace.samples(fromMs, toMs, CHART_COLUMNS)
    return drawChart(columns, { title: `pin ${place.name}`, fromMs: fromMs - this.#startMs, toMs: toMs - this.#startMs })
  }

  /** Looks at nothing any more. */
  close(): void {
    for (const { trace } of this.#pins.values()) trace.stop()
  }
}
