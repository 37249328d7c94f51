import type { Timer } from '@slotwire/core'
import { StallTimer } from '../stall-timer.ts'
import { attributeValue } from './attribute.ts'
import { coalescedRead } from './coalesced-read.ts'
import { Errno } from './errno.ts'
import { ChildEnded, type KernelContext, KernelFileError, slotsFolder } from './kernel-files.ts'

/** How often the slots are looked at, in milliseconds: a change is noticed within half a second. */
export const SCAN_INTERVAL_MS = 200
/**
 * The process that looks is replaced when it has not answered for so long, in milliseconds: nobody else would notice that it stands still.
 * Half of `LOOK_LIMIT_MS`, so that the next one may still be in time.
 */
export const READER_PATIENCE_MS = 5000
/** A look that takes longer, in milliseconds, does not end at all; as long may no process be had that looks. */
export const LOOK_LIMIT_MS = 10_000

const SLOT_NAME = /^slot([0-7])$/

export interface SlotFoldersOptions extends KernelContext {
  readonly onArrived: (slot: number) => void
  readonly onLeft: (slot: number) => void
}

/** Which slots hold a module, and who came or went: folders that appear and vanish, a `rid` that changes between two looks. */
export class SlotFolders {
  readonly #options: SlotFoldersOptions
  /** What is in the slots; the `rid` is undefined until it has been read. One that never ends being read holds nobody else up. */
  readonly #modules = new Map<number, { rid?: string; isBeingRead: boolean }>()
  readonly #looking: StallTimer
  #timer: Timer | undefined
  #patience: Timer | undefined
  /** A process was replaced, and the next one has not answered yet. */
  #replaced = false
  /** The kernel driver has no folder for slots. */
  #isMissing = false
  /** Why the last look saw nothing. */
  #failure: Error | undefined
  #closed = false

  constructor(options: SlotFoldersOptions) {
    this.#options = options
    this.#looking = new StallTimer(options.clock, LOOK_LIMIT_MS)
  }

  /** Ascending. */
  get present(): readonly number[] {
    return [...this.#modules.keys()].sort((a, b) => a - b)
  }

  has(slot: number): boolean {
    return this.#modules.has(slot)
  }

  /** Why nobody would notice who comes and goes; undefined: they are looked at. What the kernel refuses is no reason. */
  get stuck(): string | undefined {
    const seconds = this.#looking.stuckSeconds
    return seconds === undefined ? undefined : `the slots have not been looked at for ${seconds} s`
  }

  /**
   * Looks once, twice if need be, then every `SCAN_INTERVAL_MS`; resolves after the first look. Rejects with why the slots cannot be seen:
   * nobody may take them for empty, and power for free.
   */
  async start(): Promise<void> {
    await this.look()
    if (this.#failure !== undefined) await this.seen()
    this.#arm()
  }

  /** Looks now, or as soon as the look that is under way is over. Never rejects. */
  readonly look = coalescedRead(() => this.#scan())

  /** What is there now. Rejects with why that cannot be seen. */
  async seen(): Promise<readonly number[]> {
    await this.look()
    if (this.#failure !== undefined) throw this.#failure
    return this.present
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#patience?.cancel()
  }

  #arm(): void {
    if (this.#closed) return
    this.#timer = this.#options.clock.after(SCAN_INTERVAL_MS, () => void this.look().then(() => this.#arm()))
  }

  async #scan(): Promise<void> {
    this.#looking.begin()
    this.#waitPatiently()
    try {
      const names = await this.#list()
      this.#looking.end()
      this.#replaced = false
      if (this.#closed) return
      this.#failure = undefined
      this.#follow(names.flatMap((name) => SLOT_NAME.exec(name)?.[1] ?? []).map(Number))
    } catch (error) {
      // A process that is not there looks at nothing; a kernel that refuses was asked, and will be again.
      if (!(error instanceof ChildEnded)) this.#looking.end()
      if (this.#failure === undefined && !this.#closed) {
        this.#options.log.error({ err: error }, 'the slots could not be looked at, trying on')
      }
      this.#failure = error instanceof Error ? error : new Error(String(error))
    } finally {
      this.#patience?.cancel()
    }
  }

  #waitPatiently(): void {
    if (this.#closed) return
    const { files, clock, log } = this.#options
    this.#patience = clock.after(READER_PATIENCE_MS, () => {
      if (!this.#replaced) {
        const fields = { milliseconds: READER_PATIENCE_MS }
        log.warn(fields, 'the process that looks at the slots does not answer: it is killed, and another started')
      }
      this.#replaced = true
      files.replaceReader()
      this.#waitPatiently()
    })
  }

  async #list(): Promise<readonly string[]> {
    const { files, log } = this.#options
    const folder = slotsFolder(this.#options)
    try {
      const names = await files.list(folder)
      this.#isMissing = false
      return names
    } catch (error) {
      if (!(error instanceof KernelFileError && error.errno === Errno.ENOENT)) throw error
      // The kernel module was taken out: nothing is there.
      if (!this.#isMissing && !this.#closed) log.warn({ folder }, 'the kernel driver shows no slots')
      this.#isMissing = true
      return []
    }
  }

  #follow(found: readonly number[]): void {
    for (const slot of this.present) {
      if (found.includes(slot)) continue
      this.#modules.delete(slot)
      this.#options.onLeft(slot)
    }
    for (const slot of found) {
      if (!this.#modules.has(slot)) {
        this.#modules.set(slot, { isBeingRead: false })
        this.#options.onArrived(slot)
      }
      void this.#checkIdentity(slot)
    }
  }

  async #checkIdentity(slot: number): Promise<void> {
    const { files, onLeft, onArrived } = this.#options
    const module = this.#modules.get(slot)
    if (module === undefined || module.isBeingRead) return
    module.isBeingRead = true
    try {
      const [content] = await files.read([`${slotsFolder(this.#options)}/slot${slot}/rid`])
      // Not now, or not at all: while the folder is there the module is taken for the same. What is read late says nothing of a successor.
      if (typeof content !== 'string' || module !== this.#modules.get(slot) || this.#closed) return
      const before = module.rid
      module.rid = attributeValue(content)
      if (before === undefined || before === module.rid) return
      onLeft(slot)
      onArrived(slot)
    } catch {
      // The next look tries again; that nothing can be read at all shows in the list.
    } finally {
      module.isBeingRead = false
    }
  }
}
