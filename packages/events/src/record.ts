import { type RecordKind, recordKinds } from '@slotwire/contract'

export { type RecordKind, recordKinds }

/** Something that happened, without its number and time. Fields of its kind come last, in a fixed order. */
export interface NewRecord {
  readonly kind: RecordKind
  readonly slot?: number
  /** Name of the service whose module it is about. A record without one is about the whole device. */
  readonly service?: string
  /** Modules that it is about, if they are several, with what is true of each: then there is neither `slot` nor `service`. */
  readonly modules?: readonly ModulePlace[]
  /** `device_session` of the module. */
  readonly session?: string
  readonly [field: string]: unknown
}

/** A numbered record of the journal, as clients see it. */
export interface JournalRecord extends NewRecord {
  /** `<boot>-<sequence>`. Order is by id, never by `at`. */
  readonly id: string
  /** Wall time, RFC 3339 with milliseconds. */
  readonly at: string
  /** Milliseconds since the process started. */
  readonly up_ms: number
  /** Milliseconds of the twin's time; only on a twin. */
  readonly twin_ms?: number
}

/** A module by its slot and the name of its service. */
export interface ModulePlace {
  readonly slot?: number | undefined
  readonly service?: string | undefined
}

/** What a reader can ask of a record: its kind, and where it happened. */
export interface RecordPlace extends ModulePlace {
  readonly kind: RecordKind
  readonly modules?: readonly ModulePlace[] | undefined
}

/** Where a record happened: one place for each module. */
export function placesOf(record: RecordPlace): readonly ModulePlace[] {
  return record.modules ?? [record]
}

/** Which records a reader wants. */
export type RecordFilter = (place: RecordPlace) => boolean

/** Whether a value is the name of a kind. */
export function isRecordKind(value: unknown): value is RecordKind {
  return recordKinds.some((kind) => kind === value)
}
