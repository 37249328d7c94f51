import { fileURLToPath } from 'node:url'
import type { Clock } from '@slotwire/core'
import { source } from '@slotwire/twin'
import { type InProcessDevice, startInProcessDevice } from '../in-process-device.ts'
import { startProgram } from '../program.ts'
import type { Instruments, Reading, Row } from '../row.ts'
import { inTurn, quantile, readingOf } from '../statistics.ts'
import { Subscriber } from '../subscriber.ts'
import { EVENT_VOLTS, prepareAlerts, TERMINAL, timeToAlert } from './alert.ts'

const ALERT_DEVICE = fileURLToPath(new URL('../programs/alert-device.js', import.meta.url))
const CACHED_PATH = '/api/io/1.0/5/input/values'
const CONNECTIONS = 32
const MANY = 64
const WARM_UP_SECONDS = 2
const RATE_DEADLINE_MS = 10_000
const ALERT_DEADLINE_MS = 1000
/** Before the next event: the module has reported that the voltage fell, and the connection is quiet. */
const PAUSE_MS = 60

/** Time from a voltage crossing its threshold to a subscriber's socket, compared with a client that polls. */
export const eventRow: Row = {
  name: 'event',
  what: 'alert at the pin to one subscriber',
  against: 'to readable over HTTP, read every 1 ms',
  goals: [
    { of: 'p50, more than that', at: 'most', bound: 2, unit: 'ms' },
    { of: 'p99, more than that', at: 'most', bound: 5, unit: 'ms' },
  ],
  measure: async ({ effort, clock }) => {
    const device = await startInProcessDevice({ clock, bus: 'instant' })
    let onAlert = (): void => undefined
    const subscriber = await Subscriber.open(device.url, 0, (text) => {
      if (text.includes('"kind":"alert"')) onAlert()
    })
    try {
      await prepareAlerts(device)
      const streamed: number[] = []
      const polled: number[] = []
      while (streamed.length < effort.alerts) {
        streamed.push(await timeToEvent(device, clock, (listener) => (onAlert = listener)))
        await clock.sleep(PAUSE_MS)
        polled.push(await timeToAlert(device, clock))
        await clock.sleep(PAUSE_MS)
      }
      return [0.5, 0.99].map((part) => {
        const [ours, other] = [quantile(streamed, part), quantile(polled, part)]
        return { measured: `${ours.toFixed(1)} ms`, comparison: `${other.toFixed(1)} ms`, figure: ours - other }
      })
    } finally {
      subscriber.close()
      await device.close()
    }
  },
}

async function timeToEvent(
  { chassis, ask }: InProcessDevice,
  clock: Clock,
  listen: (listener: () => void) => void,
): Promise<number> {
  const started = clock.now()
  const connection = chassis.wiring.connect(TERMINAL, source({ volts: EVENT_VOLTS }))
  const elapsed = await new Promise<number>((resolve, reject) => {
    const limit = clock.after(ALERT_DEADLINE_MS, () => reject(new Error(`no alert within ${ALERT_DEADLINE_MS} ms`)))
    listen(() => {
      limit.cancel()
      resolve(clock.now() - started)
    })
  })
  connection.disconnect()
  await ask('/api/io/1.0/3/notification/1')
  return elapsed
}

/** Cached reads beside 100 alerts a second, with one subscriber and with many. */
export const readsBesideEvents: Row = {
  name: 'reads-beside-events',
  what: 'cached `GET input/values` of slot 5 beside 100 alerts a second in slot 3',
  against: 'without subscribers',
  goals: [
    { of: 'requests per second with 1 subscriber', at: 'least', bound: 0.9, unit: '×' },
    { of: `requests per second with ${MANY} subscribers`, at: 'least', bound: 0.5, unit: '×' },
  ],
  measure: async (instruments) => {
    const program = startProgram([ALERT_DEVICE])
    try {
      const url = await program.line()
      await assertAlerts(url, instruments.clock)
      await rateOf(url, 0, WARM_UP_SECONDS, instruments)
      return [await compare(url, 1, instruments), await compare(url, MANY, instruments)]
    } finally {
      await program.stop()
    }
  },
}

async function compare(url: string, subscribers: number, instruments: Instruments): Promise<Reading> {
  const { rounds, loadSeconds } = instruments.effort
  const rate = (count: number) => () => rateOf(url, count, loadSeconds, instruments)
  return readingOf(await inTurn(rounds, rate(subscribers), rate(0)), {
    value: (perSecond) => perSecond,
    text: (perSecond) => `${Math.round(perSecond)}/s`,
    figure: (ours, other) => ours / other,
  })
}

async function rateOf(url: string, count: number, seconds: number, { load }: Instruments): Promise<number> {
  const subscribers: Subscriber[] = []
  try {
    for (let index = 0; index < count; index++) subscribers.push(await Subscriber.open(url, index))
    return (await load.run({ url: url + CACHED_PATH, connections: CONNECTIONS, seconds })).requestsPerSecond
  } finally {
    for (const subscriber of subscribers) subscriber.close()
  }
}

/** Rejects if the device raises fewer alerts than the row says. */
async function assertAlerts(url: string, clock: Clock): Promise<void> {
  let alerts = 0
  const subscriber = await Subscriber.open(url, 0, (text) => {
    alerts += text.split('"kind":"alert"').length - 1
  })
  const started = clock.now()
  while (alerts < 200 && clock.now() - started < RATE_DEADLINE_MS) await clock.sleep(PAUSE_MS)
  const perSecond = (alerts * 1000) / (clock.now() - started)
  subscriber.close()
  if (perSecond < 80) throw new Error(`the device raises only ${perSecond.toFixed(0)} alerts a second`)
}
