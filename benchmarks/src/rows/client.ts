import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { connectWith, DeviceOf } from '@slotwire/client'
import type { Clock } from '@slotwire/core'
import type * as clients from '@slotwire/modules/clients'
import { source } from '@slotwire/twin'
import { startInProcessDevice } from '../in-process-device.ts'
import { withInstalledPackage } from '../installed-package.ts'
import type { Row } from '../row.ts'
import { startSlotwire } from '../server-process.ts'
import { inTurn, quantile, readingOf } from '../statistics.ts'
import { EVENT_VOLTS, prepareAlerts, TERMINAL } from './alert.ts'

const MS_PER_SECOND = 1000
const PATH = '/api/io/1.0/5/input/values'
/** Before the next event: the module has reported that the voltage fell. */
const PAUSE_MS = 60
/** The module's own time; specification, Events, rule 2. */
const MODULE_MS = 20

type Device = DeviceOf<typeof clients>
interface ClientPackage {
  readonly connect: (address: string) => ReturnType<typeof connectWith<typeof clients>>
}

/** Loads `slotwire/client` from the npm package, as a user's program does. */
function withClient<T>(use: (connect: (address: string) => Promise<Device>) => Promise<T>): Promise<T> {
  return withInstalledPackage(async ({ program }) => {
    const file = join(program, '..', '..', 'dist', 'client.js')
    const { connect } = (await import(pathToFileURL(file).href)) as ClientPackage
    return use(connect)
  })
}

/** Calls of one client after another, compared with `fetch` and `json`. */
export const clientSpeed: Row = {
  name: 'client-speed',
  what: 'cached `GET input/values` by one `slotwire/client`, one after the other: calls per second',
  against: 'bare `fetch` with `json()`',
  goals: [{ of: 'rate', at: 'least', bound: 0.9, unit: '×' }],
  measure: ({ effort, clock }) =>
    withClient(async (connect) => {
      const server = await startSlotwire()
      const device = await connect(server.url)
      try {
        const io = device.io(5)
        const rate = (call: () => Promise<unknown>) => () => callsPerSecond(call, effort.loadSeconds, clock)
        const rounds = await inTurn(
          effort.rounds,
          rate(() => io.inputValues()),
          rate(async () => (await fetch(server.url + PATH)).json()),
        )
        const text = (perSecond: number): string => `${Math.round(perSecond)}/s`
        return [readingOf(rounds, { value: (perSecond) => perSecond, text, figure: (ours, bare) => ours / bare })]
      } finally {
        await device.close()
        await server.stop()
      }
    }),
}

async function callsPerSecond(call: () => Promise<unknown>, seconds: number, clock: Clock): Promise<number> {
  const started = clock.now()
  let count = 0
  for (; clock.now() - started < seconds * MS_PER_SECOND; count++) await call()
  return (count * MS_PER_SECOND) / (clock.now() - started)
}

/** Time from a voltage crossing its threshold to the callback of a program. */
export const clientAlert: Row = {
  name: 'client-alert',
  what: 'alert at the pin to the callback of `slotwire/client`',
  against: "the module's own time",
  goals: [
    { of: 'p50, more than that', at: 'most', bound: 5, unit: 'ms' },
    { of: 'p99, more than that', at: 'most', bound: 20, unit: 'ms' },
  ],
  measure: ({ effort, clock }) =>
    withClient(async (connect) => {
      const device = await startInProcessDevice({ clock, bus: 'instant' })
      const client = await connect(device.url)
      try {
        await prepareAlerts(device)
        const alerts = client.io(3).pin(1).alerts()
        await alerts.ready
        const times: number[] = []
        while (times.length < effort.alerts) {
          const started = clock.now()
          const connection = device.chassis.wiring.connect(TERMINAL, source({ volts: EVENT_VOLTS }))
          await alerts.next()
          times.push(clock.now() - started)
          connection.disconnect()
          await clock.sleep(PAUSE_MS)
        }
        return [0.5, 0.99].map((part) => {
          const ours = quantile(times, part)
          return { measured: `${ours.toFixed(1)} ms`, comparison: `${MODULE_MS} ms`, figure: ours - MODULE_MS }
        })
      } finally {
        await client.close()
        await device.close()
      }
    }),
}
