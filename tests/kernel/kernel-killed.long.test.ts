import { seededRandom, systemRandom } from '@slotwire/core'
import { afterEach, beforeEach, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { atPayload, KilledService } from './kernel-killed.testkit.ts'

const MAX_SEED = 1_000_000
const { SLOTWIRE_KILLS: kills = '1000', SLOTWIRE_KILLS_SEED: seed = String(Math.floor(systemRandom() * MAX_SEED)) } = process.env
/** Approximate number of payloads for a power configuration and two outputs. */
const PAYLOADS = 60
/** Time limit for a kill and a start, on a busy machine. */
const MAX_CYCLE_MS = 10_000

describeWith('socat', `a service that is killed ${kills} times at random moments (seed ${seed})`, (socat) => {
  let killed: KilledService
  beforeEach(async () => (killed = await KilledService.switchedOn(socat)))
  afterEach(() => killed.remove())

  it(
    'leaves all outputs off, no process and no open file each time, and the next start serves',
    async () => {
      const random = seededRandom(Number(seed))
      for (let kill = 1; kill <= Number(kills); kill++) await killed.kill(atPayload(1 + Math.floor(random() * PAYLOADS)))
    },
    Number(kills) * MAX_CYCLE_MS + MAX_CYCLE_MS,
  )
})
