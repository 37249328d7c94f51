// Simulates the kernel driver: `kernel-device.js <folder>` creates `sys` and `dev` in the folder. Slot 0 is a pseudo-terminal by socat,
// connected to a virtual io module. Prints `ready`.
import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { SystemClock, seededRandom } from '@slotwire/core'
import * as firmwares from '@slotwire/modules/firmwares'
import { Chassis, VolatileMemory } from '@slotwire/twin'

const SEED = 1
const KERNEL_DRIVER = '1.1.2\n'
const PTY_NAME = /PTY is (\S+)\n/
/** Raw, and accepts any opener; ends with this process, however that ends. */
const SOCAT = ['--pdeathsig', 'KILL', '--', 'socat', '-d', '-d', '-t', '0', 'PTY,raw,echo=0,wait-slave', 'STDIO']

const SLOT = 0

const [, , folder = ''] = process.argv
const shown = `${folder}/sys/class/sdbp/slot${SLOT}`
for (const made of [`${folder}/dev`, `${folder}/sys/module/sdbpk`, shown]) mkdirSync(made, { recursive: true })
writeFileSync(`${folder}/sys/module/sdbpk/version`, KERNEL_DRIVER)
writeFileSync(`${shown}/rid`, `${SLOT}\0`)
const chassis = new Chassis({ clock: new SystemClock(), random: seededRandom(SEED), memory: () => new VolatileMemory() })
chassis.plug(SLOT, firmwares.io)
await chassis.powerOn()
const link = await chassis.open(SLOT)
const terminal = spawn('setpriv', SOCAT)
terminal.stdout.on('data', (payload: Buffer) => void link.exchange(payload).then((response) => terminal.stdin.write(response)))
symlinkSync(await nameOf(terminal.stderr), `${folder}/dev/slot${SLOT}`)
process.stdout.write('ready\n')

async function nameOf(output: Readable): Promise<string> {
  let text = ''
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const [, name] = PTY_NAME.exec(text) ?? []
    if (name === undefined) continue
    output.resume()
    return name
  }
  throw new Error(`socat did not open a pseudo-terminal: ${text}`)
}
