/** How long and how often is measured. Rounds are measured in turn: A B A B …, and the median of their ratios counts. */
export interface Effort {
  readonly rounds: number
  /** Duration of each load. */
  readonly loadSeconds: number
  /** Requests of each of the two loads after which memory is looked at. */
  readonly memoryRequests: number
  readonly memoryRounds: number
  readonly starts: number
  readonly writes: number
  readonly alerts: number
  readonly twinRounds: number
  /** Duration of each row of exchanges through the kernel's files. */
  readonly exchangeMs: number
  /** How long many twins are left alone before it is looked at what they cost, and how long it is looked at. */
  readonly twinSettleMs: number
  readonly twinWatchMs: number
}

export const fullEffort: Effort = {
  rounds: 9,
  loadSeconds: 4,
  memoryRequests: 100_000,
  memoryRounds: 3,
  starts: 15,
  writes: 300,
  alerts: 300,
  twinRounds: 3,
  exchangeMs: 1000,
  twinSettleMs: 10_000,
  twinWatchMs: 10_000,
}

/** To see that everything runs; its figures are not worth keeping. */
export const quickEffort: Effort = {
  rounds: 3,
  loadSeconds: 1,
  memoryRequests: 20_000,
  memoryRounds: 1,
  starts: 3,
  writes: 50,
  alerts: 30,
  twinRounds: 1,
  exchangeMs: 300,
  twinSettleMs: 2000,
  twinWatchMs: 3000,
}
