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
}

export const fullEffort: Effort = {
  rounds: 9,
  loadSeconds: 4,
  memoryRequests: 100_000,
  memoryRounds: 3,
  starts: 15,
  writes: 300,
  alerts: 300,
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
}
