import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { story } from './fleet.testkit.ts'

const SIZE = { twins: 250, seconds: 18, everyMs: 1000, alerting: 10 }
const LIMIT_MS = 400_000

describeWith('mosquitto', '250 twins that two processes publish', (program) => {
  it('bring a thousand values a second through, and lose no alert', { timeout: LIMIT_MS }, async () =>
    expect(await story(program, SIZE)).toBeGreaterThan(950),
  )
})
