import type { Contract, Endpoint, ReplyOf } from '@slotwire/contract'
import type { Sample } from './metric.ts'

/** One figure of a reading, in base units (volts, amperes, celsius, watts, seconds). */
export type ReadingSample = Omit<Sample, 'suffix'>

/** A metric that follows from the reply of one endpoint. */
export interface ReadingMetric<Reply> {
  /** Behind `slotwire_<service>_`: `rail_volts`. */
  readonly name: string
  readonly help: string
  /** A gauge where it is left out. A counter may begin anew, but never fall otherwise. */
  readonly type?: 'gauge' | 'counter'
  readonly samples: (reply: Reply) => readonly ReadingSample[]
}

/** What of a module type is worth watching: metrics by the endpoint whose reply they are made of. Only what reads, without parameters. */
export type ModuleReadings<Endpoints extends Contract['endpoints']> = {
  readonly [Name in keyof Endpoints as Endpoints[Name] extends ReadingEndpoint ? Name : never]?: readonly ReadingMetric<
    ReplyOf<Endpoints[Name]>
  >[]
}

type ReadingEndpoint = Endpoint & { readonly effect: 'read'; readonly parameters?: undefined }

/** A metric as the engine makes it: the contract's types are behind it. */
export interface CheckedReadingMetric extends Omit<ReadingMetric<unknown>, 'samples'> {
  samples(reply: unknown): readonly ReadingSample[]
}

/** Metrics by the name of the endpoint. */
export type CheckedReadings = Readonly<Record<string, readonly CheckedReadingMetric[] | undefined>>
