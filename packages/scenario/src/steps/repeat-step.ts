import { problemOf, wholeNumber, wordingOf } from '@slotwire/core'
import type { Tree } from '@slotwire/storage'
import { type FieldType, needed } from '../read/field.ts'
import { word } from '../read/field-types.ts'
import { defineStep } from './step-kind.ts'

/** Limit of steps in one scenario. */
export const MAX_STEPS = 10_000

/** The raw tree; steps are parsed separately. */
export const stepsType: FieldType<Tree> = { wording: 'a list of steps, each beginning with -', read: (tree) => tree }

const TIMES = wholeNumber(1, MAX_STEPS)

/** How often a block runs: digits alone, as it has no unit. Undefined if it is not valid. */
export function timesIn(text: string): number | undefined {
  const times = /^\d+$/.test(text) ? Number(text) : undefined
  return problemOf(TIMES, times) === undefined ? times : undefined
}

const timesType = word(wordingOf(TIMES), (text, name) => timesIn(text) ?? `${name} ${problemOf(TIMES, text)}`)

/** Begins a block: `read-steps.ts` puts its steps behind it, as often as they run. */
export const repeat = defineStep({
  name: 'repeat',
  summary: 'Runs a list of steps several times.',
  fields: {
    times: needed(timesType, 'how often the steps run'),
    steps: needed(stepsType, 'the steps; they take after, but not at'),
  },
  run: () => undefined,
})
