// Many default devices in one process, to which nobody speaks: `twin-crowd.js <idle|served> <how many> <settle ms> <watch ms>`.
// `idle`: switched on, without a driver. `served`: each with a driver, a service, and a port of its own.
// Prints the memory of the process in bytes, and how much of a core it takes in percent, once that has settled.
import { SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { defaultChassis } from '@slotwire/modules/default-device'
import { createDeviceService } from '@slotwire/modules/device-service'
import { VolatileMemory } from '@slotwire/twin'

const SEED = 1
const MICROSECONDS_PER_MS = 1000
const PERCENT = 100

const [kind, ...figures] = process.argv.slice(2)
const [count = 0, settleMs = 0, watchMs = 0] = figures.map(Number)
const clock = new SystemClock()

// Those that are served are held by what listens, the others by this alone.
const idle = []
for (let number = 0; number < count; number++) {
  const chassis = defaultChassis({ clock, random: seededRandom(SEED + number), memory: () => new VolatileMemory() })
  await chassis.powerOn()
  idle.push(chassis)
  if (kind !== 'served') continue
  const device = await createDeviceService({ backplane: chassis, clock, random: systemRandom })
  await device.service.listen({ host: '127.0.0.1', port: 0 })
  await device.start()
}

await clock.sleep(settleMs)
const [usedBefore, before] = [process.cpuUsage(), clock.now()]
await clock.sleep(watchMs)
const { user, system } = process.cpuUsage(usedBefore)
const corePercent = ((user + system) / MICROSECONDS_PER_MS / (clock.now() - before)) * PERCENT
process.stdout.write(`${JSON.stringify({ residentBytes: process.memoryUsage.rss(), corePercent, twins: idle.length })}\n`)
process.exit()
