import type { Command } from '@slotwire/sdbp'

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
