// One hour of twin time of a default device, as fast as possible: `twin-hour.js <alone|driven>`. Prints its duration in seconds. Each
// second the source at a pin changes between 0 and 24 V. With `driven`, a driver and a service run too: the pin is digital and raises an
// alert at each rising edge, which the driver fetches.
import { ManualClock, SystemClock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { source, VolatileMemory } from '@slotwire/twin'

const HOUR_MS = 3_600_000
const CHANGE_MS = 1000
const [SLOT, PIN] = [3, 1]
const SETTINGS = {
  'input/mode': { pin: PIN, mode: 'digital' },
  'input/digital/interrupt': { pin: PIN, debounce_time_milliseconds: 20, trigger: 'rising' },
}

const clock = new ManualClock()
const random = seededRandom(1)
const chassis = defaultChassis({ clock, random, memory: () => new VolatileMemory() })
await chassis.powerOn()
const device = process.argv[2] === 'driven' ? await createDeviceService({ backplane: chassis, clock, random }) : undefined
await device?.start()
for (const [path, payload] of Object.entries(SETTINGS)) {
  const answer = await device?.service.inject({ method: 'POST', url: `/api/io/1.0/${SLOT}/${path}`, payload })
  if (answer !== undefined && answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.body}`)
}
let volts = 0
const connection = chassis.wiring.connect(`${SLOT}/${PIN}`, source({ volts }))
const change = (): void => {
  volts = 24 - volts
  connection.set({ volts })
  clock.after(CHANGE_MS, change)
}
clock.after(CHANGE_MS, change)

const realTime = new SystemClock()
const started = realTime.now()
await clock.advance(HOUR_MS)
process.stdout.write(`${(realTime.now() - started) / 1000}\n`)
// Skipped work would make the result too fast: every second change is a rise, and a heartbeat comes at least every 110 ms.
for (const { slot, statistics } of device?.rack.inventory() ?? []) {
  const { heartbeats, sessions, notifications } = statistics
  if (sessions === 1 && heartbeats >= HOUR_MS / 110 && notifications === (slot === SLOT ? HOUR_MS / CHANGE_MS / 2 : 0)) continue
  throw new Error(`slot ${slot} had ${sessions} sessions, ${heartbeats} heartbeats and ${notifications} alerts`)
}
