import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SlotwireError } from '@slotwire/core'
import { sendFailure } from './answer.ts'
import { failBody } from './body.ts'
import type { ErrorContext } from './client-error.ts'

/** A request in progress. */
export interface RunningRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Sends an error, unless a response was sent already. */
  readonly refuse: (error: SlotwireError) => void
}

/** Requests in progress, in order of arrival. Limited by the number of connections, which run one request at a time. */
export class RunningRequests {
  readonly #running = new Set<RunningRequest>()
  #closing = false

  /** Number of running requests. */
  get size(): number {
    return this.#running.size
  }

  /** Whether the service is closing. */
  get closing(): boolean {
    return this.#closing
  }

  /** Marks the service as closing. */
  close(): void {
    this.#closing = true
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
    try {
      await work()
    } catch (error) {
      refuse(error)
    } finally {
      this.#running.delete(running)
    }
    return refusal
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
