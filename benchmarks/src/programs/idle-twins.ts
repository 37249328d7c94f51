// Default devices without a driver, in one process: `idle-twins.js <count>`. Prints the count when all are switched on.
import { SystemClock, seededRandom } from '@slotwire/core'
import { defaultChassis } from '@slotwire/device/twin'
import { type Chassis, VolatileMemory } from '@slotwire/twin'

const FOR_EVER_MS = 2 ** 31 - 1

const wanted = Number(process.argv[2])
const clock = new SystemClock()
const twins: Chassis[] = []
while (twins.length < wanted) {
  const chassis = defaultChassis({ clock, random: seededRandom(twins.length + 1), memory: () => new VolatileMemory() })
  await chassis.powerOn()
  twins.push(chassis)
}
process.stdout.write(`${twins.length}\n`)
await clock.sleep(FOR_EVER_MS)
// Keeps a reference, so that the twins are not garbage-collected.
process.stdout.write(`${twins.length}\n`)
