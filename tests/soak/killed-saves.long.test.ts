import { SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const MAX_SEED = 1_000_000
const { SLOTWIRE_KILLS: kills = '1000', SLOTWIRE_KILLS_SEED: seed = String(Math.floor(systemRandom() * MAX_SEED)) } = process.env
/** Latest kill after the first save: about ten saves. */
const LATEST_KILL_MS = 40
/** Time limit for a start and a kill, on a busy machine. */
const MAX_CYCLE_MS = 10_000
/** The first timeout that is saved; a short one would restart the device. */
const FIRST_TIMEOUT_MS = 100_000

describe(`a service with a virtual device that is killed ${kills} times while a client saves (seed ${seed})`, () => {
  const state = temporaryFolder()
  const clock = new SystemClock()

  it(
    'starts each time with the last acknowledged save, or the one that was not acknowledged yet',
    async () => {
      const random = seededRandom(Number(seed))
      let [acknowledged, sent] = [0, FIRST_TIMEOUT_MS]
      for (let kill = 1; kill <= Number(kills); kill++) {
        const words = ['serve', '--json', '--hardware', 'twin', '--port', '0', '--state', state, '--log-level', 'silent']
        const service = new SlotwireProcess(words)
        const watchdog = `${(JSON.parse(await service.firstLine()) as Announcement).urls[0]}/api/bmc/1.0/0/watchdog`
        const { timeout } = (await (await fetch(watchdog)).json()) as { timeout: number }
        expect(kill === 1 ? [0] : [acknowledged, sent]).toContain(timeout)
        acknowledged = timeout
        const killed = clock.after(random() * LATEST_KILL_MS, () => service.child.kill('SIGKILL'))
        try {
          for (;;) {
            sent += 1
            const body = JSON.stringify({ timeout: sent })
            const set = await fetch(watchdog, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
            const saved = await fetch(`${watchdog}/save`)
            expect([set.status, saved.status]).toEqual([200, 200])
            acknowledged = sent
          }
        } catch (error) {
          // A killed service answers nothing.
          if (!(error instanceof TypeError)) throw error
        }
        killed.cancel()
        await service.ended
      }
      expect(sent).toBeGreaterThan(FIRST_TIMEOUT_MS + Number(kills))
    },
    (Number(kills) + 1) * MAX_CYCLE_MS,
  )
})
