import {
  type Clock,
  LinkError,
  type LinkFailure,
  type ModuleDescriptor,
  Mutex,
  messageOf,
  type PowerDescriptor,
  type SlotLink,
  unlessAborted,
  withDeadline,
} from '@slotwire/core'
import { encodeRequest, updateDescriptor } from '@slotwire/sdbp'
import { ATTRIBUTE_RETRY, coalescedRead, readAttributes } from './attribute.ts'
import { DESCRIPTOR_ATTRIBUTES, descriptorOf, POWER_ATTRIBUTES, powerDescriptorOf } from './descriptor-attributes.ts'
import { ChildEnded, Errno, type KernelContext, KernelFileError, type SlotFile, slotsFolder } from './kernel-files.ts'
import { NotificationReader } from './notification-reader.ts'

/** Longest time for opening a slot's file, including a previous close, in milliseconds. Then the process is killed. */
export const MAX_OPEN_MS = 2500
/** Longest time for closing the file normally, in milliseconds: three modules that left at once. Then the process is killed. */
export const MAX_CLOSE_MS = 2000

/** How often the power attributes are tried, `ATTRIBUTE_RETRY.pauseMs` apart: longer than a descriptor update takes. */
const POWER_ATTEMPTS = 4
/** Longest time for reading the power attributes, including a scan of the slots, in milliseconds. A power request must not wait longer. */
export const MAX_POWER_READ_MS = 500

/** First and longest pause between two attempts to have an erased descriptor read again, in milliseconds. Each is twice as long as the last. */
const UPDATE_PAUSE_MS = { min: 500, max: 30_000 }
const UPDATE_DESCRIPTOR = encodeRequest(updateDescriptor, {})

export interface KernelSlotOptions extends KernelContext {
  readonly slot: number
  /** Scans the slots, then returns whether there is a module in this one. */
  readonly isPresent: () => Promise<boolean>
  /** Whether a change of this file will be reported, with `changed`. */
  readonly isWatched: (file: string) => boolean
}

/** One slot as the kernel shows it: attributes, file and notifications. */
export class KernelSlot {
  /** `/dev/slotN`. */
  readonly #device: string
  #descriptor = coalescedRead(() => this.#readDescriptor())
  #power = coalescedRead(() => this.#readPower())
  /** The descriptor while its files are watched and unchanged. */
  #known: ModuleDescriptor | undefined
  /** Counts changes of the watched files. */
  #changes = 0
  /** Counts modules. Work that was begun for an earlier one is void. */
  #generation = 0
  #link: SlotLink | undefined
  #updatePauseMs = UPDATE_PAUSE_MS.min
  #nextUpdateMs = 0
  /** Gets the notifications of the link. */
  #listener: ((payload: Uint8Array) => void) | undefined
  #opening: AbortController | undefined
  /** Resolves when no process has the file open. */
  #released: Promise<void> = Promise.resolve()
  #reader: NotificationReader | undefined
  #readerEnded: Promise<void> = Promise.resolve()

  constructor(private readonly options: KernelSlotOptions) {
    this.#device = `${options.devRoot}/slot${options.slot}`
  }

  /** Reads the current descriptor, unless it is known. Rejects with `LinkError`. */
  async descriptor(): Promise<ModuleDescriptor> {
    if (this.#known !== undefined) return this.#known
    const [first = ''] = this.watchedFiles
    const { isWatched } = this.options
    const changes = isWatched(first) ? this.#changes : undefined
    const current = await this.#descriptor()
    if (changes === this.#changes) this.#known = current
    return current
  }

  /** What the descriptor is made of, if this process does not drive the module: then another may change it. */
  get watchedFiles(): readonly string[] {
    const isDriven = this.#link !== undefined || this.#opening !== undefined
    return isDriven ? [] : this.#pathsOf(DESCRIPTOR_ATTRIBUTES)
  }

  /** The watched files may have changed. */
  changed(): void {
    this.#changes++
    this.#known = undefined
  }

  /** Reads the power attributes within `MAX_POWER_READ_MS`. Rejects with `LinkError`: `gone` only if the module left. */
  powerDescriptor(): Promise<PowerDescriptor> {
    const { slot, clock } = this.options
    const attributes = POWER_ATTRIBUTES.join(', ')
    const late = (): Error =>
      new LinkError('transfer-failed', `slot ${slot}: ${attributes} were not read within ${MAX_POWER_READ_MS} ms`)
    // Do not repeat a read that never ends while the module is there: each blocks a worker of the reader process.
    return withDeadline(clock, MAX_POWER_READ_MS, this.#power(), late)
  }

  /** Rejects with `LinkError`: `busy` while another program uses the slot. */
  open(): Promise<SlotLink> {
    return this.#openWithin((file, signal) => this.#linkTo(file, signal))
  }

  async #openWithin<Result>(use: (file: SlotFile, signal: AbortSignal) => Result): Promise<Awaited<Result>> {
    const { slot, clock } = this.options
    const device = this.#device
    if (this.#link !== undefined) throw new LinkError('busy', `slot ${slot} is open already`)
    if (this.#opening !== undefined) throw new LinkError('busy', `slot ${slot}: ${device} is being opened`)
    const generation = this.#generation
    const opening = new AbortController()
    this.#opening = opening
    this.changed()
    const expired = (): LinkError =>
      new LinkError('busy', `slot ${slot}: ${device} was not closed by its last user, or not opened, within ${MAX_OPEN_MS} ms`)
    const limit = clock.after(MAX_OPEN_MS, () => opening.abort(expired()))
    try {
      return await use(await this.#openFile(opening.signal), opening.signal)
    } catch (error) {
      throw generation === this.#generation ? openErrorOf(slot, device, error) : this.#gone()
    } finally {
      limit.cancel()
      if (this.#opening === opening) this.#opening = undefined
    }
  }

  /** The module left: close its file at once, before another module comes. */
  left(): void {
    this.#generation++
    this.changed()
    this.#updatePauseMs = UPDATE_PAUSE_MS.min
    this.#nextUpdateMs = 0
    // The next module must not wait for a read that never ends.
    this.#descriptor = coalescedRead(() => this.#readDescriptor())
    this.#power = coalescedRead(() => this.#readPower())
    this.#opening?.abort(this.#gone())
    this.#opening = undefined
    void this.#link?.close()
    const reader = this.#reader
    this.#reader = undefined
    if (reader !== undefined) this.#readerEnded = reader.close()
  }

  /** Resolves when the file and the notification reader are closed. Never rejects. */
  async close(): Promise<void> {
    this.left()
    await Promise.all([this.#released, this.#readerEnded])
  }

  /** Waits until the file was closed, then opens it. Abort rejects at once; a file that opens late is closed. */
  async #openFile(signal: AbortSignal): Promise<SlotFile> {
    const { files, clock } = this.options
    await unlessAborted(this.#released, signal)
    const opening = files.open(this.#device, this.#pathOf('stats_failed_notifications'), signal)
    const closeLate = (file: SlotFile): Promise<void> | undefined => (signal.aborted ? closeSlotFile(file, clock) : undefined)
    this.#released = opening.then(closeLate, () => undefined)
    return unlessAborted(opening, signal)
  }

  #linkTo(file: SlotFile, signal: AbortSignal): SlotLink {
    const { slot } = this.options
    let closing: Promise<void> | undefined
    const turn = new Mutex()
    const fail = async (error: unknown): Promise<never> => {
      throw await this.#errorOf(error)
    }
    const link: SlotLink = {
      slot,
      exchange: (payload) => {
        // That process may now have another slot's file open.
        if (closing !== undefined) return Promise.reject(new LinkError('gone', `slot ${slot} has been closed`))
        return turn.run(() => file.exchange(payload)).catch(fail)
      },
      ...(file.repeat && { repeat: file.repeat }),
      ...(file.onRestart && { onRestart: file.onRestart }),
      onNotification: (listener) => {
        this.#listener = listener
      },
      close: () => {
        closing ??= this.#release(file)
        return closing
      },
    }
    if (signal.aborted) void link.close()
    signal.throwIfAborted()
    this.#link = link
    this.#listen()
    return link
  }

  #release(file: SlotFile): Promise<void> {
    this.#link = undefined
    this.#listener = undefined
    this.#released = closeSlotFile(file, this.options.clock)
    return this.#released
  }

  /** The reader lives as long as the module: the next link can use a read that blocks. */
  #listen(): void {
    this.#reader ??= new NotificationReader({
      ...this.options,
      after: this.#readerEnded,
      onNotification: (payload) => this.#listener?.(payload),
    })
  }

  async #readDescriptor(): Promise<ModuleDescriptor> {
    const values = await this.#read(DESCRIPTOR_ATTRIBUTES, ATTRIBUTE_RETRY.attempts)
    return descriptorOf(this.options.slot, values)
  }

  async #readPower(): Promise<PowerDescriptor> {
    return powerDescriptorOf(this.options.slot, await this.#read(POWER_ATTRIBUTES, POWER_ATTEMPTS))
  }

  async #read(attributes: readonly string[], attempts: number): Promise<readonly string[]> {
    const { files, clock, slot, isPresent } = this.options
    try {
      const values = await readAttributes({ files, clock }, this.#pathsOf(attributes), attempts)
      const [vendorProductId] = values
      if (vendorProductId !== '') {
        this.#updatePauseMs = UPDATE_PAUSE_MS.min
        return values
      }
      await this.#update()
      return await readAttributes({ files, clock }, this.#pathsOf(attributes), attempts)
    } catch (error) {
      throw (await isPresent()) ? attributeErrorOf(slot, error) : this.#gone()
    }
  }

  /** The kernel has erased the descriptor: has it read again. Never rejects. */
  async #update(): Promise<void> {
    const nowMs = this.options.clock.now()
    if (this.#opening !== undefined || nowMs < this.#nextUpdateMs) return
    this.#nextUpdateMs = nowMs + this.#updatePauseMs
    this.#updatePauseMs = Math.min(2 * this.#updatePauseMs, UPDATE_PAUSE_MS.max)
    try {
      // A close would suspend a module in use.
      if (this.#link === undefined) await this.#openWithin((file) => this.#release(file))
      else await this.#link.exchange(UPDATE_DESCRIPTOR)
    } catch {
      // The next read shows whether it has helped.
    }
  }

  #pathsOf(attributes: readonly string[]): string[] {
    return attributes.map((name) => this.#pathOf(name))
  }

  #pathOf(attribute: string): string {
    return `${slotsFolder(this.options)}/slot${this.options.slot}/${attribute}`
  }

  /** Any file error while the slot's folder is missing means that the module left. */
  async #errorOf(error: unknown): Promise<LinkError> {
    const generation = this.#generation
    const failure = linkErrorOf(this.options.slot, error)
    if (failure.failure === 'too-long') return failure
    const present = await this.options.isPresent()
    return present && generation === this.#generation ? failure : this.#gone()
  }

  #gone(): LinkError {
    return new LinkError('gone', `the module in slot ${this.options.slot} left`)
  }
}

/** Closes a slot's file, by force if that takes too long. Resolves when no process has it open; never rejects. */
async function closeSlotFile(file: SlotFile, clock: Clock): Promise<void> {
  await withDeadline(clock, MAX_CLOSE_MS, file.close(), 'not closed').catch(() => file.kill())
}

/** Error numbers of an exchange and their meaning (wire-protocol.md section 3). Any other is a failed transfer. */
const failures: Readonly<Record<number, LinkFailure>> = {
  [Errno.EMSGSIZE]: 'too-long',
  [Errno.ECOMM]: 'transfer-failed',
  [Errno.EBUSY]: 'busy',
  [Errno.ENODEV]: 'gone',
  [Errno.ENXIO]: 'gone',
  [Errno.EBADSLT]: 'gone',
}

/** The link failure for a failed system call on a slot's file. EAGAIN means a busy bus on write, and a lost write on read. */
function failureOf(error: KernelFileError): LinkFailure {
  if (error.errno === Errno.EAGAIN) return error.syscall === 'read' ? 'transfer-failed' : 'busy'
  return failures[error.errno] ?? 'transfer-failed'
}

/**
 * Converts any error to the `LinkError` that a link rejects with. If the process ended, its file is closed: the module must be opened
 * again.
 */
function linkErrorOf(slot: number, error: unknown): LinkError {
  if (error instanceof LinkError) return error
  if (error instanceof KernelFileError) return new LinkError(failureOf(error), `slot ${slot}: ${error.message}`)
  const reason = messageOf(error)
  return new LinkError(error instanceof ChildEnded ? 'gone' : 'transfer-failed', `slot ${slot}: ${reason}`)
}

/** The error for attributes that could not be read. Only a missing folder means that the module left; other errors do not. */
function attributeErrorOf(slot: number, error: unknown): LinkError {
  if (error instanceof LinkError) return error
  return new LinkError('transfer-failed', `slot ${slot}: ${messageOf(error)}`)
}

/** Why a slot could not be opened, with the remedy. */
function openErrorOf(slot: number, file: string, error: unknown): LinkError {
  if (!(error instanceof KernelFileError)) return linkErrorOf(slot, error)
  if (error.errno === Errno.EBUSY) {
    const remedy = `end it ("fuser ${file}" shows which); the slot is opened as soon as it is free`
    return new LinkError('busy', `slot ${slot} is used by another program: ${remedy}`)
  }
  if (error.errno === Errno.EACCES || error.errno === Errno.EPERM) {
    const remedy = `this user must be allowed to read and write it, and to enter its folder ("namei -l ${file}" shows the rights)`
    return new LinkError('transfer-failed', `slot ${slot}: no permission for ${file}: ${remedy}`)
  }
  if (error.errno === Errno.ENOENT) {
    return new LinkError('transfer-failed', `slot ${slot} holds a module, but there is no ${file} yet`)
  }
  if (error.errno === Errno.ENOTTY) {
    return new LinkError('transfer-failed', `slot ${slot}: ${file} is not a device: remove it and let udev create it`)
  }
  return linkErrorOf(slot, error)
}
