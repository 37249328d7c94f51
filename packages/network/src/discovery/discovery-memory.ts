import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '@slotwire/core'
import { DurableFile, type WriteGuard } from '@slotwire/storage'
import { hostLabel } from './announcement-zone.ts'

/** Name of a file that announces a service through avahi. */
const SERVICE_FILE = /^slotwire-[A-Za-z0-9-]+\.service$/

/** Data from earlier starts. */
interface StoredDiscovery {
  /** The preferred host name and the name used instead, if they differ. */
  readonly preferredName?: string
  readonly hostName?: string
  /** Paths of the files written for avahi; undefined is the same as an empty list. */
  readonly serviceFiles?: readonly string[] | undefined
}

/** Name of the file that announces a service through avahi. */
export function serviceFileName(service: string): string {
  return `slotwire-${service.replace(/[^A-Za-z0-9-]/g, '-')}.service`
}

/** Data that discovery stores in the state folder, `discovery.json`. */
export class DiscoveryMemory {
  readonly #file: DurableFile
  #remembered: StoredDiscovery = {}

  constructor(
    folder: string,
    private readonly log: Log,
    guard?: WriteGuard,
  ) {
    this.#file = new DurableFile(join(folder, 'discovery.json'), { guard })
    try {
      this.#remembered = rememberedOf(JSON.parse(this.#file.read() ?? '{}'))
    } catch (error) {
      log.warn({ err: error, file: this.#file.path }, 'the stored host name cannot be read')
    }
  }

  /** The name last used for this preferred name; the preferred name itself if it was free or is new. */
  hostNameFor(preferredName: string): string {
    const { preferredName: last, hostName = preferredName } = this.#remembered
    return last === preferredName ? hostName : preferredName
  }

  rememberHostName(preferredName: string, hostName: string): void {
    if (this.hostNameFor(preferredName) === hostName) return
    const { serviceFiles } = this.#remembered
    this.#remember({ ...(preferredName !== hostName && { preferredName, hostName }), serviceFiles })
  }

  get serviceFiles(): readonly string[] {
    return this.#remembered.serviceFiles ?? []
  }

  rememberServiceFiles(files: readonly string[]): void {
    if (isDeepStrictEqual(files, this.serviceFiles)) return
    this.#remember({ ...this.#remembered, serviceFiles: files.length === 0 ? undefined : files })
  }

  /** Removes the files written for avahi, even by a killed process, except those to `keep`. */
  removeServiceFiles(keep: readonly string[] = []): void {
    this.rememberServiceFiles(this.serviceFiles.filter((file) => keep.includes(file) || !this.#isRemoved(file)))
  }

  #isRemoved(file: string): boolean {
    try {
      rmSync(file, { force: true })
      return true
    } catch (error) {
      this.log.warn({ err: error, file }, 'avahi still announces a service that has stopped: remove the file')
      return false
    }
  }

  /** If writing fails, the next start finds the values again. */
  #remember(remembered: StoredDiscovery): void {
    this.#remembered = remembered
    try {
      this.#file.write(`${JSON.stringify(remembered, undefined, 2)}\n`)
    } catch (error) {
      this.log.warn({ err: error, file: this.#file.path }, 'the announced host name cannot be stored')
    }
  }
}

/** The values of a document. Ignores foreign paths in it: only files written for avahi are ever removed. */
export function rememberedOf(value: unknown): StoredDiscovery {
  const { preferredName, hostName, serviceFiles } = (value ?? {}) as Partial<Record<keyof StoredDiscovery, unknown>>
  const isServiceFile = (path: unknown): path is string => typeof path === 'string' && SERVICE_FILE.test(basename(path))
  return {
    ...(typeof preferredName === 'string' &&
      typeof hostName === 'string' &&
      hostLabel(hostName) === hostName && { preferredName, hostName }),
    ...(Array.isArray(serviceFiles) && { serviceFiles: serviceFiles.filter(isServiceFile) }),
  }
}
