import { closeSync, constants, openSync, renameSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, SystemClock, type Timer } from '@slotwire/core'
import { launcher } from './launcher.ts'

/** How many FIFOs are made at a time, and when so few are left that more are made: a notification must not wait for one. */
const FIFOS_AT_ONCE = 16
const FEW_FIFOS = 8
/** How often a file with a notification is checked for a reader, in milliseconds. */
const CHECK_INTERVAL_MS = 5

const clock = new SystemClock()

/** Makes FIFOs in a folder. */
export class FifoMaker {
  readonly #link = `fifos-${++makers}`
  readonly #fifos: string[] = []
  #made = 0
  #making: Promise<void> | undefined

  constructor(private readonly folder: string) {
    // The command has no path from outside, which could contain characters that a shell interprets.
    symlinkSync(folder, join(launcher.folder, this.#link))
  }

  async take(): Promise<string> {
    for (;;) {
      const fifo = this.#fifos.pop()
      const making = this.#fifos.length < FEW_FIFOS ? (this.#making ??= this.#make()) : undefined
      if (fifo === undefined) await making
      // The next caller gets the error.
      else making?.catch(() => undefined)
      if (fifo !== undefined) return fifo
    }
  }

  async #make(): Promise<void> {
    const names = Array.from({ length: FIFOS_AT_ONCE }, () => `fifo-${++this.#made}`)
    const last = `${this.#link}/fifo-${this.#made}`
    await launcher.run(
      `mkfifo ${names.map((name) => `${this.#link}/${name}`).join(' ')} && echo ${last} made >&2`,
      new RegExp(`^${last} made`),
    )
    this.#fifos.push(...names.map((name) => join(this.folder, name)))
    this.#making = undefined
  }
}

let makers = 0

/**
 * The file `notification` of a slot. A reader waits for the next notification, then for the end of the file: each notification has a FIFO of
 * its own.
 */
export class NotificationFile {
  /** Called with each notification when a reader has it. */
  onRead: (payload: Uint8Array) => void = () => undefined
  readonly #waiting: Uint8Array[] = []
  #next: string | undefined
  #delivering = false
  #check: Timer | undefined
  #closed = false

  private constructor(
    private readonly fifos: FifoMaker,
    private readonly path: string,
    /** Open for writing: readers can open the FIFO, and wait. */
    private current: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Creates the file. `onFailure` is called when it cannot be changed later. */
  static async create(fifos: FifoMaker, path: string, onFailure: (error: unknown) => void): Promise<NotificationFile> {
    const fifo = await fifos.take()
    const current = openForWriting(fifo)
    renameSync(fifo, path)
    return new NotificationFile(fifos, path, current, onFailure)
  }

  /** Whether a notification waits for a reader. */
  get isUnread(): boolean {
    return this.#waiting.length > 0
  }

  /** Makes a notification available. */
  add(payload: Uint8Array): void {
    this.#waiting.push(payload)
    this.#deliver().catch(this.onFailure)
  }

  /** Removes the file, and ends the waiting read. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#check?.cancel()
    // First: a reader that opens it again without a writer would wait forever.
    rmSync(this.path, { force: true })
    closeSync(this.current)
  }

  async #deliver(): Promise<void> {
    if (this.#delivering) return
    this.#delivering = true
    this.#next ??= await this.fifos.take()
    this.#delivering = false
    const [payload] = this.#waiting
    if (payload === undefined || this.#closed) return
    if (this.#hand(this.#next, payload)) {
      this.#waiting.shift()
      this.onRead(payload)
      if (this.#waiting.length > 0) this.#deliver().catch(this.onFailure)
      return
    }
    this.#check?.cancel()
    this.#check = clock.after(CHECK_INTERVAL_MS, () => void this.#deliver().catch(this.onFailure))
  }

  /** Gives a notification to the reader, and puts the next FIFO in the place of this one. Returns false if there is no reader. */
  #hand(next: string, payload: Uint8Array): boolean {
    const toReader = writerOf(this.path)
    if (toReader === undefined) return false
    const before = this.current
    this.current = openForWriting(next)
    // The reader may come back at once: it must not find its FIFO again.
    renameSync(next, this.path)
    this.#next = undefined
    try {
      writeSync(toReader, `0x${Buffer.from(payload).toString('hex').toUpperCase()}\0`)
      return true
    } catch (error) {
      if (codeOf(error) === 'EPIPE') return false
      throw error
    } finally {
      closeSync(toReader)
      closeSync(before)
    }
  }
}

/** Opens a FIFO that has no reader yet. */
function openForWriting(fifo: string): number {
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK)
  } finally {
    closeSync(reader)
  }
}

/** Undefined if the FIFO has no reader. */
function writerOf(fifo: string): number | undefined {
  try {
    return openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENXIO') return undefined
    throw error
  }
}
