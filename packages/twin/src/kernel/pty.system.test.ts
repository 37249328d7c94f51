import { SystemClock } from '@slotwire/core'
import { expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { launcher } from './launcher.ts'
import { Pty } from './pty.ts'

const ATTEMPTS = 60

describeWith('socat', 'the launcher of pseudo-terminals', (socat) => {
  it('ends with those that it has just begun to open', async () => {
    const clock = new SystemClock()
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const opening = [Pty.open(socat), Pty.open(socat)]
      for (const each of opening) each.catch(() => undefined)
      await clock.sleep(attempt % 8)
      await launcher.close()
    }
    expect(await launcher.run('echo back >&2', /back/)).toBeTruthy()
  })
})
