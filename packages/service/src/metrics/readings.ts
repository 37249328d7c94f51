import type { Contract, Endpoint, ReplyOf } from '@slotwire/contract'
import type { Sample } from './metric.ts'

/** One sample of a reading, in base units (volts, amperes, celsius, watts, seconds). */
export type ReadingSample = Omit<Sample, 'suffix'>

/** A metric derived from the reply of one endpoint. */
export interface ReadingMetric<Reply> {
  /** Part of the name after `slotwire_<service>_`: `rail_volts`. */
  readonly name: string
  readonly help: string
  /** Default: gauge. A counter may restart at 0 but otherwise never decreases. */
  readonly type?: 'gauge' | 'counter'
  readonly samples: (reply: Reply) => readonly ReadingSample[]
}

/** Metrics of a module type, by the endpoint from which they are derived. Only for endpoints that read and have no parameters. */
export type ModuleReadings<Endpoints extends Contract['endpoints']> = {
  readonly [Name in keyof Endpoints as Endpoints[Name] extends ReadingEndpoint ? Name : never]?: readonly ReadingMetric<
    ReplyOf<Endpoints[Name]>
  >[]
}

type ReadingEndpoint = Endpoint & { readonly effect: 'read'; readonly parameters?: undefined }

/** A `ReadingMetric` without the types of its contract. */
export interface CheckedReadingMetric extends Omit<ReadingMetric<unknown>, 'samples'> {
  samples(reply: unknown): readonly ReadingSample[]
}

/** Metrics by name of the endpoint. */
export type CheckedReadings = Readonly<Record<string, readonly CheckedReadingMetric[] | undefined>>
