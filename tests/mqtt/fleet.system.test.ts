import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { story } from './fleet.testkit.ts'

const SIZE = { twins: 20, seconds: 3, everyMs: 250, alerting: 6 }
const LIMIT_MS = 60_000

describeWith('mosquitto', 'twins that two processes publish', (program) => {
  it('have every value and alert on the broker when a process or the broker is killed', { timeout: LIMIT_MS }, async () => {
    const { writes, arrived, p99, awayMs, backMs } = await story(program, SIZE)
    expect(arrived / writes).toBeGreaterThan(0.95)
    expect(p99).toBeLessThan(SIZE.everyMs + 100)
    expect(awayMs).toBeLessThan(15_000)
    expect(backMs).toBeLessThan(30_000)
  })
})
