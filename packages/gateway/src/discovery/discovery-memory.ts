import { readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { codeOf, type Log } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import { hostLabel } from './host-label.ts'

/** A file by which avahi is told of a service, and no other. */
const SERVICE_FILE = /^slotwire-[A-Za-z0-9-]+\.service$/

/** What is known from earlier starts. */
interface Remembered {
  /** The host name that was wished for, and the one that was free, if it was another. */
  readonly wish?: string
  readonly hostName?: string
  /** Paths of the files by which avahi was told of the device; none is the same as an empty list. */
  readonly serviceFiles?: readonly string[] | undefined
}

/** The name of the file by which avahi is told of a service. */
export function serviceFileName(service: string): string {
  return `slotwire-${service.replace(/[^A-Za-z0-9-]/g, '-')}.service`
}

/** What discovery remembers in the state folder, `discovery.json`. */
export class DiscoveryMemory {
  readonly #file: DurableFile
  readonly #log: Log
  #remembered: Remembered = {}

  constructor(folder: string, log: Log) {
    this.#file = new DurableFile(join(folder, 'discovery.json'))
    this.#log = log
    try {
      this.#remembered = rememberedOf(JSON.parse(readFileSync(this.#file.path, 'utf8')))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return
      log.warn({ err: error, file: this.#file.path }, 'what was remembered of the announced host name cannot be read')
    }
  }

  /** The name that this wish led to the last time; the wish itself if it was free, or is a new one. */
  hostNameFor(wish: string): string {
    const { wish: last, hostName = wish } = this.#remembered
    return last === wish ? hostName : wish
  }

  rememberHostName(wish: string, hostName: string): void {
    if (this.hostNameFor(wish) === hostName) return
    const { serviceFiles } = this.#remembered
    this.#remember({ ...(wish !== hostName && { wish, hostName }), serviceFiles })
  }

  get serviceFiles(): readonly string[] {
    return this.#remembered.serviceFiles ?? []
  }

  rememberServiceFiles(files: readonly string[]): void {
    if (isDeepStrictEqual(files, this.serviceFiles)) return
    this.#remember({ ...this.#remembered, serviceFiles: files.length === 0 ? undefined : files })
  }

  /** Takes away what avahi was told, also by a process that was killed, but for the files to `keep`. */
  removeServiceFiles(keep: readonly string[] = []): void {
    this.rememberServiceFiles(this.serviceFiles.filter((file) => keep.includes(file) || !this.#isRemoved(file)))
  }

  #isRemoved(file: string): boolean {
    try {
      rmSync(file, { force: true })
      return true
    } catch (error) {
      this.#log.warn({ err: error, file }, 'avahi announces what is not there any more: remove the file')
      return false
    }
  }

  /** What cannot be remembered is found out anew at the next start. */
  #remember(remembered: Remembered): void {
    this.#remembered = remembered
    try {
      this.#file.write(`${JSON.stringify(remembered, undefined, 2)}\n`)
    } catch (error) {
      this.#log.warn({ err: error, file: this.#file.path }, 'the announced host name cannot be remembered')
    }
  }
}

/** Whatever the file says that came from elsewhere: no files but our own are ever taken away. */
function rememberedOf(value: unknown): Remembered {
  const { wish, hostName, serviceFiles } = (value ?? {}) as Partial<Record<keyof Remembered, unknown>>
  const isServiceFile = (path: unknown): path is string => typeof path === 'string' && SERVICE_FILE.test(basename(path))
  return {
    ...(typeof wish === 'string' && typeof hostName === 'string' && hostLabel(hostName) === hostName && { wish, hostName }),
    ...(Array.isArray(serviceFiles) && { serviceFiles: serviceFiles.filter(isServiceFile) }),
  }
}
