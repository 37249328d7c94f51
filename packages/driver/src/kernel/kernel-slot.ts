import { type Clock, LinkError, type ModuleDescriptor, type PowerDescriptor, type SlotLink } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { ATTRIBUTE_PATIENCE, readAttributes } from './attribute.ts'
import { coalescedRead } from './coalesced-read.ts'
import { DESCRIPTOR_ATTRIBUTES, descriptorOf, POWER_ATTRIBUTES, powerDescriptorOf } from './descriptor-attributes.ts'
import { type KernelContext, type SlotFile, slotsFolder } from './kernel-files.ts'
import { attributeErrorOf, linkErrorOf, openErrorOf } from './link-failure.ts'
import { NotificationReader } from './notification-reader.ts'

/** Longest that opening a slot's file may take, in milliseconds, the closing before included; then it is given up by force. */
export const OPEN_LIMIT_MS = 2500
/** Longest that closing it may take before it is done by force, in milliseconds; the kernel takes some 200 of them. */
export const CLOSE_LIMIT_MS = 1000

/** How often what a module says of its power is tried, `ATTRIBUTE_PATIENCE.pauseMs` apart: longer than an update of the descriptor takes. */
const POWER_ATTEMPTS = 4
/** Longest that it may take to be read, and the slots to be looked at before, in milliseconds: whoever waits for power does not do so for long. */
export const POWER_LIMIT_MS = 500

export interface KernelSlotOptions extends KernelContext {
  readonly slot: number
  /** Whether there is a module in the slot; looks anew. */
  readonly isPresent: () => Promise<boolean>
}

/** One slot as the kernel shows it: its attributes, its file, its notifications. */
export class KernelSlot {
  readonly #options: KernelSlotOptions
  /** `/dev/slotN`. */
  readonly #device: string
  #descriptor = coalescedRead(() => this.#readDescriptor())
  #power = coalescedRead(() => this.#readPower())
  /** Counts modules: what was begun with another one is void. */
  #turn = 0
  #link: SlotLink | undefined
  /** Who hears the notifications of the link. */
  #listener: ((payload: Uint8Array) => void) | undefined
  #opening: AbortController | undefined
  /** Resolves when nobody holds the file any more. */
  #released: Promise<void> = Promise.resolve()
  #reader: NotificationReader | undefined
  #readerEnded: Promise<void> = Promise.resolve()

  constructor(options: KernelSlotOptions) {
    this.#options = options
    this.#device = `${options.devRoot}/slot${options.slot}`
  }

  /** As the kernel has it now. Rejects with `LinkError`. */
  descriptor(): Promise<ModuleDescriptor> {
    return this.#descriptor()
  }

  /** What the module says of its power now, within `POWER_LIMIT_MS`. Rejects with `LinkError`: `gone` only when the module left. */
  powerDescriptor(): Promise<PowerDescriptor> {
    const { slot, clock } = this.#options
    const attributes = POWER_ATTRIBUTES.join(', ')
    const late = (): Error =>
      new LinkError('transfer-failed', `slot ${slot}: ${attributes} were not read within ${POWER_LIMIT_MS} ms`)
    // One that never ends is asked for once, as long as the module is there: it keeps a thread of the process that reads.
    return withDeadline(clock, POWER_LIMIT_MS, this.#power(), late)
  }

  /** Rejects with `LinkError`: `busy` while another program has the slot. */
  async open(): Promise<SlotLink> {
    const { slot, clock } = this.#options
    const device = this.#device
    if (this.#link !== undefined) throw new LinkError('busy', `slot ${slot} is open already`)
    if (this.#opening !== undefined) throw new LinkError('busy', `slot ${slot}: ${device} is being opened`)
    const turn = this.#turn
    const opening = new AbortController()
    this.#opening = opening
    const expired = (): LinkError =>
      new LinkError('busy', `slot ${slot}: ${device} was not closed by its last user, or not opened, within ${OPEN_LIMIT_MS} ms`)
    const limit = clock.after(OPEN_LIMIT_MS, () => opening.abort(expired()))
    try {
      return this.#linkTo(await this.#openFile(opening.signal), opening.signal)
    } catch (error) {
      throw turn === this.#turn ? openErrorOf(slot, device, error) : this.#gone()
    } finally {
      limit.cancel()
      if (this.#opening === opening) this.#opening = undefined
    }
  }

  /** The module left: its file is closed at once, before a successor can come. */
  left(): void {
    this.#turn++
    // A read that never ends is not for a successor to wait for.
    this.#descriptor = coalescedRead(() => this.#readDescriptor())
    this.#power = coalescedRead(() => this.#readPower())
    this.#opening?.abort(this.#gone())
    this.#opening = undefined
    void this.#link?.close()
    const reader = this.#reader
    this.#reader = undefined
    if (reader !== undefined) this.#readerEnded = reader.close()
  }

  /** Resolves when the kernel has been left alone. Never rejects. */
  async close(): Promise<void> {
    this.left()
    await Promise.all([this.#released, this.#readerEnded])
  }

  /** Waits for whoever had the file, then opens it. Aborted, it rejects at once, and what comes of it is closed. */
  async #openFile(signal: AbortSignal): Promise<SlotFile> {
    const { files, clock } = this.#options
    await unlessAborted(this.#released, signal)
    const opening = files.open(this.#device, signal)
    const closeLate = (file: SlotFile): Promise<void> | undefined => (signal.aborted ? closeSlotFile(file, clock) : undefined)
    this.#released = opening.then(closeLate, () => undefined)
    return unlessAborted(opening, signal)
  }

  #linkTo(file: SlotFile, signal: AbortSignal): SlotLink {
    const { slot } = this.#options
    let closing: Promise<void> | undefined
    const fail = async (error: unknown): Promise<never> => {
      throw await this.#errorOf(error)
    }
    const link: SlotLink = {
      slot,
      exchange: (payload) => {
        // The process that had the file open may have another slot's by now.
        if (closing !== undefined) return Promise.reject(new LinkError('gone', `slot ${slot} has been closed`))
        return file.exchange(payload).catch(fail)
      },
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
    this.#released = closeSlotFile(file, this.#options.clock)
    return this.#released
  }

  /** The reader stays while the module does: a read that blocks is of use to the next link as well. */
  #listen(): void {
    this.#reader ??= new NotificationReader({
      ...this.#options,
      after: this.#readerEnded,
      onNotification: (payload) => this.#listener?.(payload),
    })
  }

  async #readDescriptor(): Promise<ModuleDescriptor> {
    const values = await this.#read(DESCRIPTOR_ATTRIBUTES, ATTRIBUTE_PATIENCE.attempts)
    return descriptorOf(this.#options.slot, values)
  }

  async #readPower(): Promise<PowerDescriptor> {
    return powerDescriptorOf(this.#options.slot, await this.#read(POWER_ATTRIBUTES, POWER_ATTEMPTS))
  }

  async #read(attributes: readonly string[], attempts: number): Promise<readonly string[]> {
    const { files, clock, slot, isPresent } = this.#options
    try {
      const paths = attributes.map((name) => `${slotsFolder(this.#options)}/slot${slot}/${name}`)
      return await readAttributes({ files, clock }, paths, attempts)
    } catch (error) {
      throw (await isPresent()) ? attributeErrorOf(slot, error) : this.#gone()
    }
  }

  /** Any error of its file while the slot's folder is gone: the module left. */
  async #errorOf(error: unknown): Promise<LinkError> {
    const turn = this.#turn
    const found = linkErrorOf(this.#options.slot, error)
    if (found.failure === 'too-long') return found
    const present = await this.#options.isPresent()
    return present && turn === this.#turn ? found : this.#gone()
  }

  #gone(): LinkError {
    return new LinkError('gone', `the module in slot ${this.#options.slot} left`)
  }
}

/** Closes a slot's file, by force when that takes too long. Resolves when nobody has it open any more; never rejects. */
async function closeSlotFile(file: SlotFile, clock: Clock): Promise<void> {
  await withDeadline(clock, CLOSE_LIMIT_MS, file.close(), 'not closed').catch(() => file.kill())
}
