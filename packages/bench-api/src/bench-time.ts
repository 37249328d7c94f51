/** The time of a virtual device, as somebody at the bench handles it. */
export interface BenchTime {
  /** The twin's time, in ms. */
  now(): number
  /** As a multiple of real time: 1 as fast, 0 not at all. Throws `RangeError` for a pace that is none. */
  pace: number
  /** Moves a clock that stands on by `ms`; resolves when all that is due until then has happened. Throws `RangeError` while it goes. */
  step(ms: number): Promise<void>
}
