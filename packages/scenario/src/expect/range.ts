import type { Figure } from '../read/quantity.ts'

/** What a text means that is written as a range: `4.9..5.2`, `10..`, `..10`, `>= 10`, `> 10`, `<= 10`, `< 10`. */
export type RangeText =
  | { readonly includes: (value: number) => boolean }
  /** One of its figures is none. */
  | { readonly noFigure: string }
  /** Its figures are right, but it is no range. */
  | { readonly noRange: string }

const COMPARISON = /^(>=|<=|>|<) ?(.+)$/
const COMPARED: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '>=': (value, limit) => value >= limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '<': (value, limit) => value < limit,
}

/** Reads a range whose figures `figureOf` reads; undefined for a text that is written as none. */
export function readRange(text: string, figureOf: (text: string) => Figure): RangeText | undefined {
  const [, sign = '', limit] = COMPARISON.exec(text) ?? []
  const compared = COMPARED[sign]
  if (compared !== undefined && limit !== undefined) {
    const figure = figureOf(limit)
    return 'problem' in figure ? { noFigure: figure.problem } : { includes: (value) => compared(value, figure.value) }
  }
  const bounds = text.split('..')
  return bounds.length < 2 || bounds.every((bound) => bound === '') ? undefined : between(bounds, figureOf)
}

function between(bounds: readonly string[], figureOf: (text: string) => Figure): RangeText {
  const figures = bounds.map((bound) => (bound === '' ? undefined : figureOf(bound)))
  for (const figure of figures) if (figure !== undefined && 'problem' in figure) return { noFigure: figure.problem }
  const values = figures.map((figure) => (figure !== undefined && 'value' in figure ? figure.value : undefined))
  const [min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY] = values
  if (values.length > 2) return { noRange: 'has more than two ends: write two figures, as in 4.9..5.2' }
  if (min > max) return { noRange: 'holds nothing: write the lower figure first' }
  return { includes: (value) => value >= min && value <= max }
}
