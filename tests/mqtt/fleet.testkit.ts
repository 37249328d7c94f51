import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'
import { bridge, journalOf, Received, raiseAlerts, send, type Twin, twins } from './bridges.testkit.ts'
import { clock, mosquitto } from './mosquitto.testkit.ts'

const POWER = { config: Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 20 })) }
/** Longest time in which the last values arrive, in milliseconds. */
const SETTLE_MS = 2000
/** How long the broker is away, in milliseconds. */
const AWAY_MS = 1500
/** Outputs that are switched on each twin. */
const PINS = [1, 2, 3, 4, 5, 6]
/** Each changes once in so many milliseconds: longer than the watch interval, so that every change can be seen. */
const PERIOD_MS = 1500

export interface FleetSize {
  readonly twins: number
  /** Seconds of load. */
  readonly seconds: number
  readonly everyMs: number
  /** Twins whose clock signal raises an alert a hundred times a second. */
  readonly alerting: number
}

/** A broker, twins, two processes that publish half of them each, and a subscriber that sees all devices. */
async function fleet(program: string, { twins: count, everyMs }: FleetSize) {
  const broker = await mosquitto(program)
  const { twins: devices } = await twins(count)
  const received = await Received.of(await broker.client())
  const options = ['--every', `${everyMs}ms`, '--log-level', 'warn']
  const half = Math.ceil(count / 2)
  const start = (part: readonly Twin[]) => bridge(broker.url, part, ...options)
  const first = devices.slice(0, half)
  const publishers = { first, one: start(first), two: start(devices.slice(half)), restart: () => start(first) }
  await received.allOnline(devices)
  return { broker, devices, received, publishers }
}

type Fleet = Awaited<ReturnType<typeof fleet>>

/** Prepares outputs. */
export async function power(devices: readonly Twin[]): Promise<void> {
  for (const { url } of devices) await send(url, '/api/io/1.0/3/power-management', POWER)
}

/**
 * Switches six outputs of each twin, each once in a period. Returns the times from the answer to the write, when the
 * pin has changed, to its value at the subscriber, sorted, and how many
 * values came.
 */
async function latencies({ devices, received }: Fleet, seconds: number) {
  const sent = new Map<string, { at: number; readonly isHigh: boolean }>()
  const times: number[] = []
  const remove = received.on((topic, text) => {
    const write = sent.get(topic)
    if (write === undefined || Number(text) > 1 !== write.isHigh) return
    // It may arrive before the answer to the write.
    times.push(Number.isNaN(write.at) ? 0 : clock.now() - write.at)
    sent.delete(topic)
  })
  let writes = 0
  const begun = clock.now()
  const drive = async (twin: Twin, index: number): Promise<void> => {
    const offset = (index / devices.length) * PERIOD_MS
    for (let round = 0; round * PERIOD_MS < seconds * 1000; round++) {
      const due = begun + offset + round * PERIOD_MS
      await clock.sleep(Math.max(0, due - clock.now()))
      const isHigh = round % 2 === 0
      for (const pin of PINS) {
        const write = { at: Number.NaN, isHigh }
        sent.set(`slotwire/${twin.id}/io/3/pin/${pin}/volts/state`, write)
        await send(twin.url, '/api/io/1.0/3/output/state', { pin, state: isHigh ? 'high' : 'low' })
        write.at = clock.now()
        writes++
      }
    }
  }
  await Promise.all(devices.map(drive))
  const tookMs = clock.now() - begun
  await clock.sleep(SETTLE_MS)
  remove()
  times.sort((a, b) => a - b)
  return { writes, times, perSecond: (writes / tookMs) * 1000 }
}

/** The value below which this part of sorted numbers is. */
const percentile = (sorted: readonly number[], part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN

/** Kills a process with SIGKILL while alerts are raised, and starts it again. Returns how long its devices were away after the start. */
async function killOne({ received, publishers }: Fleet, alerting: readonly Twin[]): Promise<number> {
  for (const twin of alerting) await raiseAlerts(twin)
  await received.until('alerts arrive', () => alerting.every((twin) => received.alertsOf(twin).length > 0))
  await publishers.one.remove()
  await received.allOffline(publishers.first)
  const startedAt = clock.now()
  publishers.restart()
  await received.allOnline(publishers.first)
  const awayMs = clock.now() - startedAt
  await expectAllAlerts({ received }, alerting)
  return awayMs
}

/** Each alert of the journals has arrived. A reader that looks at the ids sees each once, in order. */
async function expectAllAlerts({ received }: Pick<Fleet, 'received'>, devices: readonly Twin[]): Promise<void> {
  for (const twin of devices) {
    const journal = await journalOf(twin)
    expect(journal.length).toBeGreaterThan(1)
    const last = journal.at(-1) as string
    await received.until(`the alert ${last} of ${twin.url}`, () => received.alertsOf(twin).includes(last))
    expect([...new Set(received.alertsOf(twin))].slice(0, journal.length)).toEqual(journal)
  }
}

/** Values under load, a process that is killed, and a broker that is killed and forgets everything. Returns changes in a second. */
export async function story(program: string, size: FleetSize): Promise<number> {
  const all = await fleet(program, size)
  await power(all.devices)
  const { writes, times, perSecond } = await latencies(all, size.seconds)
  const alerting = all.devices.slice(0, size.alerting)
  const awayMs = await killOne(all, alerting)
  await all.broker.stop()
  await clock.sleep(AWAY_MS)
  all.received.texts.clear()
  await all.broker.start()
  const startedAt = clock.now()
  await all.received.allOnline(all.devices)
  const backMs = clock.now() - startedAt
  await expectAllAlerts(all, alerting)
  const figures = { writes, arrived: times.length, perSecond, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
  const report = { ...figures, awayMs, backMs }
  if (process.env['SLOTWIRE_FIGURES'] !== undefined)
    appendFileSync(process.env['SLOTWIRE_FIGURES'], `${JSON.stringify(report)}\n`)
  // A pin that changes twice between two looks shows one of them.
  expect(report.arrived / writes).toBeGreaterThan(0.95)
  expect(report.p99).toBeLessThan(size.everyMs + 100)
  expect(awayMs).toBeLessThan(15_000)
  expect(backMs).toBeLessThan(30_000)
  return perSecond
}
