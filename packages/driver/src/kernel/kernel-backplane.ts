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
  messageOf,
  type PowerDescriptor,
  type SlotLink,
  unlessAborted,
  type Version,
  withDeadline,
} from '@slotwire/core'
import { attributeValue, coalescedRead } from './attribute.ts'
import { KernelDriverError, kernelDriverFile, noAnswerError, readKernelDriver, remedyFor } from './kernel-driver.ts'
import { Errno, type KernelContext, KernelFileError, type KernelFiles, slotsFolder } from './kernel-files.ts'
import { KernelSlot, MAX_POWER_READ_MS } from './kernel-slot.ts'
import { SlotFolders } from './slot-folders.ts'
import { SystemFiles } from './system-files.ts'

/** Longest wait for the slots to close normally, in milliseconds; the kernel takes about 200. */
export const MAX_SLOTS_CLOSE_MS = 500
/** Longest time for the first listing of the slots, in milliseconds. It includes starting a process on a busy machine. */
export const MAX_FIRST_SCAN_MS = 10_000

/** The modules behind the kernel driver `sdbpk`, as its files show them, and how to release them. Call `start` first. */
export class KernelBackplane implements Backplane {
  /** Always up: a device that restarts ends this process. */
  readonly state = 'up'
  readonly findsLater = true
  readonly #folders: SlotFolders
  readonly #listeners: Listeners<BackplaneEvent>
  readonly #slots = new Map<number, KernelSlot>()
  #closed = false
  /** Keyed by query, which is a constant. */
  readonly #hostDevices = new WeakMap<HostDeviceQuery, () => Promise<readonly HostDevice[]>>()

  /** `closeFiles` ends the processes that did not end normally; it never hangs. */
  constructor(
    private readonly options: KernelContext,
    readonly kernelDriver: Version,
    private readonly closeFiles: () => Promise<void>,
  ) {
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
    const { clock } = this.options
    const folder = slotsFolder(this.options)
    const expired = (): Error => noAnswerError(`${folder} was not listed`, MAX_FIRST_SCAN_MS)
    try {
      await unlessAborted(withDeadline(clock, MAX_FIRST_SCAN_MS, this.#folders.start(), expired), stopping)
    } catch (error) {
      this.#folders.close()
      if (error instanceof KernelDriverError || stopping?.aborted === true) throw error
      const reason = messageOf(error)
      throw new KernelDriverError(`the slots could not be listed (${reason}): ${remedyFor(error, folder)}`, { cause: error })
    }
  }

  /** Scans the slots now instead of at the next interval, for callers that hear of a change earlier (uevents). Never rejects. */
  rescan(): Promise<void> {
    return this.#folders.rescan()
  }

  /** One sentence about what blocks the adapter; undefined while it makes progress. Failed slots do not count. */
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
    const entries = slots.map(async (slot) => [slot, await read(slot)] as const)
    return new Map((await Promise.all(entries.map(undefinedIfGone))).filter((one) => one !== undefined))
  }

  async open(slot: number): Promise<SlotLink> {
    return this.#present(slot).open()
  }

  hostDevices(query: HostDeviceQuery): Promise<readonly HostDevice[]> {
    const { files, sysRoot } = this.options
    const read = this.#hostDevices.get(query) ?? coalescedRead(() => readHostDevices(files, sysRoot, query))
    this.#hostDevices.set(query, read)
    return read()
  }

  subscribe(listener: (event: BackplaneEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  /**
   * Releases every slot; the modules fall to SUSPEND. Resolves when no process of this backplane is left, or after two and a half seconds
   * if the kernel keeps one. Never rejects.
   */
  async close(): Promise<void> {
    this.#closed = true
    this.#folders.close()
    const slots = Promise.all([...this.#slots.values()].map((slot) => slot.close()))
    await withDeadline(this.options.clock, MAX_SLOTS_CLOSE_MS, slots, 'not closed').catch(() => undefined)
    // Now close by force what has not closed normally.
    await this.closeFiles()
  }

  async #occupied(): Promise<readonly number[]> {
    const { clock } = this.options
    try {
      if (this.#closed) throw new Error('the driver has stopped')
      return await withDeadline(clock, MAX_POWER_READ_MS, this.#folders.occupied(), 'not')
    } catch (error) {
      const reason = messageOf(error)
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
      ...this.options,
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

/** The devices on a bus of the host, below `sysRoot`, by name. Rejects as `KernelFiles` does. */
export async function readHostDevices(
  files: KernelFiles,
  sysRoot: string,
  { bus, names, attributes }: HostDeviceQuery,
): Promise<readonly HostDevice[]> {
  const folder = `${sysRoot}/bus/${bus}/devices`
  const deviceNames = (await listed(files, folder)).filter((name) => names.test(name)).sort()
  const paths = deviceNames.flatMap((name) => attributes.map((attribute) => `${folder}/${name}/${attribute}`))
  const contents = paths.length === 0 ? [] : await files.read(paths)
  const valueOf = (device: number, attribute: number): string => {
    const content = contents[device * attributes.length + attribute]
    // A device may lack this attribute, or may just have left.
    return typeof content === 'string' ? attributeValue(content) : ''
  }
  const systemPaths = await Promise.all(deviceNames.map((name) => withoutLinks(files, `${folder}/${name}`)))
  return deviceNames.map((name, device) => ({
    name,
    systemPath: systemPaths[device] ?? '',
    attributes: Object.fromEntries(attributes.map((attribute, index) => [attribute, valueOf(device, index)])),
  }))
}

/** The path below `/sys/devices`; the link itself if the device has just left. */
async function withoutLinks(files: KernelFiles, link: string): Promise<string> {
  try {
    return await files.resolve(link)
  } catch (error) {
    if (error instanceof KernelFileError) return link
    throw error
  }
}

/** Without such a bus the folder does not exist. */
async function listed(files: KernelFiles, folder: string): Promise<readonly string[]> {
  try {
    return await files.list(folder)
  } catch (error) {
    if (error instanceof KernelFileError && error.errno === Errno.ENOENT) return []
    throw error
  }
}

/** Longest time for reading the version of the kernel driver, in milliseconds. It includes starting a process on a busy machine. */
export const MAX_VERSION_READ_MS = 10_000
/** Longest wait for the processes to end, in milliseconds. */
const MAX_END_MS = 2000

/** The clock must be real time, unless `files` is given. */
interface KernelBackplaneOptions extends Omit<KernelContext, 'files'> {
  /** Number of processors that this process may use, 1 by default. With more, consecutive exchanges are faster (decision 0210). */
  readonly processors?: number
  /** Aborts the start: it rejects at once with the signal's reason. */
  readonly stopping?: AbortSignal
  /** The system calls; the caller closes them. Created here if left out. */
  readonly files?: KernelFiles
}

/**
 * Finds the slots of this device and reports modules that come and go; resolves after the first scan. Rejects with `KernelDriverError`,
 * which names the remedy, if the kernel driver is missing, unsupported or hung, or does not show its slots.
 */
export async function createKernelBackplane(options: KernelBackplaneOptions): Promise<KernelBackplane> {
  const { clock, sysRoot, stopping, processors = 1 } = options
  const own = new SystemFiles({ clock, processors })
  const { files = own } = options
  const close = (): Promise<void> => endFiles(own, options)
  try {
    const expired = (): Error => noAnswerError(`${kernelDriverFile(sysRoot)} was not read`, MAX_VERSION_READ_MS)
    const version = withDeadline(clock, MAX_VERSION_READ_MS, readKernelDriver(files, sysRoot), expired)
    const backplane = new KernelBackplane({ ...options, files }, await unlessAborted(version, stopping), close)
    await backplane.start(stopping)
    return backplane
  } catch (error) {
    await close()
    throw error
  }
}

/** Ends the processes. Leaves one behind if it is in a system call that cannot be interrupted. Never rejects. */
async function endFiles(files: SystemFiles, { clock, log }: KernelBackplaneOptions): Promise<void> {
  try {
    await withDeadline(clock, MAX_END_MS, files.close(), 'not ended')
  } catch (err) {
    log.error({ err, pids: files.pids }, 'processes that wait for the kernel driver cannot be killed and are left running')
    files.unref()
  }
}
