import type { Measurement } from './row.ts'

/** The measured value below which the share `share` (0…1) of the values lies. Throws for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/** The middle value, or the lower one of the two middle values. Throws for an empty list. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** One round of both sides. */
export type Round<T> = Readonly<Record<'ours' | 'other', T>>

/** Alternates between both sides: A B A B … */
export async function inTurn<T>(count: number, ours: () => Promise<T>, other: () => Promise<T>): Promise<readonly Round<T>[]> {
  const rounds: Round<T>[] = []
  while (rounds.length < count) rounds.push({ ours: await ours(), other: await other() })
  return rounds
}

export const ratio = (ours: number, other: number): number => ours / other
export const difference = (ours: number, other: number): number => ours - other

/** The reading of a value of both sides, in a unit. `figure`: what the target is about, for each round. */
export function compare<Name extends string>(
  rounds: readonly Round<Readonly<Record<Name, number>>>[],
  name: Name,
  unit: string,
  figure: (ours: number, other: number) => number,
): Measurement {
  const text = (side: keyof Round<unknown>): string =>
    `${Number(median(rounds.map((round) => round[side][name])).toPrecision(4))} ${unit}`
  const figures = rounds.map(({ ours, other }) => figure(ours[name], other[name]))
  return { measured: text('ours'), comparison: text('other'), figures }
}
