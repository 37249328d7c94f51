import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { interleaving, type Outcome, SLOTS, type Step } from './interleaving.testkit.ts'

/** 100,000 in the long tier. */
const CASES = cases(2500)
const MAX_CASE_MS = 100

const client = fc.integer({ min: 0, max: 2 })
const slot = fc.constantFrom(...SLOTS)
const rarely = fc.integer({ min: 0, max: 9 }).map((number) => number === 0)
const write = fc.record({
  do: fc.constant('write' as const),
  client,
  slot,
  reach: rarely.map((all) => (all ? ('device' as const) : undefined)),
  stale: rarely,
})
const grant = fc.record({
  do: fc.constant('grant' as const),
  client,
  slots: fc.subarray([...SLOTS], { minLength: 1 }),
  ttlMs: fc.integer({ min: 50, max: 900 }),
  onLapse: fc.constantFrom('keep' as const, 'safe' as const),
  force: fc.boolean(),
})
const wait = fc.integer({ min: 0, max: 60 }).map((ms) => ({ do: 'wait' as const, ms }))
const pause = fc.integer({ min: 100, max: 700 }).map((ms) => ({ do: 'wait' as const, ms }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: write },
  { weight: 5, arbitrary: grant },
  { weight: 8, arbitrary: wait },
  { weight: 1, arbitrary: pause },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('renew' as const, 'giveBack' as const, 'revoke' as const), client }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('unplug' as const, 'plug' as const), slot }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hang' as const, 'recover' as const), slot }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'up' as const) }) },
)

it(
  'lets no write of another through while a lease holds, and makes modules safe in time, in any interleaving',
  async () => {
    const total = { executed: 0, refused: 0, takeovers: 0, madeSafe: 0, fell: 0 }
    const count = (outcome: Outcome) => {
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += outcome[name]
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 30 }),
        fc.integer({ min: 0, max: 30 }),
        async (steps, exchangeMs) => {
          const outcome = await interleaving(steps, exchangeMs)
          count(outcome)
          expect(outcome.faults).toEqual([])
        },
      ),
      { numRuns: CASES },
    )
    // Each of these has happened, often.
    for (const often of Object.values(total)) expect(often).toBeGreaterThan(CASES / 200)
  },
  CASES * MAX_CASE_MS,
)
