import type { Contract, Endpoint, NamedPin, ReplyOf } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { Sample } from './metric.ts'
import { Past } from './past.ts'

/** One sample of a reading, in base units (volts, amperes, celsius, watts, seconds). */
export type ReadingSample = Omit<Sample, 'suffix'>

/** A metric derived from the reply of one endpoint. */
export interface ReadingMetric<Reply> {
  /** Part of the name after `slotwire_<service>_`: `rail_volts`. */
  readonly name: string
  readonly help: string
  /** Default: gauge. A counter may restart at 0 but otherwise never decreases. */
  readonly type?: 'gauge' | 'counter'
  /** `pins`: those of the module that the operator named. */
  samples(reply: Reply, pins: readonly NamedPin[]): readonly ReadingSample[]
}

/** Metrics of a module type, by the endpoint from which they are derived. Only for endpoints that read and have no parameters. */
export type ModuleReadings<Endpoints extends Contract['endpoints']> = {
  readonly [Name in keyof Endpoints as Endpoints[Name] extends ReadingEndpoint ? Name : never]?: readonly ReadingMetric<
    ReplyOf<Endpoints[Name]>
  >[]
}

type ReadingEndpoint = Endpoint & { readonly effect: 'read'; readonly parameters?: undefined }

/** Metrics by name of the endpoint. */
export type NamedReadings = Readonly<Record<string, readonly ReadingMetric<unknown>[] | undefined>>

/** Readings older than this, in milliseconds, are omitted: they no longer describe the module. */
export const READING_STALE_MS = 300_000

/** The last readings of each module, from requests, watches and refreshes. Readings of a lost module are dropped with its slot object. */
export class ReadingStore {
  /** The course of the readings before. */
  readonly past: Past
  readonly #bySlot = new WeakMap<SlotApi, Map<string, { readonly reply: unknown; readonly readAtMs: number }>>()

  /** `pastTime`: the clock of clients, for the past. */
  constructor(
    private readonly clock: Clock,
    pastTime: Clock,
  ) {
    this.past = new Past(pastTime)
  }

  /** Stores the reply of an endpoint in place of the previous one. */
  keep(slot: SlotApi, endpoint: string, reply: unknown): void {
    const kept = this.#bySlot.get(slot) ?? new Map<string, { reply: unknown; readAtMs: number }>()
    kept.set(endpoint, { reply, readAtMs: this.clock.now() })
    this.#bySlot.set(slot, kept)
    this.past.keep(slot, endpoint, reply)
  }

  /** The last reply and its age; undefined if all are older than `READING_STALE_MS`. */
  get(slot: SlotApi, endpoint: string) {
    const kept = this.#bySlot.get(slot)?.get(endpoint)
    if (kept === undefined) return undefined
    const ageMs = this.clock.now() - kept.readAtMs
    return ageMs < READING_STALE_MS ? { reply: kept.reply, ageMs } : undefined
  }
}
