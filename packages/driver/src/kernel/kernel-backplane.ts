import {
  type Backplane,
  type BackplaneEvent,
  type HostDevice,
  type HostDeviceQuery,
  LinkError,
  Listeners,
  type ModuleDescriptor,
  type PowerDescriptor,
  type SlotLink,
  type Version,
} from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { coalescedRead } from './coalesced-read.ts'
import { readHostDevices } from './host-devices.ts'
import { KernelDriverError, remedyFor, unanswered } from './kernel-driver.ts'
import { type KernelContext, slotsFolder } from './kernel-files.ts'
import { KernelSlot, POWER_LIMIT_MS } from './kernel-slot.ts'
import { SlotFolders } from './slot-folders.ts'

/** Longest that the slots may take to be closed in peace, in milliseconds: the kernel takes some 200. */
export const SLOTS_LIMIT_MS = 500
/** Longest that the slots may take to be listed for the first time, in milliseconds; a busy machine starts a process for it. */
export const FIRST_LOOK_LIMIT_MS = 10_000

/** The modules behind the kernel driver `sdbpk`, and how to let go of them. */
export interface KernelBackplane extends Backplane {
  /** Looks at the slots now, not only when it is time; for whoever hears of a change earlier (uevents). Never rejects. */
  look(): Promise<void>
  /** What the adapter itself does not get on with, in one sentence; undefined: it makes progress. Slots that fail are none of it. */
  stuck(): string | undefined
  /**
   * Gives every slot up; the modules fall to SUSPEND. Resolves when no process of this backplane is left, within two and a half seconds
   * also where the kernel does not let go of one; never rejects.
   */
  close(): Promise<void>
}

/** The slots as the kernel's files show them; `start` before anything else. */
export class SlotsOfKernel implements KernelBackplane {
  readonly kernelDriver: Version
  /** A device that restarts takes this process with it. */
  readonly state = 'up'
  readonly #options: KernelContext
  readonly #closeFiles: () => Promise<void>
  readonly #folders: SlotFolders
  readonly #listeners: Listeners<BackplaneEvent>
  readonly #slots = new Map<number, KernelSlot>()
  #closed = false
  /** By query: those are constants. */
  readonly #hostDevices = new WeakMap<HostDeviceQuery, () => Promise<readonly HostDevice[]>>()

  /** `closeFiles` ends what has not ended in peace; it never hangs. */
  constructor(options: KernelContext, kernelDriver: Version, closeFiles: () => Promise<void>) {
    this.kernelDriver = kernelDriver
    this.#options = options
    this.#closeFiles = closeFiles
    this.#listeners = new Listeners((err) => options.log.error({ err }, 'a listener failed'))
    this.#folders = new SlotFolders({
      ...options,
      onArrived: (slot) => this.#listeners.emit({ type: 'arrived', slot }),
      onLeft: (slot) => this.#onLeft(slot),
    })
  }

  /** Looks at the slots for the first time. Rejects with `KernelDriverError`, and with the signal's reason when that is aborted. */
  async start(stopping: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options
    const folder = slotsFolder(this.#options)
    const expired = (): Error => unanswered(`${folder} was not listed`, FIRST_LOOK_LIMIT_MS)
    try {
      await unlessAborted(withDeadline(clock, FIRST_LOOK_LIMIT_MS, this.#folders.start(), expired), stopping)
    } catch (error) {
      this.#folders.close()
      if (error instanceof KernelDriverError || stopping?.aborted === true) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new KernelDriverError(`the slots could not be listed (${reason}): ${remedyFor(error, folder)}`, { cause: error })
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

  async powerDescriptors(): Promise<ReadonlyMap<number, PowerDescriptor>> {
    const slots = await this.#seen()
    const read = slots.map(async (slot) => [slot, await this.#present(slot).powerDescriptor()] as const)
    return new Map((await Promise.all(read.map(unlessGone))).filter((one) => one !== undefined))
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
    // What has not been closed in peace is now closed by force.
    await this.#closeFiles()
  }

  async #seen(): Promise<readonly number[]> {
    const { clock } = this.#options
    try {
      if (this.#closed) throw new Error('they have been given up')
      return await withDeadline(clock, POWER_LIMIT_MS, this.#folders.seen(), 'not')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new LinkError('transfer-failed', `the slots could not be looked at: ${reason}`)
    }
  }

  #onLeft(slot: number): void {
    this.#slots.get(slot)?.left()
    this.#listeners.emit({ type: 'left', slot })
  }

  #present(slot: number): KernelSlot {
    if (this.#closed) throw new LinkError('gone', `slot ${slot} has been given up`)
    if (!this.#folders.has(slot)) throw new LinkError('gone', `slot ${slot} is empty`)
    const known = this.#slots.get(slot)
    if (known !== undefined) return known
    const created = new KernelSlot({
      ...this.#options,
      slot,
      isPresent: async () => {
        await this.look()
        return this.#folders.has(slot)
      },
    })
    this.#slots.set(slot, created)
    return created
  }
}

/** Undefined when the module left meanwhile. */
async function unlessGone<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof LinkError && error.failure === 'gone') return undefined
    throw error
  }
}
