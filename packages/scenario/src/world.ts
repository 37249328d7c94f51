import type { Clock } from '@slotwire/core'
import type { Bench } from '@slotwire/twin'

/** A request as a client on the device would make it. */
export interface WorldRequest {
  readonly method: 'GET' | 'POST'
  /** As in `/api/io/1.0/3/input/values`. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface WorldAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  /** The JSON of the body; undefined where there is none. */
  readonly body: unknown
}

/** What a scenario acts on: a virtual device that is switched on, with its driver and its HTTP service. */
export interface ScenarioWorld {
  /** The twin's time. */
  readonly clock: Clock
  readonly bench: Bench
  /** Answers as the loopback door would. May need time to pass. Rejects when the service is killed meanwhile, or does not run. */
  request(request: WorldRequest): Promise<WorldAnswer>
  /** Ends the service as SIGKILL would: nothing is said to the modules, the kernel closes their slots. */
  killService(): Promise<void>
  /** Starts a killed service anew. */
  startService(): Promise<void>
}
