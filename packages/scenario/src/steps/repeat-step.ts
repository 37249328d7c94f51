import { integer, wordOf } from '@slotwire/contract'
import { orElse } from '@slotwire/core'
import type { Tree } from '@slotwire/storage'
import { type FieldType, needed } from '../read/field.ts'
import { leaf } from '../read/field-types.ts'
import { defineStep } from './step-kind.ts'

/** Limit of steps in one scenario. */
export const MAX_STEPS = 10_000

/** The raw tree; steps are parsed separately. */
export const stepsType: FieldType<Tree> = { wording: 'a list of steps, each beginning with -', read: (tree) => tree }

const TIMES = integer({ min: 1, max: MAX_STEPS })

/** How often a block runs; undefined if that is not valid. */
export const timesIn = (text: string): number | undefined => orElse(undefined, () => wordOf(TIMES).read(text, ''))

/** Begins a block: `read-steps.ts` puts its steps behind it, as often as they run. */
export const repeat = defineStep({
  name: 'repeat',
  summary: 'Runs a list of steps several times.',
  fields: {
    times: needed(leaf(TIMES), 'how often the steps run'),
    steps: needed(stepsType, 'the steps; they take after, but not at'),
  },
  run: () => undefined,
})
