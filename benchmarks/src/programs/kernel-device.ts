// Stands in for the kernel driver: `kernel-device.js <folder> <slots> <delay in ms>`. Makes `sys` and `dev` in the folder, where each slot is a
// pseudo-terminal by socat with a virtual io module at its other end, which answers after the delay. Prints `ready`; ends with its input.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { type Clock, type SlotLink, SystemClock, seededRandom } from '@slotwire/core'
import * as firmwares from '@slotwire/modules/firmwares'
import { Chassis, VolatileMemory } from '@slotwire/twin'

const SEED = 1
const KERNEL_DRIVER = '1.1.2\n'
const PTY_NAME = /PTY is (\S+)\n/
/** Raw, and open for whoever comes; ended with this process, however that ends. */
const COMMAND = ['setpriv', '--pdeathsig', 'KILL', '--', 'socat', '-d', '-d', '-t', '0', 'PTY,raw,echo=0,wait-slave', 'STDIO']

const [, , folder = '', count, delay] = process.argv
const slots = Number(count)
const delayMs = Number(delay)
const clock = new SystemClock()

mkdirSync(`${folder}/dev`)
mkdirSync(`${folder}/sys/module/sdbpk`, { recursive: true })
writeFileSync(`${folder}/sys/module/sdbpk/version`, KERNEL_DRIVER)
const terminals = await Promise.all((await modules(clock)).map(serve))
process.stdout.write('ready\n')
process.stdin.on('end', () => terminals.forEach((terminal) => terminal.kill('SIGKILL')))
process.stdin.resume()

async function modules(time: Clock): Promise<SlotLink[]> {
  const chassis = new Chassis({ clock: time, random: seededRandom(SEED), memory: () => new VolatileMemory() })
  const numbers = Array.from({ length: slots }, (_, slot) => slot)
  for (const slot of numbers) chassis.plug(slot, firmwares.io)
  await chassis.powerOn()
  return Promise.all(numbers.map((slot) => chassis.open(slot)))
}

async function serve(link: SlotLink): Promise<ChildProcess> {
  const { slot } = link
  const shown = `${folder}/sys/class/sdbp/slot${slot}`
  mkdirSync(shown, { recursive: true })
  writeFileSync(`${shown}/rid`, `${slot}\0`)
  const [program = '', ...args] = COMMAND
  const terminal = spawn(program, args)
  terminal.stdout.on('data', (payload: Buffer) => void answer(link, payload).then((response) => terminal.stdin.write(response)))
  symlinkSync(await nameOf(terminal.stderr), `${folder}/dev/slot${slot}`)
  return terminal
}

async function answer(link: SlotLink, payload: Buffer): Promise<Uint8Array> {
  if (delayMs > 0) await clock.sleep(delayMs)
  return link.exchange(payload)
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
