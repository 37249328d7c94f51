import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request that is being worked on. */
export interface RunningRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Ends the wait for its body. Safe at any moment. */
  failBody?: (error: Error) => void
}

/** The requests that could not be answered at once, in order of arrival. Bounded by the connections, which send one after another. */
export class RunningRequests {
  readonly #running = new Set<RunningRequest>()
  #closing = false

  /** Whether the service takes its leave. */
  get closing(): boolean {
    return this.#closing
  }

  /** From now on every answer, also of those that run already, ends its connection. */
  close(): void {
    this.#closing = true
    for (const { response } of this.#running) endAfter(response)
  }

  /** Call the returned function when the answer has been given. */
  add(running: RunningRequest): () => void {
    this.#running.add(running)
    if (this.#closing) endAfter(running.response)
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
