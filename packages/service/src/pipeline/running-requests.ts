import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SlotwireError } from '@slotwire/core'

/** A request that is being worked on. */
export interface RunningRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Answers it at once, unless it has been answered. */
  readonly refuse: (error: SlotwireError) => void
  /** Ends the wait for its body. Safe at any moment. */
  failBody?: (error: Error) => void
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
    for (const running of this.#running) if (which(running)) running.failBody?.(error)
  }

  /** Refuses those that are still without an answer. What they have begun is not undone. */
  refuseAll(error: SlotwireError, which: (running: RunningRequest) => boolean): void {
    for (const running of [...this.#running]) if (which(running)) running.refuse(error)
  }

  /** Call the returned function when the answer has been given. */
  add(running: RunningRequest): () => void {
    this.#running.add(running)
    return () => this.#running.delete(running)
  }

  /** The request that this response belongs to, if it is still without its answer. */
  of(response: ServerResponse): RunningRequest | undefined {
    for (const running of this.#running) if (running.response === response) return running
    return undefined
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
