import type { Bench, PinTrace } from '@slotwire/twin'
import type { PinPlace } from '../read/field-types.ts'
import { type PinWaveform, WAVEFORM_COLUMNS } from '../report/chart.ts'

/** A chart begins before the last action on its pin: by this share of its length, at least by BEFORE_MS. */
const BEFORE_SHARE = 0.15
const BEFORE_MS = 20

/** Records pins from the start, so that a failure can show their waveform: an alert may change a pin before an expectation reads it. */
export class PinTraces {
  readonly #startMs: number
  readonly #pins = new Map<string, { readonly place: PinPlace; readonly trace: PinTrace; lastActionMs: number | undefined }>()

  /** Without a bench it records nothing. */
  constructor(
    private readonly bench: Bench | undefined,
    private readonly now: () => number,
  ) {
    this.#startMs = now()
  }

  /** Starts recording a pin. */
  watch(place: PinPlace): void {
    if (this.bench === undefined || this.#pins.has(place.name)) return
    const trace = this.bench.pin(place.slot, place.pin).record()
    this.#pins.set(place.name, { place, trace, lastActionMs: undefined })
  }

  /** Marks the time of an action on a pin. */
  markAction(place: PinPlace): void {
    const watched = this.#pins.get(place.name)
    if (watched !== undefined) watched.lastActionMs = this.now()
  }

  /** Recorded pins of a slot. */
  inSlot(slot: number): readonly PinPlace[] {
    return [...this.#pins.values()].map(({ place }) => place).filter((place) => place.slot === slot)
  }

  /** Waveforms of recorded pins over the same time, since shortly before the last action on each; none if no time has passed. */
  waveforms(places: readonly PinPlace[]): readonly PinWaveform[] {
    const watched = places.flatMap((place) => this.#pins.get(place.name) ?? [])
    const toMs = this.now()
    const begins = watched.map(({ lastActionMs = this.#startMs }) => {
      const beforeMs = Math.max((toMs - lastActionMs) * BEFORE_SHARE, BEFORE_MS)
      return lastActionMs - beforeMs
    })
    const fromMs = Math.max(Math.min(...begins), ...watched.map(({ trace }) => trace.sinceMs))
    if (fromMs >= toMs) return []
    return watched.map(({ place, trace }) => ({
      pin: place.name,
      fromMs: fromMs - this.#startMs,
      toMs: toMs - this.#startMs,
      columns: trace.samples(fromMs, toMs, WAVEFORM_COLUMNS).map(({ lowVolts, highVolts }) => ({ lowVolts, highVolts })),
    }))
  }

  /** Stops all recordings. */
  close(): void {
    for (const { trace } of this.#pins.values()) trace.stop()
  }
}
