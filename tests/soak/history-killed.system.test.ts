import { seededRandom } from '@slotwire/core'
import { expect, it } from 'vitest'
import { killAndCheck } from './history-killed.testkit.ts'

it('keeps a whole and ordered history with all but the last second when the process is killed', async () => {
  const lanes = [1, 2, 3, 4].map((seed) => killAndCheck(3, seededRandom(seed)))
  expect(Math.min(...(await Promise.all(lanes)))).toBeGreaterThan(0)
})
