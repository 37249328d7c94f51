/** Limits of forwarding. */
export const defaultForwardLimits = {
  /** Longest time to connect to a service. */
  connectMs: 2_000,
  /** Longest wait for the start of a response and for each further part; also for the client to accept a part. */
  answerMs: 30_000,
  /** Longest wait for `100 Continue` from a service. Then the body is requested anyway, as RFC 9110, 10.1.1 requires. */
  continueMs: 1_000,
  /** Largest status line and headers of a response, in bytes. */
  headerBytes: 16_384,
  /** Unused connections kept per service. */
  idleConnections: 64,
  /** Time to keep them: shorter than services do, so that a request rarely meets a connection that is being closed. */
  idleMs: 60_000,
  /** Most simultaneous reads per service; writes are never refused for their number. */
  readings: 1_000,
  /** Most requests that may wait per client connection. */
  pipelined: 100,
  /** Largest body copied into the record of a write, in bytes. */
  recordedBytes: 65_536,
  /** Time for running requests to finish after `close`. */
  closeMs: 1_300,
}

export type ForwardLimits = Readonly<typeof defaultForwardLimits>
