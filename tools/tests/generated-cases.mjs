// Number and seed of generated cases (fast-check).

/** Factor for the number of cases. Above 1, each run has a new seed. */
const FACTOR = Number(process.env['SLOTWIRE_CASES'] ?? 1)
/** Default number of cases. */
const USUAL_CASES = 25

/**
 * Scales a number of cases by the factor of this run.
 * @param {number} usual
 */
export function cases(usual) {
  return Math.ceil(usual * FACTOR)
}

/**
 * Parameters for fast-check. Normal runs have a fixed seed, so that only a change can cause a failure. `npm run test:long` has a new seed,
 * which fast-check prints with a failure.
 */
export const fastCheckParameters = { numRuns: cases(USUAL_CASES), ...(FACTOR > 1 ? {} : { seed: 1 }) }
