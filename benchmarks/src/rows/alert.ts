import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { source } from '@slotwire/twin'
import { startDevice } from '../device.ts'
import type { Row } from '../row.ts'
import { compare, difference, inTurn, quantile } from '../statistics.ts'

const SLOT_PATH = '/api/io/1.0/3'
const DEADLINE_MS = 1000
/** Before the next event: the module has reported that the voltage fell, and the connection is quiet. */
const PAUSE_MS = 60
/** Latency of the module itself; specification, Events, rule 2. */
const MODULE_MS = 20

/** Time from a voltage crossing its threshold to the answer with the alert, and to the socket of a subscriber. */
export const alert: Row = {
  name: 'alert',
  what: 'alert at the pin',
  against: "the module's own time",
  targets: [
    { of: 'p99 to readable over HTTP, read every 1 ms, more than that', at: 'most', gate: 5, unit: 'ms' },
    { of: 'p99 to a subscriber, more than that', at: 'most', gate: 5, unit: 'ms', against: 'to readable over HTTP' },
  ],
  measure: async ({ effort, clock }) => {
    const device = await startDevice({ clock, bus: 'instant' })
    await device.ask(`${SLOT_PATH}/input/analog/threshold`, { pin: 1, threshold_millivolt: 1500, trigger: 'rising' })
    const request = get(`${device.url}/slotwire/events?kinds=alert`)
    const [stream] = (await once(request, 'response')) as [IncomingMessage]
    let streamed = ''
    stream.setEncoding('utf8').on('data', (text: string) => (streamed += text))
    const isStreamed = (): boolean => streamed.includes('"kind":"alert"')
    const isReadable = async (): Promise<boolean> =>
      (await device.ask(`${SLOT_PATH}/notification/1`)).body.includes('"custom_voltage_alert":true')
    /** Raises alerts until one of the two ways has each. */
    const raise = (hasArrived: () => boolean | Promise<boolean>) => async () => {
      const times: number[] = []
      while (times.length < effort.samples) {
        streamed = ''
        const started = clock.now()
        const connection = device.chassis.wiring.connect('3/1', source({ volts: 3.3 }))
        while (!(await hasArrived())) {
          if (clock.now() - started > DEADLINE_MS) throw new Error(`no alert within ${DEADLINE_MS} ms`)
          await clock.sleep(1)
        }
        times.push(clock.now() - started)
        connection.disconnect()
        await isReadable()
        await clock.sleep(PAUSE_MS)
      }
      return { p99Ms: quantile(times, 0.99) }
    }
    const rounds = await inTurn(effort.starts, raise(isStreamed), raise(isReadable))
    request.destroy()
    await device.close()
    const readable = rounds.map(({ other }) => ({ ours: other, other: { p99Ms: MODULE_MS } }))
    return [compare(readable, 'p99Ms', 'ms', difference), compare(rounds, 'p99Ms', 'ms', difference)]
  },
}
