import { Steady } from '../branch.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

/** A short circuit to ground. */
export const short = defineElement<object>({
  kind: 'short',
  summary: 'a short circuit to ground',
  description: () => 'short to ground',
  branch: () => new Steady({ volts: 0, ohms: IDEAL_OHMS }),
})
