import { closeSync, constants, existsSync, fstatSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '@slotwire/core'
import { giveToOwnerOf, makeFolder, tryLock } from '@slotwire/storage'

/** Largest file in bytes, and the number of files kept, the current one included. */
export const FILE_BYTES = 1_048_576
export const FILES = 8

const FILE_MODE = 0o600
const NEWLINE = 0x0a
/** Opened for reading too, to check how the last line ended. Never follows a link. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

/** Rotated files of lines. Several processes may append. */
export class AuditFiles {
  /** The current file. */
  readonly path: string
  readonly #folder: string
  readonly #name: string

  /** `name` is the file name without number and extension. */
  constructor(stateFolder: string, name: string) {
    this.#folder = join(stateFolder, 'audit')
    this.#name = name
    this.path = join(this.#folder, `${name}.jsonl`)
  }

  /** Appends a line in one write; rotates the files first if the current one is full. Throws the system's error. */
  append(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#appendWhere((size) => size === 0 || size + bytes.length <= FILE_BYTES, bytes)) return
    this.#rotate(bytes.length)
    this.#appendWhere(() => true, bytes)
  }

  /** Returns false and writes nothing if the file's size does not suit. */
  #appendWhere(suits: (size: number) => boolean, bytes: Buffer): boolean {
    const file = this.#open()
    try {
      const { size } = fstatSync(file)
      if (!suits(size)) return false
      writeWhole(file, endsLine(file, size) ? bytes : Buffer.concat([Buffer.of(NEWLINE), bytes]))
      return true
    } finally {
      closeSync(file)
    }
  }

  #open(): number {
    try {
      return this.#openFile()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
    makeFolder(this.#folder)
    return this.#openFile()
  }

  #openFile(): number {
    const file = openSync(this.path, APPEND, FILE_MODE)
    giveToOwnerOf(this.#folder, file)
    return file
  }

  /** Only one process rotates. The others continue to write to the current file. */
  #rotate(room: number): void {
    const attempt = tryLock(join(this.#folder, `${this.#name}.lock`))
    if (!('lock' in attempt)) return
    try {
      // Another process may have rotated a moment ago, and not written to the new file yet.
      const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
      if (size + room > FILE_BYTES) this.#shift()
    } finally {
      attempt.lock.release()
    }
  }

  /** Starts with the oldest file: a kill leaves a gap, which the next rotation fills, and loses nothing. */
  #shift(): void {
    let free = 1
    while (free < FILES - 1 && existsSync(this.#older(free))) free++
    for (let index = free; index > 1; index--) renameSync(this.#older(index - 1), this.#older(index))
    renameSync(this.path, this.#older(1))
  }

  /** 1 is the newest of the full files. */
  #older(index: number): string {
    return join(this.#folder, `${this.#name}.${index}.jsonl`)
  }
}

/** After a power failure or a full disk, the file may end with half a line: the next entry starts a new line. */
function endsLine(file: number, size: number): boolean {
  if (size === 0) return true
  const last = Buffer.alloc(1)
  readSync(file, last, 0, 1, size - 1)
  return last[0] === NEWLINE
}

function writeWhole(file: number, bytes: Buffer): void {
  const written = writeSync(file, bytes)
  if (written < bytes.length) throw new Error(`the disk is full: ${written} of ${bytes.length} bytes were written`)
}
