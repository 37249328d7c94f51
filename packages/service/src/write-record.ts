import type { Caller } from './pipeline/caller.ts'

/** A request with an effect that has been answered, whether it was done or refused. */
export interface WriteRecord {
  /** Undefined: the process itself. */
  readonly caller: Caller | undefined
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  /** The body that was taken; undefined where there was none, or it was refused: it did not fit, or was never read. */
  readonly body?: unknown
  /** HTTP status of the answer. */
  readonly status: number
  /** From its arrival to its answer, in milliseconds. */
  readonly durationMs: number
}
