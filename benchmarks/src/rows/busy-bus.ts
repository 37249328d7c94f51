import type { Clock } from '@slotwire/core'
import { type InProcessDevice, startInProcessDevice } from '../in-process-device.ts'
import type { Instruments, Reading, Row } from '../row.ts'
import { median } from '../statistics.ts'
import { EXCHANGE_MS, IDLE_SLOT, IDLE_SLOT_PATH, SLOW_SCLK_KHZ } from './slow-bus.ts'

const CLIENTS = 64
const WARM_UP_SECONDS = 1
/** Excludes the first and last moments of the load, when it is not steady. */
const EDGE_MS = 300
const MS_PER_SECOND = 1000

interface Round {
  /** Share of time in which the bus was busy, in percent. */
  readonly busyPercent: number
  readonly exchangesPerSecond: number
  readonly p99Ms: number
}

/** Many clients that request uncached values of one slow module. */
export const busyBus: Row = {
  name: 'busy-bus',
  what: '`no-cache` reads from 64 clients, bus at 100 kHz, frames of 64 bytes',
  against: `exchanges of ${EXCHANGE_MS.toFixed(2)} ms, heartbeats counted`,
  goals: [
    { of: 'time that the bus is busy', at: 'least', bound: 95, unit: '%' },
    { of: 'p99', at: 'most', bound: 2.5, unit: 'exchanges' },
  ],
  measure: async (instruments) => {
    const { clock, effort } = instruments
    const device = await startInProcessDevice({ clock, bus: 'timed', sclkCapKhz: SLOW_SCLK_KHZ })
    try {
      await runRound(device, WARM_UP_SECONDS, instruments)
      const rounds: Round[] = []
      for (let round = 0; round < effort.rounds; round++) rounds.push(await runRound(device, effort.loadSeconds, instruments))
      return readingsOf(rounds)
    } finally {
      await device.close()
    }
  },
}

async function runRound(device: InProcessDevice, seconds: number, { load, clock }: Instruments): Promise<Round> {
  const url = `${device.url}${IDLE_SLOT_PATH}/input/values`
  const loading = load.run({ url, connections: CLIENTS, seconds, headers: { 'cache-control': 'no-cache' } })
  const [{ p99Ms }, exchangesPerSecond] = await Promise.all([loading, exchangeRate(device, seconds, clock)])
  return { p99Ms, exchangesPerSecond, busyPercent: ((exchangesPerSecond * EXCHANGE_MS) / MS_PER_SECOND) * 100 }
}

async function exchangeRate({ exchanges }: InProcessDevice, seconds: number, clock: Clock): Promise<number> {
  await clock.sleep(EDGE_MS)
  const [count, started] = [exchanges(IDLE_SLOT), clock.now()]
  await clock.sleep(seconds * MS_PER_SECOND - 2 * EDGE_MS)
  return ((exchanges(IDLE_SLOT) - count) / (clock.now() - started)) * MS_PER_SECOND
}

function readingsOf(rounds: readonly Round[]): Reading[] {
  const possible = MS_PER_SECOND / EXCHANGE_MS
  const p99Ms = median(rounds.map((round) => round.p99Ms))
  return [
    {
      measured: `${median(rounds.map(({ exchangesPerSecond }) => exchangesPerSecond)).toFixed(1)} exchanges/s`,
      comparison: `${possible.toFixed(1)} exchanges/s`,
      figure: median(rounds.map(({ busyPercent }) => busyPercent)),
    },
    { measured: `${p99Ms.toFixed(1)} ms`, comparison: `${EXCHANGE_MS.toFixed(2)} ms`, figure: p99Ms / EXCHANGE_MS },
  ]
}
