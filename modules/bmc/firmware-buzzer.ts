import type { Clock } from '@slotwire/core'

/** How many notes are remembered; older ones are forgotten. */
export const BUZZER_RECORD_LIMIT = 100
/** MODE_BUZZER modes below this one switch the internal sounds; this one plays sound 1. */
const FIRST_SOUND_MODE = 2

/** A sound that was played, 1…4. */
export interface BuzzerNote {
  readonly sound: number
  readonly startMs: number
  /** Earlier than asked for when it was silenced or followed by the next. */
  readonly endMs: number
}

/** The buzzer, and what was heard of it. Spec "BMC service" rules 1 and 2. */
export class Buzzer {
  readonly #clock: Clock
  readonly #record: BuzzerNote[] = []
  #internalSounds = true

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Oldest first. */
  get record(): readonly BuzzerNote[] {
    return this.#record
  }

  get internalSounds(): boolean {
    return this.#internalSounds
  }

  /** The note that sounds now. */
  get playing(): BuzzerNote | undefined {
    const last = this.#record.at(-1)
    return last !== undefined && last.endMs > this.#clock.now() ? last : undefined
  }

  /** Mode 0, 1: internal sounds off, on. Mode 2…5: plays sound 1…4 in place of what sounds now. */
  command(mode: number, durationMs: number): void {
    if (mode < FIRST_SOUND_MODE) {
      this.#internalSounds = mode === 1
      return
    }
    this.silence()
    const startMs = this.#clock.now()
    this.#record.push({ sound: mode - FIRST_SOUND_MODE + 1, startMs, endMs: startMs + durationMs })
    if (this.#record.length > BUZZER_RECORD_LIMIT) this.#record.shift()
  }

  silence(): void {
    const { playing } = this
    if (playing !== undefined) this.#record[this.#record.length - 1] = { ...playing, endMs: this.#clock.now() }
  }

  reset(): void {
    this.silence()
    this.#internalSounds = true
  }
}
