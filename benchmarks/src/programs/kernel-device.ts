// Simulates the kernel driver: `kernel-device.js <folder>` creates `sys` and `dev` in the folder, with the modules of the default device.
// Prints `ready`.
import { SystemClock, seededRandom } from '@slotwire/core'
import { defaultChassis } from '@slotwire/device/twin'
import { VolatileMemory } from '@slotwire/twin'
import { KernelSide, KernelTree } from '@slotwire/twin/kernel'

const SEED = 1
const KERNEL_DRIVER = '1.1.2\n'

const [, , folder = ''] = process.argv
const chassis = defaultChassis({ clock: new SystemClock(), random: seededRandom(SEED), memory: () => new VolatileMemory() })
const side = new KernelSide(chassis, new KernelTree('socat', { root: folder, version: KERNEL_DRIVER }))
await chassis.powerOn()
await side.processed
process.stdout.write('ready\n')
