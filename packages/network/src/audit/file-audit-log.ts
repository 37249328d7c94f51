import { join } from 'node:path'
import { type Clock, isoTime, type Log, type WallTime } from '@slotwire/core'
import { type MetricSource, singleMetric } from '@slotwire/service'
import { RotatedLines } from '@slotwire/storage'
import { auditLine } from './audit-line.ts'
import type { AuditEntry, AuditLog } from './audit-log.ts'
import { isRefusedWrite, RefusedWrites, WRITE } from './refused-writes.ts'

/** Largest file in bytes, and the number of files kept, the current one included. */
export const FILE_BYTES = 1_048_576
export const FILES = 8

export interface FileAuditLogOptions {
  /** The state folder. */
  readonly folder: string
  readonly wallTime: WallTime
  readonly log: Log
  /** Times the minutes in which refused writes are counted. Without a clock every one is written: for processes that serve no writes. */
  readonly clock?: Clock
}

/**
 * Two logs in the state folder, one JSON line per entry, each at most eight files of 1 MiB. `audit/writes.jsonl` holds writes of clients,
 * `audit/changes.jsonl` all other entries: so no client can push out administration entries. Several processes may write to them.
 */
export class FileAuditLog implements AuditLog {
  readonly #options: FileAuditLogOptions
  readonly #changes: RotatedLines
  readonly #writes: RotatedLines
  readonly #refused: RefusedWrites | undefined
  #lines = 0
  #failures = 0

  constructor(options: FileAuditLogOptions) {
    this.#options = options
    const files = { folder: join(options.folder, 'audit'), fileBytes: FILE_BYTES, files: FILES, writers: 'several' } as const
    this.#changes = new RotatedLines({ ...files, name: 'changes' })
    this.#writes = new RotatedLines({ ...files, name: 'writes' })
    this.#refused = options.clock && new RefusedWrites(options.clock, (entry) => this.#write(entry))
  }

  readonly metrics: MetricSource = () => [
    singleMetric(
      'counter',
      'slotwire_audit_entries_total',
      'Entries of the audit log that this process has written.',
      this.#lines,
    ),
    singleMetric(
      'counter',
      'slotwire_audit_failures_total',
      'Entries of the audit log that could not be written: they are in the service log.',
      this.#failures,
    ),
  ]

  /** A sentence for operators if an entry could not be written since the start. */
  get warnings(): readonly string[] {
    if (this.#failures === 0) return []
    return [`audit log: ${this.#failures} not written since the start; each is in the log of the service`]
  }

  add(entry: AuditEntry): void {
    if (this.#refused !== undefined && isRefusedWrite(entry)) this.#refused.add(entry)
    else this.#write(entry)
  }

  /** Writes the pending counts of refused writes. */
  close(): void {
    this.#refused?.close()
  }

  #write(entry: AuditEntry): void {
    const files = entry.action === WRITE ? this.#writes : this.#changes
    const { wallTime, log } = this.#options
    const line = auditLine(entry, isoTime(wallTime()))
    try {
      files.append(line)
      this.#lines++
    } catch (error) {
      this.#failures++
      // Log the whole entry: this may be the only place left to keep it.
      log.error({ err: error, file: files.path, entry: line.trimEnd() }, 'an entry of the audit log could not be written')
    }
  }
}
