import { closeSync, constants, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModuleDescriptor, Version } from '@slotwire/core'
import { launcher } from './launcher.testkit.ts'
import { Pty } from './pty.testkit.ts'

/** How many FIFOs are made at a time, and how few may be left before that. */
const FIFOS_AT_ONCE = 64
const FEW_FIFOS = 16

/** Answers a payload at the far end; undefined: it never answers. */
export type FarEnd = (payload: Buffer) => Promise<Uint8Array | undefined>

/** A module as the kernel shows it. */
export interface TreeModule {
  readonly descriptor: ModuleDescriptor
  readonly answer: FarEnd
  /** Called when the process that had the file open has closed it. */
  readonly onClosed?: () => Promise<void>
}

/** `/sys` and `/dev` in a temporary folder, as the kernel driver shows them. A slot's file is a pseudo-terminal, `notification` is a FIFO. */
export class KernelTree {
  readonly root = mkdtempSync(join(tmpdir(), 'slotwire-kernel-'))
  readonly sysRoot = join(this.root, 'sys')
  readonly devRoot = join(this.root, 'dev')
  readonly #socat: string
  readonly #slots = new Map<number, TreeSlot>()
  #count = 0

  constructor(socat: string, version = '1.3.1\n') {
    this.#socat = socat
    for (const folder of [this.devRoot, join(this.sysRoot, 'class', 'sdbp'), join(this.sysRoot, 'module', 'sdbpk')]) {
      mkdirSync(folder, { recursive: true })
    }
    writeFileSync(join(this.sysRoot, 'module', 'sdbpk', 'version'), version)
  }

  get present(): readonly number[] {
    return [...this.#slots.keys()]
  }

  slot(slot: number): TreeSlot {
    const found = this.#slots.get(slot)
    if (found === undefined) throw new Error(`nothing is in slot ${slot} of the tree`)
    return found
  }

  pty(): Promise<Pty> {
    return Pty.take(this.#socat)
  }

  /** Plugs a module in: its complete folder appears at once. */
  async plug(slot: number, module: TreeModule): Promise<TreeSlot> {
    const plugged = new TreeSlot(this, slot, module)
    this.#slots.set(slot, plugged)
    const [fifo] = await Promise.all([takeFifo(), plugged.connect()])
    const folder = join(this.root, `new-${++this.#count}`)
    mkdirSync(folder)
    for (const [name, value] of attributesOf(module.descriptor)) writeFileSync(join(folder, name), value)
    writeFileSync(join(folder, 'rid'), `${this.#count}\0`)
    renameSync(fifo, join(folder, 'notification'))
    plugged.watch(join(folder, 'notification'))
    renameSync(folder, this.folder(slot))
    return plugged
  }

  /** Removes a module. */
  unplug(slot: number): void {
    const plugged = this.slot(slot)
    this.#slots.delete(slot)
    const folder = join(this.root, `old-${++this.#count}`)
    renameSync(this.folder(slot), folder)
    rmSync(join(this.devRoot, `slot${slot}`))
    plugged.hangUp()
    rmSync(folder, { recursive: true })
  }

  folder(slot: number): string {
    return join(this.sysRoot, 'class', 'sdbp', `slot${slot}`)
  }

  close(): Promise<void> {
    for (const plugged of this.#slots.values()) plugged.recycle()
    this.#slots.clear()
    rmSync(this.root, { recursive: true, force: true })
    return Promise.resolve()
  }
}

/** One occupied slot of the tree, seen from the kernel. */
export class TreeSlot {
  readonly #tree: KernelTree
  readonly #slot: number
  readonly #module: TreeModule
  #pty: Pty | undefined
  #notification: number | undefined
  #gone = false
  /** Exchanges and closes that the far end is working on. */
  readonly busy = new Set<Promise<unknown>>()

  constructor(tree: KernelTree, slot: number, module: TreeModule) {
    this.#tree = tree
    this.#slot = slot
    this.#module = module
  }

  /** Puts a pseudo-terminal at the path of the slot's file. */
  async connect(): Promise<void> {
    const pty = await this.#tree.pty()
    if (this.#gone) {
      pty.hangUp()
      return
    }
    this.#pty = pty
    pty.onPayload = (payload) => this.#track(this.#answer(pty, payload))
    void pty.closed.then(() => {
      if (!this.#gone && this.#pty === pty) this.#track(this.#onClosed())
    })
    pty.link(join(this.#tree.devRoot, `slot${this.#slot}`))
  }

  /** Makes a notification available for reading. */
  notify(payload: Uint8Array): void {
    if (this.#notification === undefined) return
    writeSync(this.#notification, `0x${Buffer.from(payload).toString('hex').toUpperCase()}\0`)
  }

  /** Call this when the file is known to be closed: the pseudo-terminal may not have noticed that it was open. */
  released(): void {
    if (this.#pty?.isOpen === false) this.#pty.hangUp()
  }

  /** Writes raw bytes to the reader of the slot's file. */
  send(bytes: Uint8Array): void {
    this.#pty?.send(bytes)
  }

  /** Opens the FIFO in both directions: data stays until it is read, even if readers come and go. */
  watch(fifo: string): void {
    this.#notification = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
  }

  hangUp(): void {
    this.#leave()
    this.#pty?.hangUp()
  }

  /** Returns the pseudo-terminal to the pool if it was never opened. */
  recycle(): void {
    this.#leave()
    this.#pty?.recycle()
  }

  /** Replaces the attribute values one by one. */
  writeAttributes(folder: string, descriptor: ModuleDescriptor): void {
    for (const [name, value] of attributesOf(descriptor)) {
      writeFileSync(join(folder, `${name}.new`), value)
      renameSync(join(folder, `${name}.new`), join(folder, name))
    }
  }

  #leave(): void {
    this.#gone = true
    if (this.#notification !== undefined) closeSync(this.#notification)
    this.#notification = undefined
  }

  async #answer(pty: Pty, payload: Buffer): Promise<void> {
    const answer = await this.#module.answer(payload)
    if (answer !== undefined) pty.send(answer)
  }

  async #onClosed(): Promise<void> {
    await Promise.all([this.#module.onClosed?.(), this.connect()])
  }

  #track(work: Promise<void>): void {
    this.busy.add(work)
    void work.finally(() => this.busy.delete(work))
  }
}

const fifos: string[] = []
let fifosMade = 0
let makingFifos: Promise<void> | undefined

async function takeFifo(): Promise<string> {
  if (fifos.length < FEW_FIFOS) makingFifos ??= makeFifos()
  for (;;) {
    const fifo = fifos.pop()
    if (fifo !== undefined) return fifo
    await (makingFifos ??= makeFifos())
  }
}

async function makeFifos(): Promise<void> {
  const made = Array.from({ length: FIFOS_AT_ONCE }, () => join(launcher.folder, `fifo-${++fifosMade}`))
  await launcher.run(`mkfifo ${made.join(' ')} && echo fifo-${fifosMade} made >&2`, new RegExp(`fifo-${fifosMade} made`))
  fifos.push(...made)
  makingFifos = undefined
}

/** The attributes of a slot's folder, by wire-protocol.md section 3: names, and contents that end in NUL. */
function attributesOf(descriptor: ModuleDescriptor): (readonly [string, string])[] {
  const { firmware } = descriptor
  const bootloaderStates = ['not supported', 'supported', 'in bootloader mode']
  const values = {
    vendor_product_id: descriptor.vendorProductId,
    vendor_name: descriptor.vendorName,
    product_name: descriptor.productName,
    serial_code: descriptor.serialCode,
    fw_version: `${firmware.stability}.${versionText(firmware.version)}`,
    hw_version: versionText(descriptor.hardwareVersion),
    protocol_version: versionText(descriptor.protocolVersion),
    bootloader_state: bootloaderStates.indexOf(descriptor.bootloaderState),
    max_frame_size: descriptor.maxFrameSize,
    max_sclk_speed: descriptor.maxSclkSpeedKhz,
    max_power_3v3: descriptor.maxPower3v3,
    max_power_5v0: descriptor.maxPower5v0,
    max_power_12v: descriptor.maxPower12v,
    stats_failed_transmissions: 0,
    stats_notifications: 0,
    stats_failed_notifications: 0,
    stats_failed_descriptors: 0,
  }
  return Object.entries(values).map(([name, value]) => [name, `${value}\0`])
}

function versionText({ major, minor, patch }: Version): string {
  return [major, minor, patch].map((part) => String(part).padStart(5, '0')).join('.')
}
