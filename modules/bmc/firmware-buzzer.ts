import type { Clock } from '@slotwire/core'

/** Most recorded notes; older ones are dropped. */
export const BUZZER_RECORD_LIMIT = 100
/** Lower MODE_BUZZER modes switch the internal sounds; this one plays sound 1. */
const FIRST_SOUND_MODE = 2

/** A sound that was played, 1…4. */
export interface BuzzerNote {
  readonly sound: number
  readonly startMs: number
  /** Earlier than requested if it was silenced or replaced by the next. */
  readonly endMs: number
}

/** The buzzer, with a record of what it played. Spec "BMC service" rules 1 and 2. */
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

  /** The note that is playing now. */
  get playing(): BuzzerNote | undefined {
    const last = this.#record.at(-1)
    return last !== undefined && last.endMs > this.#clock.now() ? last : undefined
  }

  /** Mode 0, 1: internal sounds off, on. Mode 2…5: plays sound 1…4 and stops the current one. */
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
