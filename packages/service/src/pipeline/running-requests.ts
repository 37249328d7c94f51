import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, coreErrors, type SlotwireError, type Timer } from '@slotwire/core'
import { type ErrorContext, sendFailure } from './answer.ts'
import { failBody } from './body.ts'

/** A request in progress. */
export interface RunningRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Sends an error, unless a response was sent already. */
  readonly refuse: (error: SlotwireError) => void
}

/** Longest real time that a request waits for a virtual device whose time is paused or slow. */
export const MAX_PAUSED_MS = 30_000
/** How often that is checked. */
const PAUSE_CHECK_MS = 1000
/** Time that runs slower than this share of real time counts as paused. */
const MIN_PACE = 0.5

/** Requests in progress, in order of arrival. Limited by the number of connections, and of the requests that each may have. */
export class RunningRequests {
  readonly #running = new Set<RunningRequest>()
  /** Responses that end only on request, as event streams. They delay nothing. */
  readonly #endless = new Set<RunningRequest>()
  #closing = false

  /** `clock` is the time of the device, `doorTime` that of its clients. */
  constructor(
    private readonly clock: Clock,
    private readonly doorTime: Clock,
  ) {}

  /** Number of running requests. */
  get size(): number {
    return this.#running.size
  }

  /** Whether the service is closing. */
  get closing(): boolean {
    return this.#closing
  }

  /** Marks the service as closing. Ends the responses that have no end of their own. */
  close(): void {
    this.#closing = true
    this.endEndless(coreErrors.stopping())
  }

  /** Adds a response that has no end of its own, until it is closed. Its `refuse` is called when its door or the service closes. */
  addEndless(running: RunningRequest): void {
    this.#endless.add(running)
    running.response.once('close', () => this.#endless.delete(running))
  }

  /** Ends the responses of `addEndless`. */
  endEndless(error: SlotwireError, which: (running: RunningRequest) => boolean = () => true): void {
    for (const running of [...this.#endless]) if (which(running)) running.refuse(error)
  }

  /** Refuses requests whose body is incomplete. */
  refuseUnfinished(error: SlotwireError, which: (running: RunningRequest) => boolean): void {
    for (const running of this.#running) if (which(running)) failBody(running.request, error)
  }

  /** Refuses all requests without a response. Effects are not undone. */
  refuseAll(error: SlotwireError, which: (running: RunningRequest) => boolean): void {
    for (const running of [...this.#running]) if (which(running)) running.refuse(error)
  }

  /** Runs the work of a request, which can be refused until the work ends. Sends a thrown error to the client. Returns the error sent. */
  async run(
    request: IncomingMessage,
    response: ServerResponse,
    errors: ErrorContext,
    work: () => Promise<void>,
  ): Promise<SlotwireError | undefined> {
    let refusal: SlotwireError | undefined
    const refuse = (error: unknown): void => {
      refusal ??= sendFailure(request, response, error, errors)
    }
    const running: RunningRequest = { request, response, refuse }
    this.#running.add(running)
    const endLimit = this.#limitPause(running)
    try {
      await work()
    } catch (error) {
      refuse(error)
    } finally {
      this.#running.delete(running)
      endLimit()
    }
    return refusal
  }

  /** Refuses a request when the device's time was paused for too long meanwhile. Returns a function that ends this. */
  #limitPause({ refuse }: RunningRequest): () => void {
    const [clock, doorTime] = [this.clock, this.doorTime]
    if (clock === doorTime) return () => undefined
    let pausedMs = 0
    let before = clock.now()
    const check = (): void => {
      const passed = clock.now() - before
      before += passed
      if (passed < PAUSE_CHECK_MS * MIN_PACE) pausedMs += PAUSE_CHECK_MS
      if (pausedMs < MAX_PAUSED_MS) timer = doorTime.after(PAUSE_CHECK_MS, check)
      else refuse(coreErrors.timePaused({ seconds: MAX_PAUSED_MS / 1000 }))
    }
    let timer: Timer = doorTime.after(PAUSE_CHECK_MS, check)
    return () => timer.cancel()
  }
}

/** Closes the connection after this response. */
export function endAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/** Whether `endAfter` was called for this response. */
export function endsConnection(response: ServerResponse): boolean {
  return response.getHeader('connection') === 'close'
}
