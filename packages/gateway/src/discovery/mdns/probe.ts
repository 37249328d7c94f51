import type { Clock, Random } from '@slotwire/core'
import { decodeMessage } from './decode.ts'
import { encodeMessage, fitsOneFrame } from './encode.ts'
import type { Datagram, MulticastLink } from './multicast-link.ts'
import { type DnsMessage, query, RECORD_TYPES, recordsOf, typeCode } from './resource-record.ts'
import { tieBreak } from './tie-break.ts'
import type { Zone } from './zone.ts'

/** RFC 6762 section 8.1. */
const PROBES = 3
const PROBE_INTERVAL_MS = 250
/** After another host won: by then it has the name, or it was a ghost (section 8.2). */
const LOST_WAIT_MS = 1000
/** Somebody who asks so often for a name and never takes it shall have it. */
const MAX_LOST = 10

/** What probing needs of its surroundings. */
export interface ProbeContext {
  readonly link: MulticastLink
  readonly clock: Clock
  readonly random: Random
  readonly signal: AbortSignal
}

/**
 * Asks whether all names that the zone wants for itself are free: false as soon as somebody has one of them. Takes 0.75 to 1 s when nobody
 * has. Rejects with the signal's reason when that is aborted.
 */
export async function namesAreFree(zone: Zone, context: ProbeContext): Promise<boolean> {
  for (let lost = 0; lost < MAX_LOST; lost++) {
    const outcome = await new Probe(zone, context).run()
    if (outcome !== 'lost') return outcome === 'free'
    await context.clock.sleep(LOST_WAIT_MS, context.signal)
  }
  return false
}

class Probe {
  readonly #zone: Zone
  readonly #context: ProbeContext
  readonly #decided = new AbortController()
  #outcome: 'free' | 'taken' | 'lost' = 'free'
  #asked = false

  constructor(zone: Zone, context: ProbeContext) {
    this.#zone = zone
    this.#context = context
  }

  async run(): Promise<'free' | 'taken' | 'lost'> {
    const { link, clock, random, signal } = this.#context
    const stop = link.listen((datagram) => this.#hear(datagram))
    const ending = AbortSignal.any([signal, this.#decided.signal])
    try {
      await clock.sleep(random() * PROBE_INTERVAL_MS, ending)
      for (let probe = 0; probe < PROBES; probe++) {
        this.#asked = true
        await this.#ask()
        await clock.sleep(PROBE_INTERVAL_MS, ending)
      }
    } catch (error) {
      if (!this.#decided.signal.aborted) throw error
    } finally {
      stop()
    }
    return this.#outcome
  }

  async #ask(): Promise<void> {
    const { link } = this.#context
    await Promise.all(
      link.interfaces.flatMap((name) => probesFor(this.#zone, name).map((message) => link.send(name, encodeMessage(message)))),
    )
  }

  #hear({ bytes, interfaceName, simple }: Datagram): void {
    // What was said before we asked is not about us.
    if (!this.#asked || this.#decided.signal.aborted) return
    const message = decodeMessage(bytes)
    if (message === undefined) return
    if (message.response && !simple && this.#isTaken(message)) this.#decide('taken')
    if (!message.response && this.#isLost(message, interfaceName)) this.#decide('lost')
  }

  #decide(outcome: 'taken' | 'lost'): void {
    this.#outcome = outcome
    this.#decided.abort()
  }

  #isTaken({ answers, additionals }: DnsMessage): boolean {
    return [...answers, ...additionals].some(
      (record) =>
        record.ttl > 0 &&
        this.#zone.owns(record.name) &&
        // Who says the same says nothing against us; that is often ourselves, on another interface.
        typeCode(record.data) !== RECORD_TYPES.NSEC &&
        !this.#zone.says(record),
    )
  }

  #isLost({ authorities }: DnsMessage, interfaceName: string): boolean {
    return this.#zone.uniqueNames.some((name) => {
      const theirs = recordsOf(name, authorities)
      if (theirs.every((record) => this.#zone.says(record))) return false
      return tieBreak(recordsOf(name, this.#zone.on(interfaceName)), theirs) < 0
    })
  }
}

/** The questions for all names, with what is going to be said of them, in messages that fit into a frame. */
function probesFor(zone: Zone, interfaceName: string): readonly DnsMessage[] {
  const own = zone.on(interfaceName)
  const messages: DnsMessage[] = []
  for (const name of zone.uniqueNames) {
    const authorities = recordsOf(name, own).map((record) => ({ ...record, unique: false }))
    if (authorities.length === 0) continue
    const question = { name, type: RECORD_TYPES.ANY, unicast: false }
    const last = messages.at(-1)
    const larger = query({
      questions: [...(last?.questions ?? []), question],
      authorities: [...(last?.authorities ?? []), ...authorities],
    })
    if (last !== undefined && fitsOneFrame(larger)) messages.splice(-1, 1, larger)
    else messages.push(query({ questions: [question], authorities }))
  }
  return messages
}
