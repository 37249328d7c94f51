import { startInProcessDevice } from '../in-process-device.ts'
import type { Row } from '../row.ts'
import { quantile } from '../statistics.ts'
import { EXCHANGE_MS, IDLE_SLOT_PATH, SLOW_SCLK_KHZ } from './slow-bus.ts'

const PIN = 1
const PIN_COUNT = 6
const MILLIAMPERE = 50
/** Writes before the measurement: a new program is slower. */
const WARM_UP_WRITES = 100
/** The slot is idle before each write, except for its heartbeats. */
const PAUSE_MS = 7

/** One client that switches an output of an otherwise idle module. */
export const idleWrite: Row = {
  name: 'idle-write',
  what: '`POST output/state` on an idle slot of that bus',
  against: 'one exchange',
  goals: [{ of: 'p50', at: 'most', bound: 1.2, unit: '×' }],
  measure: async ({ effort, clock }) => {
    const device = await startInProcessDevice({ clock, bus: 'timed', sclkCapKhz: SLOW_SCLK_KHZ })
    const post = (path: string, body: object) => device.ask(`${IDLE_SLOT_PATH}/${path}`, body)
    try {
      const config = Array.from({ length: PIN_COUNT }, () => ({ rail: '5_volt', current_milliampere: MILLIAMPERE }))
      await post('power-management', { config })
      const times: number[] = []
      for (let write = 0; write < WARM_UP_WRITES + effort.writes; write++) {
        await clock.sleep(PAUSE_MS)
        const started = clock.now()
        await post('output/state', { pin: PIN, state: write % 2 === 0 ? 'high' : 'low' })
        if (write >= WARM_UP_WRITES) times.push(clock.now() - started)
      }
      const p50 = quantile(times, 0.5)
      const comparison = `${EXCHANGE_MS.toFixed(2)} ms`
      return [{ measured: `${p50.toFixed(2)} ms`, comparison, figure: p50 / EXCHANGE_MS }]
    } finally {
      await device.close()
    }
  },
}
