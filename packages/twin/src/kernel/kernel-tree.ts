import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { codeOf, type HostDevice, type ModuleDescriptor, type Version } from '@slotwire/core'
import { FifoMaker, NotificationFile } from './notification-file.ts'
import { Pty } from './pty.ts'

/** First device number of a class, from the range for local use. */
const LOCAL_MAJOR = 240
/** Folders below `/sys`. Slots are devices without a bus; the links in the classes' folders lead to them. */
const DEVICES = 'devices/virtual/sdbp'
const CLASS = 'class/sdbp'
const DRIVER = 'module/sdbpk'
const USB_DEVICES = 'bus/usb/devices'

const STATISTICS = [
  'stats_failed_transmissions',
  'stats_notifications',
  'stats_failed_notifications',
  'stats_failed_descriptors',
] as const

/** Answers a payload at the far end; undefined: it never answers. */
export type FarEnd = (payload: Buffer) => Promise<Uint8Array | undefined>

/** A module as the kernel shows it. */
export interface TreeModule {
  readonly descriptor: ModuleDescriptor
  readonly answer: FarEnd
  /** Called when the process that had the file open has closed it. */
  readonly onClosed?: () => Promise<void>
  /** Called with each notification that was read. */
  readonly onNotificationRead?: (payload: Uint8Array) => void
}

export interface KernelTreeOptions {
  /** Text in the file for the version of the kernel driver. */
  readonly version?: string
  /** Where `sys` and `dev` are created. Default: a temporary folder. */
  readonly root?: string
  /** Called when files cannot be changed: another program may have removed them. Default: the error is thrown. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * `/sys` and `/dev` in a folder, as the kernel driver shows them. A slot's file is a pseudo-terminal, `notification` is a FIFO. Links are
 * relative: the folders can be mounted at another place.
 */
export class KernelTree {
  readonly root: string
  readonly sysRoot: string
  readonly devRoot: string
  readonly onFailure: (error: unknown) => void
  readonly #isTemporary: boolean
  /** Folders in the order of their creation. */
  readonly #made: string[] = []
  readonly #fifos: FifoMaker
  readonly #slots = new Map<number, TreeSlot>()
  #usb: readonly HostDevice[] = []
  #count = 0

  /** Throws the system's error if the folder cannot be written. */
  constructor(
    readonly socat: string,
    { version = '1.3.1\n', root, onFailure = rethrow }: KernelTreeOptions = {},
  ) {
    this.onFailure = onFailure
    this.#isTemporary = root === undefined
    this.root = root ?? mkdtempSync(join(tmpdir(), 'slotwire-kernel-'))
    this.sysRoot = join(this.root, 'sys')
    this.devRoot = join(this.root, 'dev')
    const fifos = join(this.root, '.fifos')
    const inSys = [CLASS, DEVICES, DRIVER, USB_DEVICES].map((folder) => join(this.sysRoot, folder))
    for (const folder of [this.root, this.devRoot, fifos, ...inSys]) this.#make(folder)
    writeFileSync(join(this.sysRoot, DRIVER, 'version'), version)
    this.#fifos = new FifoMaker(fifos)
  }

  get present(): readonly number[] {
    return [...this.#slots.keys()]
  }

  slot(slot: number): TreeSlot {
    const treeSlot = this.#slots.get(slot)
    if (treeSlot === undefined) throw new Error(`nothing is in slot ${slot} of the tree`)
    return treeSlot
  }

  /** Plugs a module in: its complete folder appears at once. */
  async plug(slot: number, module: TreeModule): Promise<TreeSlot> {
    const plugged = new TreeSlot(this, slot, module)
    this.#slots.set(slot, plugged)
    const folder = this.#device(slot)
    mkdirSync(folder)
    plugged.writeAttributes(folder, module.descriptor)
    writeFileSync(join(folder, 'rid'), `${++this.#count}\0`)
    for (const name of STATISTICS) writeFileSync(join(folder, name), '0\0')
    writeFileSync(join(folder, 'dev'), `${LOCAL_MAJOR}:${slot}\n`)
    writeFileSync(join(folder, 'uevent'), `MAJOR=${LOCAL_MAJOR}\nMINOR=${slot}\nDEVNAME=slot${slot}\n`)
    link(join(folder, 'subsystem'), join(this.sysRoot, CLASS))
    await Promise.all([plugged.watch(this.#fifos, join(folder, 'notification')), plugged.connect()])
    link(this.folder(slot), folder)
    return plugged
  }

  /** Removes a module. */
  unplug(slot: number): void {
    const plugged = this.slot(slot)
    this.#slots.delete(slot)
    rmSync(this.folder(slot))
    rmSync(join(this.devRoot, `slot${slot}`))
    plugged.hangUp()
    rmSync(this.#device(slot), { recursive: true })
  }

  /** The link to a slot's folder. */
  folder(slot: number): string {
    return join(this.sysRoot, CLASS, `slot${slot}`)
  }

  /** Replaces the value of an attribute. */
  writeAttribute(slot: number, name: string, value: number): void {
    // In place: a program that has it open reads the new value, as in sysfs.
    writeFileSync(join(this.folder(slot), name), `${value}\0`, { flag: 'r+' })
  }

  /** Shows these USB devices, and no others. */
  showUsb(devices: readonly HostDevice[]): void {
    const folderOf = ({ systemPath }: HostDevice): string => systemPath.replace('/sys', this.sysRoot)
    const linkOf = ({ name }: HostDevice): string => join(this.sysRoot, USB_DEVICES, name)
    if (isDeepStrictEqual(devices, this.#usb)) return
    for (const device of this.#usb)
      for (const path of [linkOf(device), folderOf(device)]) rmSync(path, { recursive: true, force: true })
    this.#usb = devices
    for (const device of devices) {
      const folder = folderOf(device)
      this.#make(dirname(folder))
      mkdirSync(folder)
      for (const [name, value] of Object.entries(device.attributes)) {
        if (value !== '') writeFileSync(join(folder, name), `${value}\n`)
      }
      writeFileSync(join(folder, 'uevent'), 'DEVTYPE=usb_device\n')
      link(join(folder, 'subsystem'), join(this.sysRoot, 'bus', 'usb'))
      link(linkOf(device), folder)
    }
  }

  /** Removes what it has created. Files of others stay, and the folders in which they are. */
  close(): Promise<void> {
    for (const [slot, plugged] of this.#slots) {
      plugged.recycle()
      for (const path of [this.folder(slot), this.#device(slot), join(this.devRoot, `slot${slot}`)]) {
        rmSync(path, { recursive: true, force: true })
      }
    }
    this.#slots.clear()
    this.showUsb([])
    rmSync(join(this.root, '.fifos'), { recursive: true, force: true })
    rmSync(join(this.sysRoot, DRIVER, 'version'), { force: true })
    for (const folder of this.#made.toReversed()) removeEmpty(folder)
    if (this.#isTemporary) rmSync(this.root, { recursive: true, force: true })
    return Promise.resolve()
  }

  #device(slot: number): string {
    return join(this.sysRoot, DEVICES, `slot${slot}`)
  }

  /** Creates a folder, and those in which it is. */
  #make(folder: string): void {
    if (existsSync(folder)) return
    this.#make(dirname(folder))
    mkdirSync(folder)
    this.#made.push(folder)
  }
}

/** One occupied slot of the tree, seen from the kernel. */
export class TreeSlot {
  #pty: Pty | undefined
  #notification: NotificationFile | undefined
  #gone = false
  /** Exchanges and closes that the far end is working on. */
  readonly busy = new Set<Promise<unknown>>()

  constructor(
    private readonly tree: KernelTree,
    private readonly slot: number,
    private readonly module: TreeModule,
  ) {}

  /** Puts a pseudo-terminal at the path of the slot's file. */
  async connect(): Promise<void> {
    const pty = await Pty.take(this.tree.socat)
    if (this.#gone) {
      pty.hangUp()
      return
    }
    this.#pty = pty
    pty.onPayload = (payload) => this.#track(this.#answer(pty, payload))
    void pty.closed.then(() => {
      if (!this.#gone && this.#pty === pty) this.#track(this.#onClosed())
    })
    pty.link(join(this.tree.devRoot, `slot${this.slot}`))
  }

  /** Makes a notification available for reading. */
  notify(payload: Uint8Array): void {
    this.#notification?.add(payload)
  }

  /** Whether a notification has not been read. */
  get isUnread(): boolean {
    return this.#notification?.isUnread === true
  }

  /** Call this when the file is known to be closed: the pseudo-terminal may not have noticed that it was open. */
  released(): void {
    if (this.#pty?.isOpen === false) this.#pty.hangUp()
  }

  /** Writes raw bytes to the reader of the slot's file. */
  send(bytes: Uint8Array): void {
    this.#pty?.send(bytes)
  }

  /** Creates the file with the notifications. */
  async watch(fifos: FifoMaker, path: string): Promise<void> {
    this.#notification = await NotificationFile.create(fifos, path, this.tree.onFailure)
    this.#notification.onRead = (payload) => this.module.onNotificationRead?.(payload)
    if (this.#gone) this.#notification.close()
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
    for (const [name, value] of attributesOf(descriptor)) replaceFile(join(folder, name), value)
  }

  #leave(): void {
    this.#gone = true
    this.#notification?.close()
    this.#notification = undefined
  }

  async #answer(pty: Pty, payload: Buffer): Promise<void> {
    const answer = await this.module.answer(payload)
    if (answer !== undefined) pty.send(answer)
  }

  async #onClosed(): Promise<void> {
    await Promise.all([this.module.onClosed?.(), this.connect()])
  }

  #track(work: Promise<void>): void {
    this.busy.add(work)
    void work.catch(this.tree.onFailure).finally(() => this.busy.delete(work))
  }
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
  }
  return Object.entries(values).map(([name, value]) => [name, `${value}\0`])
}

function versionText({ major, minor, patch }: Version): string {
  return [major, minor, patch].map((part) => String(part).padStart(5, '0')).join('.')
}

function replaceFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

function rethrow(error: unknown): never {
  throw error
}

/** Creates a relative link at `path`. */
function link(path: string, target: string): void {
  symlinkSync(relative(dirname(path), target), path)
}

/** A folder with files of others stays. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) throw error
  }
}
