import type { Clock } from '@slotwire/core'
import { source } from '@slotwire/twin'
import { type InProcessDevice, startInProcessDevice } from '../in-process-device.ts'
import type { Row } from '../row.ts'
import { quantile } from '../statistics.ts'

const SLOT_PATH = '/api/io/1.0/3'
const PIN = 1
export const TERMINAL = '3/1'
const THRESHOLD_MILLIVOLT = 1500
export const EVENT_VOLTS = 3.3
const POLL_MS = 1
const ALERT_DEADLINE_MS = 1000
/** Latency of the module itself; specification, Events, rule 2. */
const MODULE_MS = 20

/** Time from a voltage crossing its threshold to the answer with the alert. */
export const alert: Row = {
  name: 'alert',
  what: 'alert at the pin to readable over HTTP, read every 1 ms',
  against: "the module's own time",
  goals: [{ of: 'p99, more than that', at: 'most', bound: 5, unit: 'ms' }],
  measure: async ({ effort, clock }) => {
    const device = await startInProcessDevice({ clock, bus: 'instant' })
    try {
      await prepareAlerts(device)
      const times: number[] = []
      for (let count = 0; count < effort.alerts; count++) times.push(await timeToAlert(device, clock))
      const p99 = quantile(times, 0.99)
      return [{ measured: `${p99.toFixed(1)} ms`, comparison: `${MODULE_MS} ms`, figure: p99 - MODULE_MS }]
    } finally {
      await device.close()
    }
  },
}

/** Makes the pin raise an alert at each event. */
export async function prepareAlerts({ ask }: InProcessDevice): Promise<void> {
  const body = { pin: PIN, threshold_millivolt: THRESHOLD_MILLIVOLT, trigger: 'rising' }
  await ask(`${SLOT_PATH}/input/analog/threshold`, body)
}

/** Time from an event to the answer with its alert, read every millisecond. */
export async function timeToAlert({ chassis, ask }: InProcessDevice, clock: Clock): Promise<number> {
  const started = clock.now()
  const connection = chassis.wiring.connect(TERMINAL, source({ volts: EVENT_VOLTS }))
  for (;;) {
    const body = await ask(`${SLOT_PATH}/notification/${PIN}`)
    const elapsed = clock.now() - started
    if ((JSON.parse(body) as { custom_voltage_alert: boolean }).custom_voltage_alert) {
      connection.disconnect()
      return elapsed
    }
    if (elapsed > ALERT_DEADLINE_MS) throw new Error(`no alert within ${ALERT_DEADLINE_MS} ms`)
    await clock.sleep(POLL_MS)
  }
}
