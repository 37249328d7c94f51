import { timedBus } from '@slotwire/twin'
import { startDevice } from '../device.ts'
import type { Row } from '../row.ts'
import { compare, inTurn, quantile, ratio } from '../statistics.ts'

/** The bus of these rows: frames of 64 bytes at 100 kHz, module latency 0.3 ms. */
const SLOW_BUS = { bus: 'timed', sclkCapKhz: 100 } as const
/** Duration of one exchange: two frames and the module's latency, 10.54 ms. */
const EXCHANGE_MS = 2 * timedBus.transferMs(64, SLOW_BUS.sclkCapKhz) + timedBus.latencyMs
/** The io module of the default device without wiring. */
const SLOT = 3
const SLOT_PATH = `/api/io/1.0/${SLOT}`
/** Excludes the first and last moments of the load, when it is not steady. */
const EDGE_MS = 300
const MS_PER_SECOND = 1000
/** The slot is idle before each write, except for its heartbeats. */
const PAUSE_MS = 7

/** Many clients that request uncached values of one slow module. */
export const busyBus: Row = {
  name: 'busy-bus',
  what: '`no-cache` reads from 64 clients, bus at 100 kHz, frames of 64 bytes',
  against: `exchanges of ${EXCHANGE_MS.toFixed(2)} ms, heartbeats counted`,
  targets: [
    { of: 'time that the bus is busy', at: 'least', gate: 92, goal: 95, unit: '%' },
    { of: 'p99', at: 'most', gate: 2.5, unit: 'exchanges' },
  ],
  measure: async ({ clock, effort, load }) => {
    const device = await startDevice({ clock, ...SLOW_BUS })
    const loaded = async (seconds: number) => {
      const url = `${device.url}${SLOT_PATH}/input/values`
      const loading = load.run({ url, connections: 64, seconds, headers: ['cache-control: no-cache'] })
      await clock.sleep(EDGE_MS)
      const [count, started] = [device.exchanges(SLOT), clock.now()]
      await clock.sleep(seconds * MS_PER_SECOND - 2 * EDGE_MS)
      const perSecond = ((device.exchanges(SLOT) - count) / (clock.now() - started)) * MS_PER_SECOND
      return { perSecond, p99Ms: (await loading).p99Ms }
    }
    await loaded(1)
    const full = async () => ({ perSecond: MS_PER_SECOND / EXCHANGE_MS, p99Ms: EXCHANGE_MS })
    const rounds = await inTurn(effort.loads, () => loaded(effort.loadSeconds), full)
    await device.close()
    const percent = (ours: number, other: number): number => (ours / other) * 100
    return [compare(rounds, 'perSecond', '/s', percent), compare(rounds, 'p99Ms', 'ms', ratio)]
  },
}

/** One client that switches an output of an otherwise idle module. */
export const idleWrite: Row = {
  name: 'idle-write',
  what: '`POST output/state` on an idle slot of that bus',
  against: 'one exchange',
  targets: [{ of: 'p50', at: 'most', gate: 1.2, unit: '×' }],
  measure: async ({ effort, clock }) => {
    const device = await startDevice({ clock, ...SLOW_BUS })
    const post = (path: string, body: object) => device.ask(`${SLOT_PATH}/${path}`, body)
    await post('power-management', { config: Array(6).fill({ rail: '5_volt', current_milliampere: 50 }) })
    const write = async (writes: number) => {
      const times: number[] = []
      while (times.length < writes) {
        await clock.sleep(PAUSE_MS)
        const started = clock.now()
        await post('output/state', { pin: 1, state: times.length % 2 === 0 ? 'high' : 'low' })
        times.push(clock.now() - started)
      }
      return { p50Ms: quantile(times, 0.5) }
    }
    // A new program is slower.
    await write(effort.samples)
    const rounds = await inTurn(
      effort.starts,
      () => write(effort.samples),
      async () => ({ p50Ms: EXCHANGE_MS }),
    )
    await device.close()
    return [compare(rounds, 'p50Ms', 'ms', ratio)]
  },
}
