import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { story } from './fleet.testkit.ts'

const SIZE = { twins: 250, seconds: 18, everyMs: 1000, alerting: 10 }
const LIMIT_MS = 400_000

describeWith('mosquitto', '250 twins that two processes publish', (program) => {
  it('bring a thousand values a second through, and lose no alert', { timeout: LIMIT_MS }, async () => {
    const { writes, arrived, perSecond, p99, awayMs, backMs } = await story(program, SIZE)
    // A pin that changes twice between two looks shows one of them.
    expect(arrived / writes).toBeGreaterThan(0.95)
    expect(perSecond).toBeGreaterThan(950)
    expect(p99).toBeLessThan(SIZE.everyMs + 100)
    expect(awayMs).toBeLessThan(15_000)
    expect(backMs).toBeLessThan(30_000)
  })
})
