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
import type { MulticastLink } from './open-link.ts'
import type { Zone } from './zone.ts'

/** RFC 6762 section 8.1. */
const PROBES = 3
const PROBE_INTERVAL_MS = 250
/** Wait after another host won: by then it has the name, or was not real (section 8.2). */
const LOST_WAIT_MS = 1000
/** Gives up the name to a host that probes so often without taking it. */
const MAX_LOST = 10

/** Context of a probe. */
export interface ProbeContext {
  readonly link: MulticastLink
  readonly clock: Clock
  readonly random: Random
  readonly signal: AbortSignal
}

/**
 * Probes for all unique names of a zone. Resolves with false as soon as another host has one of them, with true after 0.75 to 1 s. Rejects
 * with the signal's reason if that is aborted.
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
  let hasBegun = false
  const stop = link.listen(({ bytes, interfaceName, isLegacy }) => {
    // Ignore messages from before the first probe.
    const message = hasBegun && outcome === 'free' ? decodeMessage(bytes) : undefined
    if (message === undefined) return
    const records = [...message.answers, ...message.additionals]
    // Equal records are no conflict: they often come from this host, through another interface.
    if (message.response && !isLegacy && records.some((record) => zone.isContradictedBy(record))) outcome = 'taken'
    if (!message.response && isLost(zone, message, interfaceName)) outcome = 'lost'
    if (outcome !== 'free') decided.abort()
  })
  const ending = AbortSignal.any([signal, decided.signal])
  try {
    await clock.sleep(random() * PROBE_INTERVAL_MS, ending)
    for (let probes = 0; probes < PROBES; probes++) {
      hasBegun = true
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
    if (theirs.every((record) => zone.has(record))) return false
    return tieBreak(recordsOf(name, zone.on(interfaceName)), theirs) < 0
  })
}

/**
 * Decides between two hosts that probe for one name at once. Positive: `a` wins; negative: `b` wins; 0: both have the same records. RFC
 * 6762 section 8.2.1: sorted records are compared one by one; the lexicographically later one wins, then the longer list.
 */
export function tieBreak(a: readonly ResourceRecord[], b: readonly ResourceRecord[]): number {
  const [ours = [], theirs = []] = [a, b].map((records) => records.map(typeAndData).sort((one, other) => one.compare(other)))
  for (const [index, own] of ours.entries()) {
    const order = own.compare(theirs[index] ?? Buffer.alloc(0))
    if (order !== 0) return order
  }
  return ours.length - theirs.length
}

/** Probes for all names with the intended records, in messages that fit into a frame. */
function probesFor(zone: Zone, interfaceName: string): readonly DnsMessage[] {
  const own = zone.on(interfaceName)
  const names = zone.uniqueNames.filter((name) => recordsOf(name, own).length > 0)
  return inFrames(names, (some) =>
    query({
      questions: some.map((name) => ({ name, type: 'ANY', unicast: false })),
      authorities: some.flatMap((name) => recordsOf(name, own)).map((record) => ({ ...record, flush: false })),
    }),
  )
}
