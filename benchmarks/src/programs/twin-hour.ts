// One hour of twin time of a default device, as fast as possible: `twin-hour.js <alone|driven>`. Prints its duration in seconds. Each
// second the source at a pin changes between 0 and 24 V. With `driven`, a driver and a service run too: the pin is digital, counts, and
// raises an alert at each rising edge, which the driver fetches.
import { type Clock, ManualClock, SystemClock, seededRandom } from '@slotwire/core'
import { createDeviceService, type DeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { type Chassis, source, VolatileMemory } from '@slotwire/twin'

const SEED = 1
const HOUR_MS = 3_600_000
const CHANGE_MS = 1000
const MS_PER_SECOND = 1000
const HIGH_VOLTS = 24
const SLOT = 3
const PIN = 1
/** Every second change is a rise. */
const ALERTS = HOUR_MS / CHANGE_MS / 2
/** At the longest allowed interval. */
const MIN_HEARTBEATS = Math.floor(HOUR_MS / 110)

const clock = new ManualClock()
const random = seededRandom(SEED)
const chassis = defaultChassis({ clock, random, memory: () => new VolatileMemory() })
await chassis.powerOn()
const device = process.argv[2] === 'driven' ? await drive(chassis) : undefined
changeEverySecond(chassis, clock)

const realTime = new SystemClock()
const started = realTime.now()
await clock.advance(HOUR_MS)
const seconds = (realTime.now() - started) / MS_PER_SECOND
if (device !== undefined) assertDriven(device)
process.stdout.write(`${seconds}\n`)

async function drive(backplane: Chassis): Promise<DeviceService> {
  const driving = await createDeviceService({ backplane, clock, random })
  await driving.start()
  const settings = [
    ['input/mode', { pin: PIN, mode: 'digital' }],
    ['input/digital/counter', { pin: PIN, state: 'enabled' }],
    ['input/digital/interrupt', { pin: PIN, debounce_time_milliseconds: 20, trigger: 'rising' }],
  ] as const
  for (const [path, payload] of settings) {
    const answer = await driving.service.inject({ method: 'POST', url: `/api/io/1.0/${SLOT}/${path}`, payload })
    if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.body}`)
  }
  return driving
}

function changeEverySecond({ wiring }: Chassis, time: Clock): void {
  let volts = 0
  const connection = wiring.connect(`${SLOT}/${PIN}`, source({ volts }))
  const change = (): void => {
    volts = HIGH_VOLTS - volts
    connection.set({ volts })
    time.after(CHANGE_MS, change)
  }
  time.after(CHANGE_MS, change)
}

/** Checks that all work was done: skipped work would make the result too fast. */
function assertDriven({ rack }: DeviceService): void {
  for (const { slot, statistics } of rack.inventory()) {
    const { heartbeats, sessions, notifications } = statistics
    const alerts = slot === SLOT ? ALERTS : 0
    if (sessions === 1 && heartbeats >= MIN_HEARTBEATS && notifications === alerts) continue
    throw new Error(`slot ${slot} had ${sessions} sessions, ${heartbeats} heartbeats and ${notifications} alerts`)
  }
}
