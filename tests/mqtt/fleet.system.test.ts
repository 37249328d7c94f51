import { it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { story } from './fleet.testkit.ts'

const SIZE = { twins: 20, seconds: 3, everyMs: 250, alerting: 6 }
const LIMIT_MS = 60_000

describeWith('mosquitto', 'twins that two processes publish', (program) => {
  it('have every value and alert on the broker when a process or the broker is killed', { timeout: LIMIT_MS }, () =>
    story(program, SIZE),
  )
})
