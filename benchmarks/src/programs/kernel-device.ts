// Stands in for the kernel driver: makes `sys` and `dev` in a folder, where each slot is a pseudo-terminal by socat with a module at its other
// end. `kernel-device.js <folder>`: a virtual io module in slot 0. `kernel-device.js <folder> <slots> <milliseconds>`: modules that take so
// long to answer (slow-module.ts). Prints `ready`; ends with its input.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type SlotLink, SystemClock, seededRandom } from '@slotwire/core'
import * as firmwares from '@slotwire/modules/firmwares'
import { Chassis, VolatileMemory } from '@slotwire/twin'

const SEED = 1
const KERNEL_DRIVER = '1.1.2\n'
const PTY_NAME = /PTY is (\S+)\n/
/** Raw, and open for whoever comes; ended with this process, however that ends. The address of the module's end follows. */
const SOCAT = ['--pdeathsig', 'KILL', '--', 'socat', '-d', '-d', '-t', '0', 'PTY,raw,echo=0,wait-slave']

const [, , folder = '', slots, delayMs] = process.argv
mkdirSync(`${folder}/dev`)
mkdirSync(`${folder}/sys/module/sdbpk`, { recursive: true })
writeFileSync(`${folder}/sys/module/sdbpk/version`, KERNEL_DRIVER)
const terminals = slots === undefined ? [await quickModule()] : await slowModules(Number(slots), Number(delayMs))
process.stdout.write('ready\n')
process.stdin.on('end', () => terminals.forEach((terminal) => terminal.kill('SIGKILL')))
process.stdin.resume()

async function quickModule(): Promise<ChildProcess> {
  const slot = 0
  const chassis = new Chassis({ clock: new SystemClock(), random: seededRandom(SEED), memory: () => new VolatileMemory() })
  chassis.plug(slot, firmwares.io)
  await chassis.powerOn()
  const link: SlotLink = await chassis.open(slot)
  const terminal = await openTerminal(slot, 'STDIO')
  terminal.stdout?.on(
    'data',
    (payload: Buffer) => void link.exchange(payload).then((response) => terminal.stdin?.write(response)),
  )
  return terminal
}

function slowModules(count: number, answerMs: number): Promise<ChildProcess[]> {
  return Promise.all(Array.from({ length: count }, (_, slot) => openTerminal(slot, `EXEC:node slow-module.js ${answerMs}`)))
}

async function openTerminal(slot: number, module: string): Promise<ChildProcess> {
  const shown = `${folder}/sys/class/sdbp/slot${slot}`
  mkdirSync(shown, { recursive: true })
  writeFileSync(`${shown}/rid`, `${slot}\0`)
  const terminal = spawn('setpriv', [...SOCAT, module], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` },
  })
  symlinkSync(await nameOf(terminal.stderr), `${folder}/dev/slot${slot}`)
  return terminal
}

async function nameOf(told: Readable): Promise<string> {
  let text = ''
  for await (const chunk of told.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const [, name] = PTY_NAME.exec(text) ?? []
    if (name === undefined) continue
    told.resume()
    return name
  }
  throw new Error(`socat has opened no pseudo-terminal: ${text}`)
}
