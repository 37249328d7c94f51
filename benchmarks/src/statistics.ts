import type { Reading } from './row.ts'

/** The measured value below which the share `share` (0…1) of the values lies. Throws for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/** The middle value, or the mean of the two middle values. Throws for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1]
  const lower = sorted[(sorted.length - 1) >> 1]
  if (upper === undefined || lower === undefined) throw new RangeError('no values')
  return (lower + upper) / 2
}

/** One round of both sides. */
export interface Round<T> {
  readonly ours: T
  readonly other: T
}

/** Alternates between both sides: A B A B … */
export async function inTurn<T>(count: number, ours: () => Promise<T>, other: () => Promise<T>): Promise<readonly Round<T>[]> {
  const rounds: Round<T>[] = []
  while (rounds.length < count) rounds.push({ ours: await ours(), other: await other() })
  return rounds
}

/** The reading of a value of both sides: its medians for people, and the median of `figure` over all rounds. */
export function readingOf<T>(
  rounds: readonly Round<T>[],
  of: { value: (side: T) => number; text: (middle: number) => string; figure: (ours: number, other: number) => number },
): Reading {
  const { value, text, figure } = of
  return {
    measured: text(median(rounds.map(({ ours }) => value(ours)))),
    comparison: text(median(rounds.map(({ other }) => value(other)))),
    figure: median(rounds.map(({ ours, other }) => figure(value(ours), value(other)))),
  }
}
