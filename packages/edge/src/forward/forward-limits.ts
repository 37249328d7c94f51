/** Limits of forwarding. */
export interface ForwardLimits {
  /** Longest time to connect to a service. */
  readonly connectMs: number
  /** Longest wait for the start of a response and for each further part; also for the client to accept a part. */
  readonly answerMs: number
  /** Longest wait for `100 Continue` from a service. Then the body is requested anyway, as RFC 9110, 10.1.1 requires. */
  readonly continueMs: number
  /** Largest status line and headers of a response, in bytes. */
  readonly headerBytes: number
  /** Unused connections kept per service. */
  readonly idleConnections: number
  /** Time to keep them: shorter than services do, so that a request rarely meets a connection that is being closed. */
  readonly idleMs: number
  /** Most simultaneous reads per service; writes are never refused for their number. */
  readonly readings: number
  /** Most requests that may wait per client connection. */
  readonly pipelined: number
  /** Largest body copied into the record of a write, in bytes. */
  readonly recordedBytes: number
  /** Time for running requests to finish after `close`. */
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
