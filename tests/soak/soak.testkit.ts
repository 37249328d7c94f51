import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Random, seededRandom } from '@slotwire/core'
import { coil, motor, noise, source } from '@slotwire/twin'
import { afterEach, describe, expect, it } from 'vitest'
import { alertsOf, allPins, pinOf } from '../../modules/io/pin-story.testkit.ts'
import { Device } from '../device/device.testkit.ts'
import { figures } from '../device/metrics.testkit.ts'
import { worlds } from '../device/worlds.testkit.ts'
import { Chaos } from './soak-chaos.testkit.ts'
import { Load } from './soak-load.testkit.ts'
import { Probe } from './soak-probe.testkit.ts'
import { Sessions } from './soak-sessions.testkit.ts'

const HOUR_MS = 3_600_000
/** Real time that an hour of twin time may take on a busy machine. */
const REAL_MS_PER_HOUR = 240_000
/** Share after which caches are full and code is compiled. */
const WARM = 0.25
/** Allowed growth of the heap for other reasons than a leak. */
const MAX_GROWTH_BYTES = 6_000_000
const SETTLED_MS = HOUR_MS
/** Longest time between two checks; the average is a third of it. */
const MAX_STEP_MS = 2000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** State of an idle device: readings, and the precision of its timing. */
async function stateOf(quiet: Device): Promise<object> {
  const [power, bmc, io] = [quiet.module('power', 1), quiet.module('bmc', 0), quiet.module('io', 5)]
  for (const path of ['3/reset', '5/reset']) await quiet.post(`/api/io/1.0/${path}`, { reset: 'yes' })
  await quiet.until(quiet.chassis.factoryReset(0))
  await bmc.set('reset', { reset: 'yes' })
  await power.set('reset', { reset: 'yes' })
  await power.set('fan/rpm', { measurement_enabled: false })
  // Requests are not needed meanwhile and would only cost real time.
  await quiet.stopService()
  await quiet.advance(SETTLED_MS)
  await quiet.startService()
  await io.set('input/mode', { pin: 4, mode: 'digital' })
  await io.set('input/digital/counter', { pin: 4, state: 'enabled' })
  await io.set('input/analog/threshold', { pin: 6, threshold_millivolt: 2500, trigger: 'rising' })
  await quiet.advance(1000)
  const voltage = quiet.chassis.wiring.connect('5/6', source({ volts: 5, ohms: 1 }))
  await quiet.advance(19.999)
  const early = await alertsOf(io, 6)
  await quiet.advance(0.001)
  const due = await alertsOf(io, 6)
  voltage.disconnect()
  const { pmc_temp, on_board_temp } = await power.read('temperature')
  return {
    early,
    due,
    again: await alertsOf(io, 6),
    hertz: await pinOf(io, 4),
    divided: await pinOf(io, 3),
    stats: await power.read('stats'),
    fan: await power.read('fan'),
    temperatures: [pmc_temp, on_board_temp, await bmc.read('temperature')],
    queues: await figures(quiet, 'slotwire_slot_queue_length'),
    pending: quiet.pending(),
    timers: quiet.clock.pending,
  }
}

function decorate({ chassis: { wiring } }: Device): void {
  wiring.connect('3/1', coil({ ohms: 300, henry: 0.6 }))
  wiring.connect('3/2', motor({ ohms: 400 }))
  wiring.connect('3/3', noise({ frequencyHz: 50, lowVolts: 0, highVolts: 8, ohms: 1000 }))
}

/** Receives the results of a soak. */
type Report = (seen: Readonly<Record<string, unknown>>) => void

/** Declares a soak test of `hours` of twin time. The seed determines faults and requests. */
export function describeSoak(hours: number, seed: number, report: Report = () => undefined): void {
  let device: Device | undefined
  afterEach(async () => {
    // Fails if a timer is left.
    await device?.close()
    device = undefined
  })

  describe(`${hours} h of twin time with random faults under load (seed ${seed})`, () => {
    it(
      'lose no notification, change no session without reason, leak no memory, and leave the device in its initial state',
      async () => {
        const random: Random = seededRandom(seed)
        const running = new Device({}, worlds[0] as (typeof worlds)[number], seededRandom(seed + 1))
        device = running
        await running.start()
        const before = await stateOf(running)
        expect(before).toMatchObject({ early: [], due: ['custom_voltage_alert'], again: [], pending: [] })
        decorate(running)
        for (const slot of [3, 5]) await running.module('io', slot).set('power-management', allPins('12_volt', 50))
        const chaos = new Chaos(running, random)
        const load = new Load(running, chaos, random)
        const sessions = new Sessions(running, chaos)
        const probes: Probe[] = [3, 5].flatMap((slot) => {
          const each = { device: running, chaos, random, slot }
          const one: Probe = new Probe({ ...each, pin: 5, mode: 'digital', isAlone: () => other.isIdle })
          const other: Probe = new Probe({ ...each, pin: 6, mode: 'analog', isAlone: () => one.isIdle })
          return [one, other]
        })
        const fromMs = running.clock.now()
        const lastMs = fromMs + hours * HOUR_MS
        let warmBytes: number | undefined
        while (running.clock.now() < lastMs) {
          await chaos.step()
          load.step()
          for (const probe of probes) await probe.step()
          await sessions.step()
          await running.advance(random() ** 2 * MAX_STEP_MS)
          running.bus.forget()
          if (warmBytes === undefined && running.clock.now() > fromMs + WARM * hours * HOUR_MS) warmBytes = heapBytes()
        }
        const grownBytes = heapBytes() - (warmBytes ?? 0)
        await chaos.end()
        await load.finish()
        await running.advance(10_000)
        await sessions.step()

        const tally = { raised: 0, reported: 0, dropped: 0, damaged: 0 }
        for (const probe of probes)
          for (const name of Object.keys(tally) as (keyof typeof tally)[]) tally[name] += probe.tally[name]
        report({ tally, changes: sessions.changes, grownBytes, answered: [...load.answered], begun: [...chaos.begun] })
        expect(tally.reported).toBeGreaterThan(100 * hours)
        // A soak of a few minutes may have no loss.
        expect(tally.dropped).toBeGreaterThanOrEqual(Math.floor(hours))
        expect(sessions.changes).toBeGreaterThan(0)
        // The last events may not have been polled yet.
        expect(tally.raised - tally.reported - tally.dropped - tally.damaged).toBeLessThanOrEqual(probes.length)
        expect(tally.damaged).toBeLessThan(tally.reported / 10)
        expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES)
        for (const connection of running.chassis.wiring.connections().slice(3)) connection.disconnect()
        running.chassis.computer.ambientCelsius = 25
        for (const slot of [3, 5])
          for (const pin of [1, 2, 3, 4, 5, 6]) await running.module('io', slot).read(`notification/${pin}`)
        expect(await stateOf(running)).toEqual(before)
      },
      Math.max(240_000, hours * REAL_MS_PER_HOUR),
    )
  })
}
