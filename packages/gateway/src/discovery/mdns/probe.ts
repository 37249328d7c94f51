import type { Clock, Random } from '@slotwire/core'
import {
  type DnsMessage,
  decodeMessage,
  encodeMessage,
  inFrames,
  query,
  type ResourceRecord,
  recordsOf,
  typeAndData,
} from './dns-message.ts'
import type { MulticastLink } from './multicast-link.ts'
import type { Zone } from './zone.ts'

/** RFC 6762 section 8.1. */
const PROBES = 3
const PROBE_INTERVAL_MS = 250
/** After another host won: by then it has the name, or it was a ghost (section 8.2). */
const LOST_WAIT_MS = 1000
/** Somebody who asks so often for a name and never takes it shall have it. */
const MAX_LOST = 10

/** What probing needs of its context. */
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
    const outcome = await probe(zone, context)
    if (outcome !== 'lost') return outcome === 'free'
    await context.clock.sleep(LOST_WAIT_MS, context.signal)
  }
  return false
}

async function probe(zone: Zone, context: ProbeContext): Promise<'free' | 'taken' | 'lost'> {
  const { link, clock, random, signal } = context
  const decided = new AbortController()
  let outcome: 'free' | 'taken' | 'lost' = 'free'
  let asked = false
  const stop = link.listen(({ bytes, interfaceName, simple }) => {
    // What was said before we asked is not about us.
    const message = asked && outcome === 'free' ? decodeMessage(bytes) : undefined
    if (message === undefined) return
    const said = [...message.answers, ...message.additionals]
    // Who says the same says nothing against us; that is often ourselves, on another interface.
    if (message.response && !simple && said.some((record) => zone.isContradictedBy(record))) outcome = 'taken'
    if (!message.response && isLost(zone, message, interfaceName)) outcome = 'lost'
    if (outcome !== 'free') decided.abort()
  })
  const ending = AbortSignal.any([signal, decided.signal])
  try {
    await clock.sleep(random() * PROBE_INTERVAL_MS, ending)
    for (let probes = 0; probes < PROBES; probes++) {
      asked = true
      const sent = link.interfaces.flatMap((name) =>
        probesFor(zone, name).map((message) => link.send(name, encodeMessage(message))),
      )
      await Promise.all(sent)
      await clock.sleep(PROBE_INTERVAL_MS, ending)
    }
  } catch (error) {
    if (!decided.signal.aborted) throw error
  } finally {
    stop()
  }
  return outcome
}

function isLost(zone: Zone, { authorities }: DnsMessage, interfaceName: string): boolean {
  return zone.uniqueNames.some((name) => {
    const theirs = recordsOf(name, authorities)
    if (theirs.every((record) => zone.says(record))) return false
    return tieBreak(recordsOf(name, zone.on(interfaceName)), theirs) < 0
  })
}

/**
 * Two hosts ask for the same name at once: who has it? Positive: `a`; negative: `b`; 0: both say the same, there is nothing to decide.
 * RFC 6762 section 8.2.1: the records are sorted and compared one by one, the lexicographically later one wins, or the longer list.
 */
export function tieBreak(a: readonly ResourceRecord[], b: readonly ResourceRecord[]): number {
  const [ours = [], theirs = []] = [a, b].map((records) => records.map(typeAndData).sort((one, other) => one.compare(other)))
  for (const [index, own] of ours.entries()) {
    const order = own.compare(theirs[index] ?? Buffer.alloc(0))
    if (order !== 0) return order
  }
  return ours.length - theirs.length
}

/** The questions for all names, with what is going to be said of them, in messages that fit into a frame. */
function probesFor(zone: Zone, interfaceName: string): readonly DnsMessage[] {
  const own = zone.on(interfaceName)
  const names = zone.uniqueNames.filter((name) => recordsOf(name, own).length > 0)
  return inFrames(names, (asked) =>
    query({
      questions: asked.map((name) => ({ name, type: 'ANY', unicast: false })),
      authorities: asked.flatMap((name) => recordsOf(name, own)).map((record) => ({ ...record, flush: false })),
    }),
  )
}
