import { expect } from 'vitest'
import { bridge, journalOf, Received, raiseAlerts, send, type Twin, twins } from './bridges.testkit.ts'
import { mosquitto } from './mosquitto.testkit.ts'

const POWER = { config: Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 20 })) }
/** Longest time in which the last values arrive, in milliseconds. */
const SETTLE_MS = 3000
/** Outputs that are switched on each twin. */
const PINS = [1, 2, 3, 4]

export interface FleetSize {
  readonly twins: number
  /** Seconds of load. */
  readonly seconds: number
  readonly everyMs: number
}

/** A broker, twins, two bridges, and a subscriber that sees all devices. */
export async function fleet(program: string, { twins: count, everyMs }: FleetSize) {
  const broker = await mosquitto(program)
  const { twins: devices } = await twins(count)
  const received = await Received.of(await broker.client())
  const options = ['--every', `${everyMs}ms`, '--log-level', 'warn']
  const bridges = {
    one: bridge(broker.url, devices, '--name', 'one', ...options),
    two: bridge(broker.url, devices, '--name', 'two', ...options),
  }
  await received.allOnline(devices)
  return { broker, devices, received, bridges }
}

type Fleet = Awaited<ReturnType<typeof fleet>>

/** How many devices each bridge has. */
export function shares({ devices, received }: Pick<Fleet, 'devices' | 'received'>): Readonly<Record<string, number>> {
  const shares: Record<string, number> = {}
  for (const { id } of devices) {
    const { bridge: name } = JSON.parse(received.texts.get(`slotwire/${id}/about`) ?? '{}') as { bridge: string }
    shares[name] = (shares[name] ?? 0) + 1
  }
  return shares
}

/** Prepares outputs. */
export async function power(devices: readonly Twin[]): Promise<void> {
  for (const { url } of devices) await send(url, '/api/io/1.0/3/power-management', POWER)
}

/**
 * Switches four outputs of each twin once a second. Returns the times from the write to its value at the subscriber, sorted, and how many
 * values came.
 */
export async function latencies({ devices, received }: Fleet, seconds: number) {
  const sent = new Map<string, { readonly at: number; readonly isHigh: boolean }>()
  const times: number[] = []
  const remove = received.on((topic, text) => {
    const write = sent.get(topic)
    if (write === undefined || Number(text) > 1 !== write.isHigh) return
    times.push(performance.now() - write.at)
    sent.delete(topic)
  })
  let writes = 0
  const begun = performance.now()
  const drive = async (twin: Twin, index: number): Promise<void> => {
    const offset = (index / devices.length) * 1000
    for (let round = 0; round < seconds; round++) {
      const due = begun + offset + round * 1000
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
      const isHigh = round % 2 === 0
      for (const pin of PINS) {
        sent.set(`slotwire/${twin.id}/io/3/pin/${pin}/volts/state`, { at: performance.now(), isHigh })
        await send(twin.url, '/api/io/1.0/3/output/state', { pin, state: isHigh ? 'high' : 'low' })
        writes++
      }
    }
  }
  await Promise.all(devices.map(drive))
  const tookMs = performance.now() - begun
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  remove()
  times.sort((a, b) => a - b)
  return { writes, times, perSecond: (writes / tookMs) * 1000 }
}

/** The value below which this part of sorted numbers is. */
export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? Number.NaN

/** Kills a bridge with SIGKILL while alerts are raised. Returns how long its devices were away. */
export async function killABridge({ devices, received, bridges }: Fleet, alertsFor: number): Promise<number> {
  const alerting = devices.slice(0, alertsFor)
  for (const twin of alerting) await raiseAlerts(twin)
  await received.until('alerts arrive', () => alerting.every((twin) => received.alertsOf(twin).length > 0))
  const killedAt = performance.now()
  await bridges.one.remove()
  await received.allOnline(devices, 'one')
  const awayMs = performance.now() - killedAt
  await new Promise((resolve) => setTimeout(resolve, 4000))
  await expectAllAlerts({ received }, alerting)
  return awayMs
}

/** Each alert of the journals has arrived. A reader that looks at the ids sees each once, in order. */
export async function expectAllAlerts({ received }: Pick<Fleet, 'received'>, devices: readonly Twin[]): Promise<void> {
  for (const twin of devices) {
    const journal = await journalOf(twin)
    expect(journal.length).toBeGreaterThan(1)
    const last = journal.at(-2) as string
    await received.until(`the alert ${last} of ${twin.url}`, () => received.alertsOf(twin).includes(last))
    const arrived = [...new Set(received.alertsOf(twin))]
    expect(arrived.slice(0, journal.length - 1)).toEqual(journal.slice(0, -1))
  }
}
