import { isoTime, type Log, type WallTime } from '@slotwire/core'
import type { MetricSource } from '@slotwire/service'
import { AuditFiles } from './audit-files.ts'
import { auditLine } from './audit-line.ts'
import type { AuditEntry, AuditLog } from './audit-log.ts'

export interface FileAuditLogOptions {
  /** The state folder. */
  readonly folder: string
  readonly wallTime: WallTime
  readonly log: Log
}

/** `audit/audit.jsonl` in the state folder: one JSON line per entry, eight files of 1 MiB at most. Several processes may add to it. */
export class FileAuditLog implements AuditLog {
  readonly #options: FileAuditLogOptions
  readonly #files: AuditFiles
  #lines = 0
  #failures = 0

  constructor(options: FileAuditLogOptions) {
    this.#options = options
    this.#files = new AuditFiles(options.folder)
  }

  readonly metrics: MetricSource = () => [
    {
      name: 'slotwire_audit_entries_total',
      help: 'Entries of the audit log that this process has written down.',
      type: 'counter',
      samples: [{ value: this.#lines }],
    },
    {
      name: 'slotwire_audit_failures_total',
      help: 'Entries of the audit log that could not be written down: they are in the log of the service.',
      type: 'counter',
      samples: [{ value: this.#failures }],
    },
  ]

  add(entry: AuditEntry): void {
    const { wallTime, log } = this.#options
    const line = auditLine(entry, isoTime(wallTime()))
    try {
      this.#files.append(line)
      this.#lines++
    } catch (error) {
      this.#failures++
      // The entry itself as well: this may be the only place where it still can be kept.
      log.error({ err: error, file: this.#files.path, entry: line.trimEnd() }, 'an entry of the audit log could not be written')
    }
  }
}
