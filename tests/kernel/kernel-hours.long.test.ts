import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { commandCodeOf, modeRun } from '@slotwire/sdbp'
import { reboot } from '@slotwire/twin'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { privateMegabytes, withDescendants } from '../../benchmarks/src/process-figures.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { allRequests } from '../soak/endurance.testkit.ts'
import { FakeDevice } from './kernel-device.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

const MAX_SEED = 1_000_000
const { SLOTWIRE_KERNEL_MINUTES: minutes = '120', SLOTWIRE_KERNEL_SEED: seed = String(Math.floor(systemRandom() * MAX_SEED)) } =
  process.env
const MINUTE_MS = 60_000
const SLOTS = [0, 1, 3, 5]
const CLIENTS = 4
/** Pause of a client between two requests. */
const PAUSE_MS = 50
/** Parts of the time. At the end of each a module is changed; memory is compared from the second on, when caches are full. */
const PARTS = 8
const WARM_PARTS = 2
const CHANGED = 5
/** Requests that restart a module or the device, or that let the watchdog do so. */
const RESTARTS = /(reset|shutdown|usb_bootloader|power-management|watchdog.*)$/
const MOST_GROWTH_MB = 10
/** Processes and descriptors of requests that are just running. */
const MOST_MORE = 3
/** The driver takes a module’s state as lost after a longer time without heartbeat, in milliseconds of the device, whose time stands still with this process. */
const MOST_GAP_MS = 900
/** The device is in this process. While it stands still for so long, a module may miss its heartbeats: a cause of a new session. */
const STALL_MS = 500
const STALL_LOOK_MS = 100
/** How long the interrupt line of the changed module is low when it restarts: the kernel does not see it leave. */
const RESTART_MS = 150
/** Time for the module to come back, and for idle worker processes to end. */
const SETTLE_MS = 5000

describeWith('socat', `a service on the files of the kernel for ${minutes} minutes (seed ${seed})`, (socat) => {
  const clock = new SystemClock()
  let folder: string
  let device: FakeDevice
  let service: KernelService
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slotwire-hours-'))
    device = await FakeDevice.switchedOn(socat)
    service = await KernelService.start(device, folder)
  })
  afterEach(async () => {
    await service.remove()
    await device.close()
    rmSync(folder, { recursive: true })
  })

  /** A counter of each slot, from the metrics. */
  async function counters(name: string): Promise<readonly number[]> {
    const text = await (await fetch(`${service.url}/slotwire/metrics`)).text()
    return SLOTS.map((slot) =>
      Number(new RegExp(`^slotwire_slot_${name}_total\\{slot="${slot}"\\} (\\d+)$`, 'm').exec(text)?.[1]),
    )
  }

  function resources() {
    const pids = withDescendants(service.run.pid)
    const megabytes = pids.map(privateMegabytes).reduce((sum, own) => sum + own, 0)
    return { processes: pids.length, descriptors: readdirSync(`/proc/${service.run.pid}/fd`).length, megabytes }
  }

  it(
    'keeps its memory, all heartbeats, and all sessions but those of a module that was changed',
    async () => {
      const random = seededRandom(Number(seed))
      const requests = allRequests(Number(seed)).filter(({ url }) => !RESTARTS.test(url))
      const lastRunMs = new Map<number, number>()
      let longestGapMs = 0
      device.tree.onPayload = (slot, payload) => {
        const { classIdentifier, class: group, operation } = commandCodeOf(payload)
        if (classIdentifier !== modeRun.classIdentifier || group !== modeRun.class || operation !== modeRun.operation) return
        const nowMs = device.chassis.clock.now()
        longestGapMs = Math.max(longestGapMs, nowMs - (lastRunMs.get(slot) ?? nowMs))
        lastRunMs.set(slot, nowMs)
      }
      const answered = new Map<string, number>()
      let stopped = false
      const client = async (): Promise<void> => {
        while (!stopped) {
          const { method, url, body } = requests[Math.floor(random() * requests.length)] ?? {
            method: 'GET',
            url: '/',
            body: undefined,
          }
          const content = body === undefined ? {} : { body: JSON.stringify(body) }
          const fresh = random() < 1 / 2 ? { 'cache-control': 'no-cache' } : {}
          const headers = { 'content-type': 'application/json', ...fresh }
          const answer = await fetch(service.url + url, { method, headers, ...content })
          const text = await answer.text()
          const name = answer.status < 500 ? `${answer.status}` : `${method} ${url} ${answer.status} ${text}`
          answered.set(name, (answered.get(name) ?? 0) + 1)
          await clock.sleep(PAUSE_MS)
        }
      }
      const stallsMs: number[] = []
      const lookForStalls = async (): Promise<void> => {
        while (!stopped) {
          const beforeMs = clock.now()
          await clock.sleep(STALL_LOOK_MS)
          const stalledMs = Math.round(clock.now() - beforeMs - STALL_LOOK_MS)
          if (stalledMs > STALL_MS) stallsMs.push(stalledMs)
        }
      }
      const sessions = await counters('sessions')
      const clients = Promise.all([lookForStalls(), ...Array.from({ length: CLIENTS }, client)])
      // A failure is reported below, when they are awaited.
      clients.catch(() => undefined)
      const found = []
      for (let part = 1; part <= PARTS; part++) {
        await clock.sleep((Number(minutes) * MINUTE_MS) / PARTS)
        device.bench.slot(CHANGED).inject(reboot(RESTART_MS))
        await clock.sleep(SETTLE_MS)
        device.bench.slot(CHANGED).unplug()
        await device.shown(SLOTS.filter((slot) => slot !== CHANGED))
        lastRunMs.delete(CHANGED)
        device.bench.slot(CHANGED).plug('io')
        await device.shown(SLOTS)
        await clock.sleep(SETTLE_MS)
        found.push(resources())
      }
      stopped = true
      await clients
      const [heartbeats, sessionsAfter] = [await counters('heartbeats'), await counters('sessions')]
      process.stdout.write(
        `seed ${seed}: ${JSON.stringify({ longestGapMs, stallsMs, heartbeats, sessionsAfter, found, answered: [...answered] })}\n`,
      )
      // A request may fail while its module restarts.
      const failed = [...answered.keys()].filter((name) => !/^[24]/.test(name) && !name.includes(`/${CHANGED}/`))
      expect(failed).toEqual([])
      expect([...answered.keys()]).toContain('200')
      const failures = await counters('heartbeat_failures')
      expect(failures.filter((_, at) => SLOTS[at] !== CHANGED)).toEqual([0, 0, 0])
      expect(failures[SLOTS.indexOf(CHANGED)]).toBeLessThanOrEqual(2 * PARTS)
      const fresh = sessionsAfter.map((count, at) => count - (sessions[at] ?? 0) - (SLOTS[at] === CHANGED ? 2 * PARTS : 0))
      expect(Math.min(...fresh)).toBe(0)
      expect(Math.max(...fresh)).toBeLessThanOrEqual(stallsMs.length)
      expect(longestGapMs).toBeLessThan(MOST_GAP_MS)
      const [warm, end] = [found[WARM_PARTS - 1], found.at(-1)]
      if (warm === undefined || end === undefined) throw new Error('nothing was measured')
      expect(end.megabytes - warm.megabytes).toBeLessThan(MOST_GROWTH_MB)
      expect(end.processes - warm.processes).toBeLessThanOrEqual(MOST_MORE)
      expect(end.descriptors - warm.descriptors).toBeLessThanOrEqual(MOST_MORE)
    },
    Number(minutes) * MINUTE_MS + (2 * PARTS + 1) * SETTLE_MS + MINUTE_MS,
  )
})
