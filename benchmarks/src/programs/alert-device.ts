// Serves the default device with 100 alerts a second in slot 3: at each of five pins the voltage rises 20 times a second. Prints its URL.
import { SystemClock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { source, VolatileMemory } from '@slotwire/twin'

const SEED = 1
const PINS = [1, 3, 4, 5, 6]
const CHANGE_MS = 25
const HIGH_VOLTS = 24

const clock = new SystemClock()
const chassis = defaultChassis({ clock, random: seededRandom(SEED), memory: () => new VolatileMemory() })
await chassis.powerOn()
const device = await createDeviceService({ backplane: chassis, clock, random: seededRandom(SEED + 1) })
await device.start()
for (const pin of PINS) {
  const settings = [
    ['input/mode', { pin, mode: 'digital' }],
    ['input/digital/interrupt', { pin, debounce_time_milliseconds: 20, trigger: 'rising' }],
  ] as const
  for (const [path, payload] of settings) {
    const { statusCode, body } = await device.service.inject({ method: 'POST', url: `/api/io/1.0/3/${path}`, payload })
    if (statusCode !== 200) throw new Error(`${path} was answered with ${body}`)
  }
  const connection = chassis.wiring.connect(`3/${pin}`, source({ volts: 0 }))
  let isHigh = false
  const change = (): void => {
    isHigh = !isHigh
    connection.set({ volts: isHigh ? HIGH_VOLTS : 0 })
    clock.after(CHANGE_MS, change)
  }
  clock.after((CHANGE_MS * pin) / PINS.length, change)
}
const { address } = await listen(device.service, { host: '127.0.0.1', port: 0 })
process.stdout.write(`http://127.0.0.1:${address.port}\n`)
