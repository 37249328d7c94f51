import {
  type Backplane,
  type BackplaneEvent,
  type Clock,
  type HostUsbDevice,
  LinkError,
  Listeners,
  type Log,
  type ModuleDescriptor,
  type SlotLink,
  type Version,
} from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import { Fresh } from './fresh.ts'
import { KernelDriverError, readKernelDriver } from './kernel-driver.ts'
import type { KernelFiles } from './kernel-files.ts'
import { KernelSlot } from './kernel-slot.ts'
import { SlotFolders } from './slot-folders.ts'
import { SystemFiles } from './system-files.ts'
import { readUsbDevices } from './usb-devices.ts'

/** Longest that the end of the processes is waited for, in milliseconds. */
const END_LIMIT_MS = 2000

export interface KernelBackplaneOptions {
  /** `/sys`, or where a test has its own. */
  readonly sysRoot: string
  /** `/dev`, or where a test has its own. */
  readonly devRoot: string
  readonly clock: Clock
  readonly log: Log
  /** The system calls; closed by whoever brings them. Its own where left out. */
  readonly files?: KernelFiles
}

/** The modules behind the kernel driver `sdbpk`, and how to let go of them. */
export interface KernelBackplane extends Backplane {
  /** Looks at the slots now, not only when it is time; for whoever hears of a change earlier (uevents). Never rejects. */
  look(): Promise<void>
  /** What the adapter itself does not get on with, in one sentence; undefined: it makes progress. Slots that fail are none of it. */
  stuck(): string | undefined
  /** Gives every slot up; the modules fall to SUSPEND. Resolves when no process of this backplane is left; never rejects. */
  close(): Promise<void>
}

/**
 * Finds the slots of this device and follows who comes and goes; resolves after the first look. Rejects with `KernelDriverError`, which
 * says what to do, when the kernel driver is missing, of a version that is not known, or does not show its slots.
 */
export async function createKernelBackplane(options: KernelBackplaneOptions): Promise<KernelBackplane> {
  if (options.files !== undefined) return startBackplane({ ...options, files: options.files }, async () => undefined)
  const files = new SystemFiles()
  return startBackplane({ ...options, files }, () => endFiles(files, options))
}

async function startBackplane(
  options: KernelBackplaneOptions & { readonly files: KernelFiles },
  close: () => Promise<void>,
): Promise<KernelBackplane> {
  try {
    const backplane = new SlotsOfKernel(options, await readKernelDriver(options.files, options.sysRoot), close)
    await backplane.start()
    return backplane
  } catch (error) {
    await close()
    throw error
  }
}

/** Ends their processes; one that sits in a call that the kernel does not interrupt is left behind. Never rejects. */
async function endFiles(files: SystemFiles, { clock, log }: KernelBackplaneOptions): Promise<void> {
  try {
    await withDeadline(clock, END_LIMIT_MS, files.close(), () => new Error(`not ended within ${END_LIMIT_MS} ms`))
  } catch (err) {
    log.error({ err, pids: files.pids }, 'processes that wait for the kernel driver cannot be ended and are left behind')
    files.forget()
  }
}

class SlotsOfKernel implements KernelBackplane {
  readonly kernelDriver: Version
  /** A device that restarts takes this process with it. */
  readonly state = 'up'
  readonly #options: KernelBackplaneOptions & { readonly files: KernelFiles }
  readonly #closeFiles: () => Promise<void>
  readonly #folders: SlotFolders
  readonly #listeners: Listeners<BackplaneEvent>
  readonly #slots = new Map<number, KernelSlot>()
  readonly #usb = new Fresh(() => readUsbDevices(this.#options.files, this.#options.sysRoot))

  constructor(
    options: KernelBackplaneOptions & { readonly files: KernelFiles },
    kernelDriver: Version,
    closeFiles: () => Promise<void>,
  ) {
    const { files, clock, log, sysRoot } = options
    this.kernelDriver = kernelDriver
    this.#options = options
    this.#closeFiles = closeFiles
    this.#listeners = new Listeners((err) => log.error({ err }, 'a listener failed'))
    this.#folders = new SlotFolders({
      files,
      folder: `${sysRoot}/class/sdbp`,
      clock,
      log,
      onArrived: (slot) => this.#listeners.emit({ type: 'arrived', slot }),
      onLeft: (slot) => this.#onLeft(slot),
    })
  }

  async start(): Promise<void> {
    try {
      await this.#folders.start()
    } catch (error) {
      const folder = `${this.#options.sysRoot}/class/sdbp`
      const reason = error instanceof Error ? error.message : String(error)
      throw new KernelDriverError(`the slots could not be listed (${reason}): this user must be allowed to read ${folder}`, {
        cause: error,
      })
    }
  }

  look(): Promise<void> {
    return this.#folders.look()
  }

  stuck(): string | undefined {
    return this.#folders.stuck
  }

  present(): readonly number[] {
    return this.#folders.present
  }

  async descriptor(slot: number): Promise<ModuleDescriptor> {
    return this.#present(slot).descriptor()
  }

  async open(slot: number): Promise<SlotLink> {
    return this.#present(slot).open()
  }

  usbDevices(): Promise<readonly HostUsbDevice[]> {
    return this.#usb.get()
  }

  subscribe(listener: (event: BackplaneEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#folders.close()
    await Promise.all([...this.#slots.values()].map((slot) => slot.close()))
    await this.#closeFiles()
  }

  #onLeft(slot: number): void {
    this.#slots.get(slot)?.left()
    this.#listeners.emit({ type: 'left', slot })
  }

  #present(slot: number): KernelSlot {
    if (!this.#folders.has(slot)) throw new LinkError('gone', `slot ${slot} is empty`)
    const known = this.#slots.get(slot)
    if (known !== undefined) return known
    const { files, clock, log, sysRoot, devRoot } = this.#options
    const created = new KernelSlot({
      slot,
      files,
      folder: `${sysRoot}/class/sdbp/slot${slot}`,
      device: `${devRoot}/slot${slot}`,
      clock,
      log,
      isPresent: async () => {
        await this.look()
        return this.#folders.has(slot)
      },
    })
    this.#slots.set(slot, created)
    return created
  }
}
