import { SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { allRequests, Clients } from './endurance.testkit.ts'
import { MeasuredService, type Memory } from './measured-service.testkit.ts'

const MAX_SEED = 1_000_000
const {
  SLOTWIRE_ENDURANCE_MINUTES: minutes = '60',
  SLOTWIRE_ENDURANCE_SEED: seed = String(Math.floor(systemRandom() * MAX_SEED)),
} = process.env
const CLIENTS = 64
const MINUTE_MS = 60_000
const SAMPLE_MS = 5000
/** Share after which caches are full and code is compiled. */
const WARM = 0.25
/** Allowed growth of live memory after that, for other reasons than a leak. */
const MAX_LIVE_GROWTH_BYTES = 4_000_000
/** Allowed growth of resident memory from the start to the end, mostly V8's free space: docs/performance.md. */
const MAX_RESIDENT_GROWTH_BYTES = 60_000_000
/** The documented 5xx that this load may cause: a client restarts the device once a minute. */
const DOCUMENTED = /^(502 .*the device is restarting|503 .*requests waiting already)/

describe(`${CLIENTS} clients at both doors for ${minutes} minutes (seed ${seed})`, () => {
  const state = temporaryFolder()
  const clock = new SystemClock()
  let service: MeasuredService
  beforeAll(async () => (service = await MeasuredService.start(state)))
  afterAll(async () => {
    await service.process.remove()
  })

  const live = ({ after }: Memory): number => after.heapUsed + after.external

  it(
    'get answers to all valid requests, no undocumented 5xx, and leave no memory behind',
    async () => {
      const fresh = await service.memory()
      const clients = new Clients({ service, clock, requests: allRequests(Number(seed)), random: seededRandom(Number(seed)) })
      clients.start(CLIENTS)
      const fromMs = clock.now()
      const isBefore = (share: number): boolean => clock.now() < fromMs + share * Number(minutes) * MINUTE_MS
      let peak = 0
      const sample = async (): Promise<void> => {
        await clock.sleep(SAMPLE_MS)
        peak = Math.max(peak, service.resident())
      }
      while (isBefore(WARM)) await sample()
      const warm = await service.memory()
      while (isBefore(1)) await sample()
      await clients.stop()
      const end = await service.memory()
      process.stdout.write(`seed ${seed}: ${JSON.stringify({ fresh, warm, peak, end, answered: [...clients.answered] })}\n`)
      const answered = [...clients.answered.keys()]
      expect(answered.filter((name) => name.startsWith('5') && !DOCUMENTED.test(name))).toEqual([])
      expect(answered).toEqual(expect.arrayContaining(['200', '400', '401', '429']))
      expect(live(end) - live(warm)).toBeLessThan(MAX_LIVE_GROWTH_BYTES)
      expect(end.after.rss - fresh.after.rss).toBeLessThan(MAX_RESIDENT_GROWTH_BYTES)
    },
    (Number(minutes) + 1) * MINUTE_MS + MINUTE_MS,
  )
})
