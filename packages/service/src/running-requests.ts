import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
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

  /** Whether the service takes its leave. */
  get closing(): boolean {
    return this.#closing
  }

  /** From now on the answers end their connections; of those that run already on one connection, the last. */
  close(): void {
    this.#closing = true
    const last = new Map<Socket, ServerResponse>()
    for (const { request, response } of this.#running) last.set(request.socket, response)
    for (const response of last.values()) endAfter(response)
  }

  /** Refuses those whose body is not there yet. */
  refuseUnfinished(error: SlotwireError): void {
    for (const { failBody } of this.#running) failBody?.(error)
  }

  /** Refuses all that are still without an answer. What they have begun is not undone. */
  refuseAll(error: SlotwireError): void {
    for (const { refuse } of [...this.#running]) refuse(error)
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

/** Whether `endAfter` has been called for this response. */
export function endsConnection(response: ServerResponse): boolean {
  return response.getHeader('connection') === 'close'
}
