import type { Position } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import type { Bench } from '@slotwire/twin'

/** A request like that of a client on the device. */
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
  /** Parsed JSON of the body; undefined without a body. */
  readonly body: unknown
}

/** Something that happened, as in the service's journal. */
export interface WorldRecord {
  /** `<boot>-<sequence>`. */
  readonly id: string
  readonly kind: string
  readonly slot?: number
  readonly service?: string
  readonly [field: string]: unknown
}

interface WorldRecords {
  readonly records: readonly WorldRecord[]
}

/** The journal of the service. */
export interface WorldJournal {
  readonly last: Position
  /** The records after a position, oldest first. */
  read(after: Position, wants: (record: Pick<WorldRecord, 'kind'>) => boolean): WorldRecords | Promise<WorldRecords>
}

/** The device of a scenario, switched on: a virtual device with its driver and its HTTP service, or one that can only be asked. */
export interface ScenarioWorld {
  /** The twin's time; real time without a bench. */
  readonly clock: Clock
  /** Undefined for a device that can only be asked. */
  readonly bench: Bench | undefined
  /** Without a bench: the slots that have a module. */
  readonly slots?: readonly Pick<Bench['slots'][number], 'slot' | 'moduleType'>[]
  /** Of the running service. Throws if none runs. */
  readonly journal: WorldJournal
  /** Answers like the loopback door; may need time to pass. Rejects if the service is killed meanwhile or does not run. */
  request(request: WorldRequest): Promise<WorldAnswer>
  /** Kills the service like SIGKILL: the modules get no command, the kernel closes their slots. */
  killService(): Promise<void>
  /** Starts a killed service again. */
  startService(): Promise<void>
}
