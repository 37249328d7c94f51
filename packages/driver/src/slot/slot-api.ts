import type { ModuleDescriptor, Version } from '@slotwire/core'
import type { Command } from '@slotwire/sdbp'
import type { PendingNotifications } from './notifications.ts'

/** One exchange with the module, inside a job: retried, decoded; throws `SlotwireError` or `ModuleRefusal`. */
export type Exchange = <Request, Response>(command: Command<Request, Response>, request: Request) => Promise<Response>

/** A piece of work that has the slot to itself, heartbeats apart. */
export type Job<Result> = (exchange: Exchange) => Promise<Result>

/** Ends a job that runs in spare time: somebody else wants the module. */
export class SlotWanted extends Error {
  override readonly name = 'SlotWanted'

  constructor() {
    super('somebody else wants the module')
  }
}

/**
 * `written`: a write that spoke to the module has been done; `notified`: the module told something (already merged); `reset`: back in
 * the initial state, asked for; `session`: state may be lost, there is a new session; `lost`: the slot has ended, this object is finished.
 */
export type SlotEvent = 'written' | 'notified' | 'reset' | 'session' | 'lost'

/** One usable module, as services see it. */
export interface SlotApi {
  readonly slot: number
  readonly vendorProductId: string
  /** Of the module's protocol, as read when it was opened. */
  readonly protocolVersion: Version
  /** `device_session` of the specification. */
  readonly session: string
  readonly notifications: PendingNotifications
  /**
   * As last read by the backplane. Throws `descriptorNotRead` when that fails or takes too long, and the slot's own reason when it has
   * ended.
   */
  descriptor(): Promise<ModuleDescriptor>
  /** Runs a job with an effect, in order of arrival. Throws `queueFull` at once when too many wait. */
  write<Result>(job: Job<Result>): Promise<Result>
  /**
   * Runs a job without effect, shared among callers with the same `key`: a plain one joins even a job that has begun, a `fresh` one
   * only a job of which nothing has been sent yet.
   */
  read<Result>(key: string, options: { readonly fresh: boolean }, job: Job<Result>): Promise<Result>
  /**
   * Runs a job without effect, shared with nobody, when no other job waits; its next exchange throws `SlotWanted` once one does. Only
   * one can wait for such a moment: another is refused with `queueFull`.
   */
  readSpare<Result>(job: Job<Result>): Promise<Result>
  /** MODE_SUSPEND, UPDATE_DESCRIPTOR, MODE_RUN, and nothing pending: spec "reset". */
  reset(): Promise<void>
  /**
   * Gives the module up because it may be in a state that must not last, and does not obey: its file is closed, and nobody speaks to it
   * until it has fallen to SUSPEND by itself, whatever became of the closing. Then it is opened anew. Resolves at that moment; never rejects.
   */
  giveUp(): Promise<void>
  /** Calls `listener` on each event until the returned function is called. */
  subscribe(listener: (event: SlotEvent) => void): () => void
}
