import { ClientError } from '@slotwire/client'
import { SystemClock, seededRandom } from '@slotwire/core'
import { crcErrors, hang, lateFrames, lostFrames, reboot } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { connected, servedTwin } from './client.testkit.ts'

const CALLS = 10_000
const WORKERS = 64
const DEADLINE_MS = 4000
/** A busy machine answers late. */
const TOLERANCE_MS = 1500
const FAULT_EVERY_MS = 250
const LIMIT_MS = 180_000
const SLOTS = [3, 5] as const
const AWAY_MS = 50
/** The whole device restarts at these calls. */
const RESTARTS = [3000, 6000]
const FIRST_MILLIVOLT = 50

it(
  'ends every one of 10,000 calls within its deadline, does no write twice, and sets each session up once',
  async () => {
    const random = seededRandom(18)
    const clock = new SystemClock()
    const { twin, url } = await servedTwin()
    const device = await connected(url, {
      deadlineMs: DEADLINE_MS,
      random: seededRandom(19),
      // Some requests are slow, do not leave, or lose their answer.
      transport: async (path, init) => {
        const chance = random()
        if (chance < 0.01) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
        if (chance < 0.03) await clock.sleep(100, init.signal)
        const response = await fetch(url + path, init)
        if (chance < 0.98 || path.startsWith('/slotwire/events')) return response
        await response.arrayBuffer()
        throw Object.assign(new Error('the answer was lost'), { code: 'ECONNRESET' })
      },
    })
    const sessions: (string | undefined)[] = []
    device.on('setup', ({ slot, error }) => {
      if (error === undefined && slot === 3) sessions.push(device.io(3).session)
    })
    const setup = () =>
      device.io(3).setup(async (io) => {
        await io.pin(6).mode('digital', { idempotent: true })
      })
    await setup()
    const witness = await connected(url)
    const records = witness.events({ kinds: ['write'] })
    await records.ready
    const done = new Map<number, number>()
    const watching = (async () => {
      for await (const entry of records) {
        expect(entry.kind).toBe('write')
        if (!('status' in entry) || entry['status'] !== 200) continue
        const millivolt = Number((entry['body'] as { threshold_millivolt?: number } | undefined)?.threshold_millivolt)
        done.set(millivolt, (done.get(millivolt) ?? 0) + 1)
      }
    })()
    const modules = SLOTS.map((slot) => device.io(slot))
    const succeeded: number[] = []
    const kinds = new Map<string, number>()
    let next = 0
    const work = async (): Promise<void> => {
      while (next < CALLS) {
        const number = next++
        const io = modules[number % modules.length]
        const begun = clock.now()
        const isWrite = random() < 0.5
        const pin = 1 + Math.floor(random() * 4)
        const threshold = { threshold_millivolt: FIRST_MILLIVOLT + number, trigger: 'rising' } as const
        try {
          await (isWrite ? io?.pin(pin).threshold(threshold) : io?.inputValues())
          if (isWrite) succeeded.push(threshold.threshold_millivolt)
        } catch (error) {
          expect(error).toBeInstanceOf(ClientError)
          if (error instanceof ClientError) kinds.set(error.kind, (kinds.get(error.kind) ?? 0) + 1)
          // As a program would: nothing works while the module is away.
          await clock.sleep(AWAY_MS)
        }
        expect(clock.now() - begun).toBeLessThan(DEADLINE_MS + TOLERANCE_MS)
      }
    }
    const faults = [
      () => lostFrames({ share: 0.3 }),
      () => crcErrors({ share: 0.3 }),
      () => lateFrames({ share: 0.5, delayMs: 20 }),
      () => hang(),
    ]
    const restarts = [...RESTARTS]
    const breaking = (async () => {
      while (next < CALLS) {
        const slot = twin.bench.slot(SLOTS[Math.floor(random() * SLOTS.length)] ?? SLOTS[0])
        if (next > (restarts[0] ?? CALLS)) {
          restarts.shift()
          await twin.request({ method: 'POST', path: '/api/bmc/1.0/0/hard_reset', body: { reset: 'yes' } })
        }
        const fault = faults[Math.floor(random() * (faults.length + 2))]
        if (fault !== undefined) slot.inject(fault(), { forMs: 100 })
        else if (random() < 0.5) slot.inject(reboot())
        else {
          slot.unplug()
          await clock.sleep(100)
          slot.plug('io')
        }
        await clock.sleep(FAULT_EVERY_MS)
      }
    })()
    await Promise.all([...Array.from({ length: WORKERS }, work), breaking])
    const isDone = (): boolean => succeeded.every((millivolt) => done.get(millivolt) === 1)
    await expect.poll(isDone, { timeout: 5000 }).toBe(true)
    expect([...done].filter(([millivolt, times]) => millivolt >= FIRST_MILLIVOLT && times > 1)).toEqual([])
    await expect.poll(() => sessions.at(-1) === device.io(3).session, { timeout: 10_000 }).toBe(true)
    expect(new Set(sessions).size).toBe(sessions.length)
    expect(sessions.length).toBeGreaterThan(1)
    expect(succeeded.length).toBeGreaterThan(CALLS / 10)
    expect(kinds.size).toBeGreaterThan(0)
    expect(restarts).toEqual([])
    await records.return()
    await watching
  },
  LIMIT_MS,
)
