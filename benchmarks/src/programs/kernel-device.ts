// Simulates the kernel driver: `kernel-device.js <folder>` creates `sys` and `dev` in the folder, with the modules of the default device.
// The file of a slot is a pseudo-terminal by socat, connected to a virtual module; `notification` is a FIFO without content. Prints `ready`.
import { execFileSync, spawn } from 'node:child_process'
import { constants, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { formatVersion, type ModuleDescriptor, SystemClock, seededRandom, type Version } from '@slotwire/core'
import { defaultChassis } from '@slotwire/device/twin'
import { VolatileMemory } from '@slotwire/twin'

const SEED = 1
const MKFIFO = 'mkfifo'
const KERNEL_DRIVER = '1.1.2\n'
const PTY_NAME = /PTY is (\S+)\n/
/** Raw, and accepts any opener; ends with this process, however that ends. */
const SOCAT = ['--pdeathsig', 'KILL', '--', 'socat', '-d', '-d', '-t', '0', 'PTY,raw,echo=0,wait-slave', 'STDIO']

const [, , folder = ''] = process.argv
const classFolder = `${folder}/sys/class/sdbp`
for (const made of [`${folder}/dev`, `${folder}/sys/module/sdbpk`, classFolder]) mkdirSync(made, { recursive: true })
writeFileSync(`${folder}/sys/module/sdbpk/version`, KERNEL_DRIVER)
const chassis = defaultChassis({ clock: new SystemClock(), random: seededRandom(SEED), memory: () => new VolatileMemory() })
await chassis.powerOn()
await Promise.all(chassis.present().map(show))
process.stdout.write('ready\n')

async function show(slot: number): Promise<void> {
  const shown = `${classFolder}/slot${slot}`
  mkdirSync(shown)
  for (const [name, value] of Object.entries(attributesOf(await chassis.descriptor(slot)))) {
    writeFileSync(`${shown}/${name}`, `${value}\0`)
  }
  writeFileSync(`${shown}/rid`, `${slot}\0`)
  execFileSync(MKFIFO, [`${shown}/notification`])
  // Open for reading and writing: a reader of the FIFO waits.
  openSync(`${shown}/notification`, constants.O_RDWR | constants.O_NONBLOCK)
  const link = await chassis.open(slot)
  const terminal = spawn('setpriv', SOCAT)
  terminal.stdout.on('data', (payload: Buffer) => void link.exchange(payload).then((response) => terminal.stdin.write(response)))
  symlinkSync(await nameOf(terminal.stderr), `${folder}/dev/slot${slot}`)
}

/** The attributes in a slot's folder; wire-protocol.md section 3. */
function attributesOf({ firmware, ...descriptor }: ModuleDescriptor): Readonly<Record<string, string | number>> {
  return {
    vendor_product_id: descriptor.vendorProductId,
    vendor_name: descriptor.vendorName,
    product_name: descriptor.productName,
    serial_code: descriptor.serialCode,
    fw_version: `${firmware.stability}.${versionText(firmware.version)}`,
    hw_version: versionText(descriptor.hardwareVersion),
    protocol_version: versionText(descriptor.protocolVersion),
    bootloader_state: 1,
    max_frame_size: descriptor.maxFrameSize,
    max_sclk_speed: descriptor.maxSclkSpeedKhz,
    max_power_3v3: descriptor.maxPower3v3,
    max_power_5v0: descriptor.maxPower5v0,
    max_power_12v: descriptor.maxPower12v,
  }
}

function versionText(version: Version): string {
  return formatVersion(version)
    .split('.')
    .map((part) => part.padStart(5, '0'))
    .join('.')
}

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
