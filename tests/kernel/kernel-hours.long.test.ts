import { readdirSync } from 'node:fs'
import { SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { commandCodeOf, modeRun } from '@slotwire/sdbp'
import { type Fault, hang, reboot } from '@slotwire/twin'
import { beforeEach, expect, it } from 'vitest'
import { privateMegabytes, withDescendants } from '../../benchmarks/src/process-figures.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { allRequests } from '../soak/endurance.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { FakeDevice, stopPrograms } from './kernel-device.testkit.ts'
import { notClearToSend, pulsing, unreadableDescriptor } from './kernel-faults.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

const MAX_SEED = 1_000_000
const { SLOTWIRE_KERNEL_MINUTES: minutes = '120', SLOTWIRE_KERNEL_SEED: seed = String(Math.floor(systemRandom() * MAX_SEED)) } =
  process.env
const MINUTE_MS = 60_000
const SLOTS = [0, 1, 3, 5]
const CLIENTS = 4
/** Pause of a client between two requests. */
const PAUSE_MS = 50
/** Parts of the time. At the end of each one module has every fault; memory is compared from the second on, when caches are full. */
const PARTS = 8
const WARM_PARTS = 2
const CHANGED = 5
/** Requests that restart a module or the device, or that let the watchdog do so. */
const RESTARTS = /(reset|shutdown|usb_bootloader|power-management|watchdog.*)$/
const MAX_GROWTH_MB = 10
/** Processes and descriptors of requests that are just running. */
const MAX_MORE_DESCRIPTORS = 3
/** The driver takes a module’s state as lost after a longer time without heartbeat, in milliseconds of the device, whose time stands still with this process. */
const MAX_GAP_MS = 900
/** The device is in this process. While it stands still for so long, a module may miss its heartbeats: a cause of a new session. */
const STALL_MS = 500
const STALL_LOOK_MS = 100
/** How long the interrupt line of the changed module is low when it restarts. The kernel sees it leave after 250 ms. */
const RESTARTS_MS = [60, 100, 150, 300]
/** Duration of a fault that the module survives, and time for it to start. After it, idle worker processes end. */
const SURVIVED_MS = 2000
/** Longer than the kernel needs to fetch a notification in vain. */
const LATE_MS = 300
/** The module is not used any more after 0.9 s without an answer. */
const HUNG_MS = 1500
/** Time between two pulses for a notification. */
const PULSES_MS = 50
/** Longest time until the module is used again. */
const BACK = { timeout: 30_000, interval: 200 }
/** Longest usual time of one fault. */
const FAULT_MS = 5000

describeWith('socat', `a service on the files of the kernel for ${minutes} minutes (seed ${seed})`, (socat) => {
  const clock = new SystemClock()
  let folder: string
  let device: FakeDevice
  let service: KernelService
  beforeEach(async () => {
    folder = temporaryFolder({ prefix: 'slotwire-' })
    device = await FakeDevice.switchedOn(socat)
    service = await KernelService.start(device, folder)
  })

  /** A counter of each slot, from the metrics. */
  async function counters(name: string): Promise<readonly number[]> {
    const text = await (await fetch(`${service.url}/slotwire/metrics`)).text()
    return SLOTS.map((slot) =>
      Number(new RegExp(`^slotwire_slot_${name}_total\\{slot="${slot}"\\} (\\d+)$`, 'm').exec(text)?.[1]),
    )
  }

  async function sessionOfChanged(): Promise<string | undefined> {
    const { devices } = (await service.get('io/')) as { devices: readonly { slot_number: number; device_session: string }[] }
    return devices.find(({ slot_number }) => slot_number === CHANGED)?.device_session
  }

  const inject = (fault: Fault, options?: { readonly forMs: number }) => device.chassis.faults.inject(CHANGED, fault, options)

  /** What can happen to a module, and whether it has a new session after that. */
  const faults: readonly (readonly [name: string, isNew: boolean, happen: () => Promise<unknown>])[] = [
    ...RESTARTS_MS.map((ms) => [`restart, ${ms} ms`, true, async () => inject(reboot(ms))] as const),
    [
      'restart, 60 ms, while all heartbeats are late',
      true,
      async () => {
        const goOn = stopPrograms(service.run.pid, 'slot.pl')
        inject(reboot(60))
        await clock.sleep(LATE_MS)
        goOn()
      },
    ],
    ['hung', true, async () => inject(hang(), { forMs: HUNG_MS })],
    [
      'erased descriptor',
      false,
      async () => {
        const fault = inject(unreadableDescriptor)
        await service.post(`io/1.0/${CHANGED}/reset`, { reset: 'yes' })
        fault?.clear()
        const descriptor = (): Promise<unknown> => service.get(`io/1.0/${CHANGED}/descriptor`)
        await expect.poll(descriptor, BACK).toMatchObject({ vendor_product_id: 'modules.noreya.tech/io' })
      },
    ],
    ['late clear to send', false, async () => inject(notClearToSend(0.1, 10), { forMs: SURVIVED_MS })],
    ['no clear to send', false, async () => inject(notClearToSend(1), { forMs: SURVIVED_MS })],
    [
      'unread notifications',
      true,
      async () => {
        const left = device.departures(CHANGED)
        const goOn = stopPrograms(service.run.pid, 'reader.pl')
        const fault = inject(pulsing(PULSES_MS))
        await expect.poll(() => device.departures(CHANGED), BACK).toBe(left + 1)
        fault?.clear()
        goOn()
      },
    ],
    [
      'unplugged',
      true,
      async () => {
        device.bench.slot(CHANGED).unplug()
        await device.shown(SLOTS.filter((slot) => slot !== CHANGED))
        device.bench.slot(CHANGED).plug('io')
        await device.shown(SLOTS)
      },
    ],
  ]

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
      /** By slot and number of departures: a module that was away had no heartbeats. */
      const lastRunMs = new Map<string, number>()
      let longestGapMs = 0
      let isChanging = false
      device.tree.onPayload = (slot, payload) => {
        const { classIdentifier, class: group, operation } = commandCodeOf(payload)
        if (classIdentifier !== modeRun.classIdentifier || group !== modeRun.class || operation !== modeRun.operation) return
        if (slot === CHANGED && isChanging) return
        const nowMs = device.chassis.clock.now()
        const stay = `${slot} ${device.departures(slot)}`
        longestGapMs = Math.max(longestGapMs, nowMs - (lastRunMs.get(stay) ?? nowMs))
        lastRunMs.set(stay, nowMs)
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
        isChanging = true
        for (const [name, isNew, happen] of faults) {
          const [session, left, stalls] = [await sessionOfChanged(), device.departures(CHANGED), stallsMs.length]
          await happen()
          const isSame = async (): Promise<boolean> => [undefined, session].includes(await sessionOfChanged())
          if (isNew) await expect.poll(isSame, { ...BACK, message: name }).toBe(false)
          await clock.sleep(SURVIVED_MS)
          // Whatever else ends a session is counted below.
          const isUndisturbed = left === device.departures(CHANGED) && stalls === stallsMs.length
          if (!isNew && isUndisturbed) expect([name, await sessionOfChanged()]).toEqual([name, session])
        }
        isChanging = false
        lastRunMs.delete(`${CHANGED} ${device.departures(CHANGED)}`)
        await clock.sleep(FAULT_MS)
        found.push(resources())
      }
      stopped = true
      await clients
      const [heartbeats, sessionsAfter] = [await counters('heartbeats'), await counters('sessions')]
      process.stdout.write(
        `seed ${seed}: ${JSON.stringify({ longestGapMs, stallsMs, departures: device.departures(CHANGED), heartbeats, sessionsAfter, found, answered: [...answered] })}\n`,
      )
      // A request may fail while its module restarts.
      const failed = [...answered.keys()].filter((name) => !/^[24]/.test(name) && !name.includes(`/${CHANGED}/`))
      expect(failed).toEqual([])
      expect([...answered.keys()]).toContain('200')
      const failures = await counters('heartbeat_failures')
      expect(failures.filter((_, at) => SLOTS[at] !== CHANGED)).toEqual([0, 0, 0])
      const fresh = sessionsAfter.map((count, at) => count - (sessions[at] ?? 0))
      const others = fresh.filter((_, at) => SLOTS[at] !== CHANGED)
      expect(Math.max(...others)).toBeLessThanOrEqual(stallsMs.length)
      // The kernel itself loses the module in three of the faults. More often: a notification was not read in time.
      const caused = PARTS * faults.filter(([, isNew]) => isNew).length + device.departures(CHANGED) - 3 * PARTS
      expect(fresh[SLOTS.indexOf(CHANGED)]).toBeLessThanOrEqual(caused + stallsMs.length)
      expect(longestGapMs).toBeLessThan(MAX_GAP_MS)
      const [warm, end] = [found[WARM_PARTS - 1], found.at(-1)]
      if (warm === undefined || end === undefined) throw new Error('nothing was measured')
      expect(end.megabytes - warm.megabytes).toBeLessThan(MAX_GROWTH_MB)
      expect(end.processes - warm.processes).toBeLessThanOrEqual(MAX_MORE_DESCRIPTORS)
      expect(end.descriptors - warm.descriptors).toBeLessThanOrEqual(MAX_MORE_DESCRIPTORS)
    },
    Number(minutes) * MINUTE_MS + PARTS * (faults.length + 1) * FAULT_MS + MINUTE_MS,
  )
})
