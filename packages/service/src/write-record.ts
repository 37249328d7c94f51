import type { Caller } from './pipeline/caller.ts'

/** A request with an effect after its response, whether it succeeded or not. */
export interface WriteRecord {
  /** Undefined: the process itself. */
  readonly caller: Caller | undefined
  readonly method: string
  /** The path without the query, otherwise unchanged. */
  readonly path: string
  /** The accepted body; undefined if there was none, or if it was invalid or not read. */
  readonly body?: unknown
  /** HTTP status of the response. */
  readonly status: number
  /** Time from arrival to response, in milliseconds. */
  readonly durationMs: number
}
