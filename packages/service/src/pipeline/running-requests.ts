import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SlotwireError } from '@slotwire/core'
import { sendFailure } from './answer.ts'
import { failBody } from './body.ts'
import type { ErrorContext } from './client-error.ts'

/** A request that is being worked on. */
export interface RunningRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Answers it at once, unless it has been answered. */
  readonly refuse: (error: SlotwireError) => unknown
}

/** The requests that could not be answered at once, in order of arrival. Bounded by the connections, which send one after another. */
export class RunningRequests {
  readonly #running = new Set<RunningRequest>()
  #closing = false

  /** How many there are. */
  get size(): number {
    return this.#running.size
  }

  /** Whether the service takes its leave. */
  get closing(): boolean {
    return this.#closing
  }

  /** What is answered from now on is answered while closing. */
  close(): void {
    this.#closing = true
  }

  /** Refuses those of which the body is not there yet. */
  refuseUnfinished(error: SlotwireError, which: (running: RunningRequest) => boolean): void {
    for (const running of this.#running) if (which(running)) failBody(running.request, error)
  }

  /** Refuses those that are still without an answer. What they have begun is not undone. */
  refuseAll(error: SlotwireError, which: (running: RunningRequest) => boolean): void {
    for (const running of [...this.#running]) if (which(running)) running.refuse(error)
  }

  /**
   * Does what a request asks for: until that ends the request can be refused. What the work throws is told to the client; returns that error.
   */
  async during(
    request: IncomingMessage,
    response: ServerResponse,
    errors: ErrorContext,
    work: () => Promise<void>,
  ): Promise<SlotwireError | undefined> {
    const running: RunningRequest = { request, response, refuse: (error) => sendFailure(request, response, error, errors) }
    this.#running.add(running)
    try {
      await work()
      return undefined
    } catch (error) {
      return sendFailure(request, response, error, errors)
    } finally {
      this.#running.delete(running)
    }
  }
}

/** Has the connection closed after this response. */
export function endAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/** Whether `endAfter` has been called for this response. */
export function endsConnection(response: ServerResponse): boolean {
  return response.getHeader('connection') === 'close'
}
