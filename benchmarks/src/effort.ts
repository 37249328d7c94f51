/** Duration and number of measurements. Rounds alternate between both sides (A B A B …); the median of their ratios counts. */
export type Effort = Readonly<typeof fullEffort>

export const fullEffort = {
  rounds: 9,
  /** Duration of each load. */
  loadSeconds: 4,
  /** Number of requests in each of the two loads, after which memory is measured. */
  memoryRequests: 100_000,
  memoryRounds: 3,
  starts: 15,
  writes: 300,
  alerts: 300,
  twinRounds: 3,
  /** Duration of each series of reads through the kernel's files. */
  exchangeMs: 1000,
  /** Time that many twins idle before their cost is measured, and duration of the measurement. */
  twinSettleMs: 10_000,
  twinWatchMs: 10_000,
  /** The same for one device at rest: by then V8 has compiled what runs often. */
  restSettleMs: 60_000,
  restWatchMs: 60_000,
}

/** A short run to check that everything works; its results mean nothing. */
export const quickEffort: Effort = {
  rounds: 3,
  loadSeconds: 1,
  // As many as in the full run: with fewer, the young generation still grows during the second load.
  memoryRequests: fullEffort.memoryRequests,
  memoryRounds: 1,
  starts: 3,
  writes: 50,
  alerts: 30,
  twinRounds: 1,
  exchangeMs: 300,
  twinSettleMs: 2000,
  twinWatchMs: 3000,
  restSettleMs: 2000,
  restWatchMs: 3000,
}
