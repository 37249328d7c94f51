import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { story } from './fleet.testkit.ts'

const SIZE = { twins: 20, seconds: 3, everyMs: 250, alerting: 6 }
const LIMIT_MS = 60_000

describeWith('mosquitto', 'two bridges that share twins', (program) => {
  it('bring values through, and lose no alert when one of them or the broker is killed', { timeout: LIMIT_MS }, async () => {
    const { writes, arrived, p99, found, awayMs, backMs } = await story(program, SIZE)
    expect(Object.keys(found)).toHaveLength(2)
    expect(arrived / writes).toBeGreaterThan(0.95)
    expect(p99).toBeLessThan(SIZE.everyMs + 100)
    expect(awayMs).toBeLessThan(10_000)
    expect(backMs).toBeLessThan(30_000)
  })
})
