// How many cases a test generates (fast-check), and from which seed.

/** `SLOTWIRE_CASES=40` generates so many times as many, from a seed of its own in each run. */
const FACTOR = Number(process.env['SLOTWIRE_CASES'] ?? 1)
/** Of a property that names no number. */
const USUAL_CASES = 25

/**
 * As many generated cases as this run wants, where a test wants `usual` of them.
 * @param {number} usual
 */
export function cases(usual) {
  return Math.ceil(usual * FACTOR)
}

/**
 * What fast-check goes by. The seed is the same in every usual run: a change is never refused for a case that it has nothing to do with.
 * `npm run test:long` draws another seed each time; fast-check prints it with a failure.
 */
export const fastCheckParameters = { numRuns: cases(USUAL_CASES), ...(FACTOR > 1 ? {} : { seed: 1 }) }
