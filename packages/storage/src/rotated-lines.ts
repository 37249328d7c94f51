import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { giveToOwnerOf, makeFolder } from './durable-file.ts'
import { tryLock } from './file-lock.ts'

const FILE_MODE = 0o600
const NEWLINE = 0x0a
/** Bytes that are read at a time to find the end of the last whole line. */
const BLOCK_BYTES = 65_536
/** Opened for reading too, to check how the last line ended. Never follows a link, and never waits for a pipe. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

export interface RotatedLinesOptions {
  readonly folder: string
  /** File name without number and extension. */
  readonly name: string
  /** Largest file in bytes. */
  readonly fileBytes: number
  /** Number of files kept, the current one included. */
  readonly files: number
  /** How many processes append at the same time. Only one can undo a write that failed. */
  readonly writers: 'one' | 'several'
}

/** Files of JSON lines. When the current one is full, it becomes the newest of the older ones, and the oldest is removed. */
export class RotatedLines {
  /** The current file. */
  readonly path: string

  constructor(private readonly options: RotatedLinesOptions) {
    this.path = join(options.folder, `${options.name}.jsonl`)
  }

  /** Oldest first. */
  get paths(): readonly string[] {
    const older = Array.from({ length: this.options.files - 1 }, (_, index) => this.#older(index + 1))
    return [...older.reverse(), this.path]
  }

  /**
   * Appends whole lines in one write; rotates the files first if the current one is full, and begins the new one with `head`. Throws the
   * system's error: then one writer has written nothing.
   */
  append(lines: string, head = ''): void {
    const bytes = Buffer.from(lines)
    if (this.#appendWithin(this.options.fileBytes, bytes)) return
    this.#rotate(bytes.length)
    this.#appendWithin(Number.POSITIVE_INFINITY, Buffer.from(head + lines))
  }

  /** Returns false and writes nothing if the file has content and would become larger than `most` bytes. */
  #appendWithin(most: number, bytes: Buffer): boolean {
    const { folder } = this.options
    makeFolder(folder)
    const file = openSync(this.path, APPEND, FILE_MODE)
    try {
      giveToOwnerOf(folder, file)
      const stat = fstatSync(file)
      if (!stat.isFile()) throw new Error(`${this.path} is not a file: remove it`)
      const size = this.#endLine(file, stat.size)
      if (size > 0 && size + bytes.length > most) return false
      this.#write(file, size, bytes)
      return true
    } finally {
      closeSync(file)
    }
  }

  /** After a kill, a power failure or a full disk, the file may end with half a line: one writer removes it, several end it. Returns the size. */
  #endLine(file: number, size: number): number {
    const last = Buffer.alloc(1)
    if (size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE)) return size
    if (this.options.writers === 'several') return size + writeSync(file, '\n')
    const whole = endOfLines(file, size)
    ftruncateSync(file, whole)
    return whole
  }

  #write(file: number, size: number, bytes: Buffer): void {
    try {
      const written = writeSync(file, bytes)
      if (written < bytes.length) throw new Error(`the disk is full: ${written} of ${bytes.length} bytes were written`)
    } catch (error) {
      if (this.options.writers === 'one') ftruncateSync(file, size)
      throw error
    }
  }

  /** Only one process rotates. The others continue to write to the current file. */
  #rotate(room: number): void {
    const { folder, name, fileBytes } = this.options
    const attempt = tryLock(join(folder, `${name}.lock`))
    if (!('lock' in attempt)) return
    try {
      // Another process may have rotated a moment ago, and not written to the new file yet.
      const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
      if (size + room > fileBytes) this.#shift()
    } finally {
      attempt.lock.release()
    }
  }

  /** Starts with the oldest file: a kill leaves a gap, which the next rotation fills, and loses nothing. */
  #shift(): void {
    let free = 1
    while (free < this.options.files - 1 && existsSync(this.#older(free))) free++
    for (let index = free; index > 1; index--) renameSync(this.#older(index - 1), this.#older(index))
    renameSync(this.path, this.#older(1))
  }

  /** 1 is the newest of the full files. */
  #older(index: number): string {
    return join(this.options.folder, `${this.options.name}.${index}.jsonl`)
  }
}

/** Where the last whole line ends. */
function endOfLines(file: number, size: number): number {
  for (let end = size; end > 0; end -= BLOCK_BYTES) {
    const start = Math.max(0, end - BLOCK_BYTES)
    const bytes = Buffer.alloc(end - start)
    readSync(file, bytes, 0, bytes.length, start)
    const newline = bytes.lastIndexOf(NEWLINE)
    if (newline >= 0) return start + newline + 1
  }
  return 0
}
