import type { ModuleDescriptor, Version } from '@slotwire/core'
import type { Command } from '@slotwire/sdbp'
import type { PendingNotifications } from './notification-log.ts'

/** One exchange with the module inside a job, with retries and decoding. Throws `SlotwireError` or `ModuleRefusal`. */
export type Exchange = <Request, Response>(command: Command<Request, Response>, request: Request) => Promise<Response>

/** Work that has the slot to itself, except for heartbeats. */
export type Job<Result> = (exchange: Exchange) => Promise<Result>

/** How a write gets its turn; default: after all earlier jobs. */
export interface WriteOptions {
  /**
   * `ahead`: before all waiting jobs, even if too many wait, for what must not be late. `clears`: the same, and the writes that waited when
   * this one came end unsent.
   */
  readonly turn?: 'ahead' | 'clears' | undefined
  /** Most jobs that may wait ahead; default: any number. */
  readonly limit?: number
  /** Learns of a wait: `begin` is called if the job must wait, `end` when its turn has come. If that rejects, the job does not run. */
  readonly wait?: { begin(): void; end(): Promise<void> }
  /** Called in the moment in which the job begins. If it throws, the job does not run. */
  readonly before?: () => void
}

/** Ends an idle job because another job needs the module. */
export class SlotNeeded extends Error {
  override readonly name = 'SlotNeeded'

  constructor() {
    super('another job needs the module')
  }
}

/**
 * `written`: a write that sent something to the module has ended; `notified`: a notification came and is merged; `reset`: back in the
 * initial state on request; `session`: new session, the state may be lost; `lost`: the slot has ended and this object is finished.
 */
export type SlotEvent = 'written' | 'notified' | 'reset' | 'session' | 'lost'

/** One usable module, as services see it. */
export interface SlotApi {
  readonly slot: number
  readonly vendorProductId: string
  /** The module's protocol version, as read when it was opened. */
  readonly protocolVersion: Version
  /** `device_session` of the specification. */
  readonly session: string
  /** Whether the session ends with the next heartbeat: the module was without one for too long. */
  readonly sessionEnds: boolean
  readonly notifications: PendingNotifications
  /**
   * Reads the current descriptor from the backplane. Throws `descriptorNotRead` if that fails or takes too long, and the slot's own
   * reason when it has ended.
   */
  descriptor(): Promise<ModuleDescriptor>
  /** Runs a job with an effect. Throws `queueFull` at once if too many wait. */
  write<Result>(job: Job<Result>, options?: WriteOptions): Promise<Result>
  /**
   * Runs a job without effect, shared among callers with the same `key`. A plain call joins even a job that has begun, a `fresh` one only
   * a job that has sent nothing.
   */
  read<Result>(key: string, options: { readonly fresh: boolean }, job: Job<Result>): Promise<Result>
  /**
   * Runs a job without effect, not shared, when no other job waits. Its next exchange throws `SlotNeeded` if one does. Only one can wait
   * for this: a second is refused with `queueFull`.
   */
  readWhenIdle<Result>(job: Job<Result>): Promise<Result>
  /** MODE_SUSPEND, UPDATE_DESCRIPTOR, MODE_RUN, and drops pending notifications: spec "reset". A job for a write. */
  readonly reset: Job<void>
  /**
   * Gives up a module that does not obey and may be in an unsafe state. Closes its file and leaves it alone until it has fallen to
   * SUSPEND, even if the close fails. Then the slot is opened again. Resolves at that moment; never rejects.
   */
  giveUp(): Promise<void>
  /** Calls `listener` on each event until the returned function is called. */
  subscribe(listener: (event: SlotEvent) => void): () => void
}
