import { join } from 'node:path'
import { type Clock, isoTime, type Log, orElse, type Timer, type WallTime } from '@slotwire/core'
import { type MetricSource, singleMetric, type WriteRecord } from '@slotwire/service'
import { RotatedLines } from '@slotwire/storage'
import { withoutSecrets } from '../tokens/token-document.ts'

/** One line of the audit log. Holds no secret. */
export interface AuditEntry {
  /** Name of the token; `local` for this program on the device itself, another fixed word for a request without a valid token. */
  readonly who: string
  /** Id of the token, if there is one: names can be reused. */
  readonly token?: string
  /** IP address of the client, if there is one. */
  readonly address?: string
  /** `write`, `token.create`, `certificate.import`, `settings.set`, … */
  readonly action: string
  /** Details: path and body of a write, name of a token, keys of settings. */
  readonly what: Readonly<Record<string, unknown>>
  /** `success` or the reason of the failure; for a write its HTTP status, for several refused writes `refused`. */
  readonly result: string | number
}

/** Record of changes, in files that are rotated. */
export type AuditLog = Pick<FileAuditLog, 'add'>

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
export class FileAuditLog {
  readonly #changes: RotatedLines
  readonly #writes: RotatedLines
  readonly #refused: RefusedWrites | undefined
  #lines = 0
  #failures = 0

  constructor(private readonly options: FileAuditLogOptions) {
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

  /** Never throws: if an entry cannot be written, it goes to the service's log as an error. */
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
    const { wallTime, log } = this.options
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

/** Returns a function that records writes through the network door. Writes through the loopback door are in the service's log only. */
export function auditWrites(audit: AuditLog): (record: WriteRecord) => void {
  return ({ caller, method, path, body, status }) => {
    if (caller?.door !== 'network') return
    const { token, address } = caller
    const what = { method, path, ...(body === undefined ? {} : { body }) }
    const who = token === undefined ? { who: 'nobody' } : { who: token.name, token: token.id }
    audit.add({ ...who, address, action: WRITE, what, result: status })
  }
}

/** Longest text in an entry, in characters; longer text is cut and ends with `…`. */
const MAX_TEXT_CHARACTERS = 256
/** Longest JSON of `what`, in characters; of longer JSON only the beginning is kept, as text. */
const MAX_WHAT_CHARACTERS = 2048

/** One line of JSON with its newline. `time` is ISO 8601. The length is bounded for any entry; secrets of tokens are removed. */
export function auditLine({ who, token, address, action, what, result }: AuditEntry, time: string): string {
  const line = {
    time,
    who: clipped(who),
    ...(token === undefined ? {} : { token: clipped(token) }),
    ...(address === undefined ? {} : { address: clipped(address) }),
    action: clipped(action),
    what: boundedWhat(what),
    result: typeof result === 'string' ? clipped(result) : result,
  }
  return `${withoutSecrets(JSON.stringify(line))}\n`
}

function clipped(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS)}…`
}

function boundedWhat(what: AuditEntry['what']): unknown {
  const withClippedTexts = (_: string, value: unknown) => (typeof value === 'string' ? clipped(value) : value)
  // A client may send JSON that is nested too deep to serialize.
  const text = orElse('{"unreadable":true}', () => JSON.stringify(what, withClippedTexts))
  return text.length <= MAX_WHAT_CHARACTERS
    ? (JSON.parse(text) as unknown)
    : { clipped: `${text.slice(0, MAX_WHAT_CHARACTERS)}…` }
}

/** The action of an entry for a request with an effect. */
export const WRITE = 'write'

/** Refused writes per token and minute that are written in full; the others are counted. */
export const WHOLE_PER_MINUTE = 5
const MINUTE_MS = 60_000
/** Tokens counted at the same time; for one more, the oldest count is written early. */
export const MAX_COUNTED_TOKENS = 1000

/** A token's refused writes in the current minute. */
interface RefusedCount {
  readonly entry: AuditEntry
  whole: number
  /** Counted writes by result; those written in full are not included. */
  readonly more: Map<string, number>
  readonly timer: Timer
}

/** True for a write whose HTTP status is not a success. */
export function isRefusedWrite({ action, result }: AuditEntry): boolean {
  return action === WRITE && typeof result === 'number' && (result < 200 || result > 299)
}

/** Turns a flood of refused writes into a few entries a minute per token: a client without rights cannot push out other entries. */
export class RefusedWrites {
  readonly #counts = new Map<string, RefusedCount>()
  #closed = false

  /** `write` gets the entries to write. */
  constructor(
    private readonly clock: Clock,
    private readonly write: (entry: AuditEntry) => void,
  ) {}

  add(entry: AuditEntry): void {
    if (this.#closed) {
      this.write(entry)
      return
    }
    const key = entry.token ?? entry.who
    const count = this.#counts.get(key) ?? this.#begin(key, entry)
    if (count.whole < WHOLE_PER_MINUTE) {
      count.whole++
      this.write(entry)
      return
    }
    const result = String(entry.result)
    count.more.set(result, (count.more.get(result) ?? 0) + 1)
  }

  /** Writes the pending counts; later entries are written at once. */
  close(): void {
    this.#closed = true
    for (const key of this.#counts.keys()) this.#end(key)
  }

  #begin(key: string, entry: AuditEntry): RefusedCount {
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined && this.#counts.size >= MAX_COUNTED_TOKENS) this.#end(oldest)
    const timer = this.clock.after(MINUTE_MS, () => this.#end(key))
    const count = { entry, whole: 0, more: new Map<string, number>(), timer }
    this.#counts.set(key, count)
    return count
  }

  #end(key: string): void {
    const count = this.#counts.get(key)
    if (count === undefined) return
    count.timer.cancel()
    this.#counts.delete(key)
    if (count.more.size === 0) return
    // The entry holds only what all counted writes share: their addresses may differ.
    const { who, token } = count.entry
    const more = [...count.more.values()].reduce((sum, each) => sum + each, 0)
    const what = { more, statuses: Object.fromEntries(count.more) }
    this.write({ who, ...(token === undefined ? {} : { token }), action: WRITE, what, result: 'refused' })
  }
}
