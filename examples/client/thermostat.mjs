// A thermostat: switches a heater at pin 1 by a thermistor at pin 6, and reports an alert of the heater.
// node thermostat.mjs [address] [slot]
import { connect, isGap } from 'slotwire/client'

const [address = 'http://127.0.0.1:8080', slot = '3'] = process.argv.slice(2)
/** The voltage falls as it gets warmer: 10 kΩ to 3.3 V, thermistor to ground. */
const COLD_MILLIVOLT = 1700
const WARM_MILLIVOLT = 1600

const device = await connect(address)
const io = device.io(Number(slot))
let isHeating = /** @type {boolean} */ (false)

await io.setup(async (module) => {
  await module.reset()
  await module.power(Array(6).fill({ rail: '5_volt', current_milliampere: 100 }))
  isHeating = false
})

io.pin(1).onAlert(
  (alert) => console.log(isGap(alert) ? 'alerts were lost' : `alarm: ${alert.alerts.join(', ')}: check the heater`),
  (error) => console.error(error),
)

for await (const reading of io.pin(6).values({ every: '100ms' })) {
  if (isGap(reading)) continue
  // In between nothing changes.
  const wanted = isHeating ? reading.value >= WARM_MILLIVOLT : reading.value > COLD_MILLIVOLT
  if (wanted === isHeating) continue
  await io.pin(1).output(wanted ? 'high' : 'low')
  isHeating = wanted
  console.log(`${reading.value} mV: heater ${wanted ? 'on' : 'off'}`)
}
