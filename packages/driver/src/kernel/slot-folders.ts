import type { Timer } from '@slotwire/core'
import { StallTimer } from '../stall-timer.ts'
import { attributeValue, coalescedRead } from './attribute.ts'
import { ChildEnded, Errno, type KernelContext, KernelFileError, type KernelFiles, slotsFolder } from './kernel-files.ts'

/** How often the slots are scanned, in milliseconds: a change is noticed within half a second. */
export const SCAN_INTERVAL_MS = 200
/**
 * The reader process is replaced when it has not answered for so long, in milliseconds. Half of `MAX_SCAN_MS`, so that its successor
 * may still be in time.
 */
export const READER_TIMEOUT_MS = 5000
/** A scan that takes longer counts as stuck, in milliseconds. So does a time without a reader process. */
export const MAX_SCAN_MS = 10_000

/** How often the reader process looks before it answers that all is unchanged: then it is known to look. */
const LOOKS = 5
/** Without an answer after this time, in milliseconds, the slots are scanned until there is one: a `rid` may block the reader's look. */
const MAX_WATCH_MS = 1500

const SLOT_NAME = /^slot([0-7])$/

export interface SlotFoldersOptions extends KernelContext {
  readonly onArrived: (slot: number) => void
  readonly onLeft: (slot: number) => void
  /** More files to look at. */
  readonly watched: () => readonly string[]
  /** One of them may have changed. */
  readonly onChanged: () => void
}

/** Follows which slots hold a module: folders that appear and vanish, and a `rid` that changes between two scans. */
export class SlotFolders {
  /** The modules in the slots; the `rid` is undefined until it was read. A read that never ends does not delay the other slots. */
  readonly #modules = new Map<number, { rid?: string; isBeingRead: boolean }>()
  readonly #scanning: StallTimer
  #timer: Timer | undefined
  #readerTimer: Timer | undefined
  /** The process was replaced, and its successor has not answered yet. */
  #replaced = false
  /** The kernel driver has no folder for slots. */
  #isMissing = false
  /** Why the last scan failed. */
  #failure: Error | undefined
  /** The files that the reader process looks at now. */
  #looksAt: readonly string[] = []
  #scansByItself = false
  #closed = false

  constructor(private readonly options: SlotFoldersOptions) {
    this.#scanning = new StallTimer(options.clock, MAX_SCAN_MS)
  }

  /** In ascending order. */
  get present(): readonly number[] {
    return [...this.#modules.keys()].sort((a, b) => a - b)
  }

  has(slot: number): boolean {
    return this.#modules.has(slot)
  }

  /** Why changes would go unnoticed; undefined while the slots are scanned. An error from the kernel does not count. */
  get stuck(): string | undefined {
    const seconds = this.#scanning.stuckSeconds
    return seconds === undefined ? undefined : `the slots have not been listed for ${seconds} s`
  }

  /**
   * Scans once, or twice if the first scan fails, then every `SCAN_INTERVAL_MS`; resolves after the first scan. Rejects if the slots
   * cannot be listed: they must not pass for empty, and their power for free.
   */
  async start(): Promise<void> {
    await this.rescan()
    if (this.#failure !== undefined) await this.occupied()
    if (this.options.files.watch === undefined) this.#scanByItself()
    else void this.#watch(this.options.files.watch.bind(this.options.files))
  }

  /** Whether a change of this file will be reported. */
  looksAt(file: string): boolean {
    return this.#looksAt.includes(file)
  }

  /** The reader process looks, and answers only changes. While it does not answer, the slots are scanned as without it. */
  async #watch(watch: NonNullable<KernelFiles['watch']>): Promise<void> {
    const { clock, watched, onChanged } = this.options
    const how = { intervalMs: SCAN_INTERVAL_MS, looks: LOOKS }
    const forget = (): void => {
      this.#looksAt = []
      onChanged()
    }
    for (let known = ''; !this.#closed; ) {
      const files = watched()
      const onLate = (): void => {
        forget()
        this.#scanByItself()
      }
      const late = clock.after(MAX_WATCH_MS, onLate)
      try {
        this.#looksAt = files
        const seen = await watch(slotsFolder(this.options), files, known, how)
        if (seen === known) continue
        forget()
        await this.rescan()
        known = seen
      } catch {
        // The process has ended, or cannot be started.
        if (this.#closed) return
        onLate()
        await clock.sleep(MAX_WATCH_MS)
      } finally {
        late.cancel()
        this.#scansByItself = false
      }
    }
  }

  #scanByItself(): void {
    this.#scansByItself = true
    this.#timer?.cancel()
    this.#arm()
  }

  /** Scans now, or as soon as the current scan is over. Never rejects. */
  readonly rescan = coalescedRead(() => this.#scan())

  /** The slots that hold a module now. Rejects if they cannot be listed. */
  async occupied(): Promise<readonly number[]> {
    await this.rescan()
    if (this.#failure !== undefined) throw this.#failure
    return this.present
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#readerTimer?.cancel()
  }

  #arm(): void {
    if (this.#closed || !this.#scansByItself) return
    this.#timer = this.options.clock.after(SCAN_INTERVAL_MS, () => void this.rescan().then(() => this.#arm()))
  }

  async #scan(): Promise<void> {
    this.#scanning.begin()
    this.#watchReader()
    try {
      const names = await this.#list()
      this.#scanning.end()
      this.#replaced = false
      if (this.#closed) return
      this.#failure = undefined
      this.#follow(names.flatMap((name) => SLOT_NAME.exec(name)?.[1] ?? []).map(Number))
    } catch (error) {
      // Without a process there was no scan. An error from the kernel was an answer; the next scan asks again.
      if (!(error instanceof ChildEnded)) this.#scanning.end()
      if (this.#failure === undefined && !this.#closed) {
        this.options.log.error({ err: error }, 'the slots could not be listed, trying again')
      }
      this.#failure = error instanceof Error ? error : new Error(String(error))
    } finally {
      this.#readerTimer?.cancel()
    }
  }

  #watchReader(): void {
    if (this.#closed) return
    const { files, clock, log } = this.options
    this.#readerTimer = clock.after(READER_TIMEOUT_MS, () => {
      if (!this.#replaced) {
        const fields = { milliseconds: READER_TIMEOUT_MS }
        log.warn(fields, 'the process that lists the slots does not answer: replacing it')
      }
      this.#replaced = true
      files.replaceReader()
      this.#watchReader()
    })
  }

  async #list(): Promise<readonly string[]> {
    const { files, log } = this.options
    const folder = slotsFolder(this.options)
    try {
      const names = await files.list(folder)
      this.#isMissing = false
      return names
    } catch (error) {
      if (!(error instanceof KernelFileError && error.errno === Errno.ENOENT)) throw error
      // The kernel module was unloaded: no slots.
      if (!this.#isMissing && !this.#closed) log.warn({ folder }, 'the kernel driver shows no slots')
      this.#isMissing = true
      return []
    }
  }

  #follow(present: readonly number[]): void {
    for (const slot of this.present) {
      if (present.includes(slot)) continue
      this.#modules.delete(slot)
      this.options.onLeft(slot)
    }
    for (const slot of present) {
      if (!this.#modules.has(slot)) {
        this.#modules.set(slot, { isBeingRead: false })
        this.options.onArrived(slot)
      }
      void this.#checkIdentity(slot)
    }
  }

  async #checkIdentity(slot: number): Promise<void> {
    const { files, onLeft, onArrived } = this.options
    const module = this.#modules.get(slot)
    if (module === undefined || module.isBeingRead) return
    module.isBeingRead = true
    try {
      const [content] = await files.read([`${slotsFolder(this.options)}/slot${slot}/rid`])
      // Unreadable: keep the module while its folder is there. A late result does not apply to a later module.
      if (typeof content !== 'string' || module !== this.#modules.get(slot) || this.#closed) return
      const before = module.rid
      module.rid = attributeValue(content)
      if (before === undefined || before === module.rid) return
      onLeft(slot)
      onArrived(slot)
    } catch {
      // The next scan tries again. If nothing at all can be read, the listing fails, too.
    } finally {
      module.isBeingRead = false
    }
  }
}
