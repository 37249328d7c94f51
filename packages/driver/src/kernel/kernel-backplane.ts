import {
  type Backplane,
  type BackplaneEvent,
  type HostDevice,
  type HostDeviceQuery,
  type LastKnownPower,
  LinkError,
  Listeners,
  lastKnownOr,
  type ModuleDescriptor,
  type PowerDescriptor,
  type SlotLink,
  type Version,
} from '@slotwire/core'
import { unlessAborted, withDeadline } from '../deadline.ts'
import { coalescedRead } from './coalesced-read.ts'
import { readHostDevices } from './host-devices.ts'
import { KernelDriverError, noAnswerError, remedyFor } from './kernel-driver.ts'
import { type KernelContext, slotsFolder } from './kernel-files.ts'
import { KernelSlot, POWER_LIMIT_MS } from './kernel-slot.ts'
import { SlotFolders } from './slot-folders.ts'

/** Longest wait for the slots to close normally, in milliseconds; the kernel takes about 200. */
export const SLOTS_LIMIT_MS = 500
/** Longest time for the first listing of the slots, in milliseconds. It includes starting a process on a busy machine. */
export const FIRST_SCAN_LIMIT_MS = 10_000

/** The modules behind the kernel driver `sdbpk`, and how to release them. */
export interface KernelBackplane extends Backplane {
  /** Scans the slots now instead of at the next interval, for callers that hear of a change earlier (uevents). Never rejects. */
  rescan(): Promise<void>
  /** One sentence about what blocks the adapter; undefined while it makes progress. Failed slots do not count. */
  stuck(): string | undefined
  /**
   * Releases every slot; the modules fall to SUSPEND. Resolves when no process of this backplane is left, or after two and a half seconds
   * if the kernel keeps one. Never rejects.
   */
  close(): Promise<void>
}

/** The slots as the kernel's files show them. Call `start` first. */
export class SlotsOfKernel implements KernelBackplane {
  readonly kernelDriver: Version
  /** Always up: a device that restarts ends this process. */
  readonly state = 'up'
  readonly findsLater = true
  readonly #options: KernelContext
  readonly #closeFiles: () => Promise<void>
  readonly #folders: SlotFolders
  readonly #listeners: Listeners<BackplaneEvent>
  readonly #slots = new Map<number, KernelSlot>()
  #closed = false
  /** Keyed by query, which is a constant. */
  readonly #hostDevices = new WeakMap<HostDeviceQuery, () => Promise<readonly HostDevice[]>>()

  /** `closeFiles` ends the processes that did not end normally; it never hangs. */
  constructor(options: KernelContext, kernelDriver: Version, closeFiles: () => Promise<void>) {
    this.kernelDriver = kernelDriver
    this.#options = options
    this.#closeFiles = closeFiles
    this.#listeners = new Listeners((err) => options.log.error({ err }, 'a listener failed'))
    this.#folders = new SlotFolders({
      ...options,
      onArrived: (slot) => this.#listeners.emit({ type: 'arrived', slot }),
      onLeft: (slot) => this.#onLeft(slot),
      watched: () => this.present().flatMap((slot) => this.#slots.get(slot)?.watchedFiles ?? []),
      onChanged: () => this.#slots.forEach((slot) => slot.changed()),
    })
  }

  /** Scans the slots for the first time. Rejects with `KernelDriverError`, or with the reason of an aborted signal. */
  async start(stopping: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options
    const folder = slotsFolder(this.#options)
    const expired = (): Error => noAnswerError(`${folder} was not listed`, FIRST_SCAN_LIMIT_MS)
    try {
      await unlessAborted(withDeadline(clock, FIRST_SCAN_LIMIT_MS, this.#folders.start(), expired), stopping)
    } catch (error) {
      this.#folders.close()
      if (error instanceof KernelDriverError || stopping?.aborted === true) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new KernelDriverError(`the slots could not be listed (${reason}): ${remedyFor(error, folder)}`, { cause: error })
    }
  }

  rescan(): Promise<void> {
    return this.#folders.rescan()
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

  async powerDescriptors(lastKnown?: LastKnownPower): Promise<ReadonlyMap<number, PowerDescriptor>> {
    const slots = await this.#occupied()
    const read = (slot: number): Promise<PowerDescriptor> =>
      this.#present(slot)
        .powerDescriptor()
        .catch((error: unknown) => lastKnownOr(error, slot, lastKnown))
    const found = slots.map(async (slot) => [slot, await read(slot)] as const)
    return new Map((await Promise.all(found.map(undefinedIfGone))).filter((one) => one !== undefined))
  }

  async open(slot: number): Promise<SlotLink> {
    return this.#present(slot).open()
  }

  hostDevices(query: HostDeviceQuery): Promise<readonly HostDevice[]> {
    const { files, sysRoot } = this.#options
    const read = this.#hostDevices.get(query) ?? coalescedRead(() => readHostDevices(files, sysRoot, query))
    this.#hostDevices.set(query, read)
    return read()
  }

  subscribe(listener: (event: BackplaneEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#folders.close()
    const slots = Promise.all([...this.#slots.values()].map((slot) => slot.close()))
    await withDeadline(this.#options.clock, SLOTS_LIMIT_MS, slots, 'not closed').catch(() => undefined)
    // Now close by force what has not closed normally.
    await this.#closeFiles()
  }

  async #occupied(): Promise<readonly number[]> {
    const { clock } = this.#options
    try {
      if (this.#closed) throw new Error('the driver has stopped')
      return await withDeadline(clock, POWER_LIMIT_MS, this.#folders.occupied(), 'not')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new LinkError('transfer-failed', `the slots could not be listed: ${reason}`)
    }
  }

  #onLeft(slot: number): void {
    this.#slots.get(slot)?.left()
    this.#listeners.emit({ type: 'left', slot })
  }

  #present(slot: number): KernelSlot {
    if (this.#closed) throw new LinkError('gone', `slot ${slot} has been released`)
    if (!this.#folders.has(slot)) throw new LinkError('gone', `slot ${slot} is empty`)
    const known = this.#slots.get(slot)
    if (known !== undefined) return known
    const created = new KernelSlot({
      ...this.#options,
      slot,
      isWatched: (file) => this.#folders.looksAt(file),
      isPresent: async () => {
        await this.rescan()
        return this.#folders.has(slot)
      },
    })
    this.#slots.set(slot, created)
    return created
  }
}

/** Undefined if the module has left meanwhile. */
async function undefinedIfGone<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof LinkError && error.failure === 'gone') return undefined
    throw error
  }
}
