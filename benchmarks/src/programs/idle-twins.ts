// Default devices without a driver, in one process: `idle-twins.js <count>`. Prints the count when all are switched on.
import { SystemClock, seededRandom } from '@slotwire/core'
import { defaultChassis } from '@slotwire/device/twin'
import { VolatileMemory } from '@slotwire/twin'

const clock = new SystemClock()
const twins = Array.from({ length: Number(process.argv[2]) }, (_, index) =>
  defaultChassis({ clock, random: seededRandom(index + 1), memory: () => new VolatileMemory() }),
)
for (const chassis of twins) await chassis.powerOn()
process.stdout.write(`${twins.length}\n`)
// Keeps the process, and the twins from being garbage-collected.
setInterval(() => twins.length, 1_000_000)
