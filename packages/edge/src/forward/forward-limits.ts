/** Bounds of forwarding. */
export interface ForwardLimits {
  /** How long a connection to a service may take to come about. */
  readonly connectMs: number
  /** How long a service may take to begin its answer, and for each further part of it; the client has as long to take a part. */
  readonly answerMs: number
  /** How long a service may take to ask for a body that waits for that. After it the body is asked for anyway, as RFC 9110, 10.1.1 wants. */
  readonly continueMs: number
  /** Largest status line and headers of an answer together, in bytes. */
  readonly headerBytes: number
  /** Unused connections that are kept, for each service. */
  readonly idleConnections: number
  /** How long they are kept: shorter than a service keeps its side, so that a request seldom meets a connection that is just being closed. */
  readonly idleMs: number
  /** Readings that one service may have to answer at once; what has an effect is never refused for their number. */
  readonly readings: number
  /** Requests that may wait on one client connection for those before them. */
  readonly pipelined: number
  /** Largest body that is copied into the record of a write, in bytes. */
  readonly recordedBytes: number
  /** How long running requests may take to finish once the forwarder is closing. */
  readonly closeMs: number
}

export const defaultForwardLimits: ForwardLimits = {
  connectMs: 2_000,
  answerMs: 30_000,
  continueMs: 1_000,
  headerBytes: 16_384,
  idleConnections: 64,
  idleMs: 60_000,
  readings: 1_000,
  pipelined: 100,
  recordedBytes: 65_536,
  closeMs: 1_300,
}
