/** The time of a virtual device, for the bench. */
export interface BenchTime {
  /** Twin time, in ms. */
  now(): number
  /** Multiple of real time: 1 for real time, 0 to pause. Throws `RangeError` for an invalid pace. */
  pace: number
  /** Advances a paused clock by `ms`; resolves when everything due until then has happened. Throws `RangeError` if the clock runs. */
  step(ms: number): Promise<void>
}
