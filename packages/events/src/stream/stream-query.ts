import { type Contract, processEndpoints } from '@slotwire/contract'
import { shown } from '@slotwire/core'
import { type Caller, watchableAt } from '@slotwire/service'
import { durationOf, filterBy, invalid, Query, seesService, serviceNotGranted, slotOf } from '../query.ts'
import { type JournalRecord, type ModulePlace, placesOf, type RecordPlace, recordKinds } from '../record.ts'

/** Longest wait of a long poll, in milliseconds: proxies wait 40 s for the start of an answer. */
const MAX_WAIT_MS = 30_000
/** Bounds of the interval of a watch, in milliseconds. */
const MIN_INTERVAL_MS = 50
const MAX_INTERVAL_MS = 3_600_000

/** Stands for every service that is not in a contract. Only a caller without limits sees it. */
const OTHER_SERVICE = '-'

/** A valid query of the stream. */
export type StreamQuery = ReturnType<typeof parseStreamQuery>

/** Reads the query of a request. Throws `invalidField` with the bounds. `acceptsJson`: a long poll, which waits only if the query says so. */
export function parseStreamQuery(url: string, acceptsJson: boolean, contracts: readonly Contract[]) {
  const query = new Query(url, processEndpoints.events)
  const wait = query.one('wait') ?? (acceptsJson ? '0s' : undefined)
  const watches = query.list('watch').map((text) => watchOf(text, contracts))
  const paths = watches.map(({ watched }) => watched.path)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined) throw invalid(`watch has ${twice} twice: give it once`)
  if (watches.length > 0 && wait !== undefined)
    throw invalid('watch needs a stream: leave out wait, and accept text/event-stream')
  return {
    after: query.one('after'),
    kinds: query.kinds(recordKinds),
    slots: query.slots(),
    watches,
    /** Of a long poll; undefined: a stream. */
    waitMs: wait === undefined ? undefined : durationOf('wait', wait, 0, MAX_WAIT_MS),
  }
}

/** Which records a subscriber wants, and may see. */
export type StreamFilter = ReturnType<typeof filterOf>

/** The filter of a query for a caller. Records of the whole device have no slot: a filter by slot leaves them out. */
export function filterOf({ kinds, slots }: StreamQuery, caller: Caller | undefined, contracts: readonly Contract[]) {
  const seesOthers = seesService(caller, OTHER_SERVICE)
  // Those that are an exception to `seesOthers`.
  const services = contracts.map(({ service }) => service).filter((service) => seesService(caller, service) !== seesOthers)
  const matches = filterBy(kinds, slots)
  const sees = ({ service }: ModulePlace): boolean => service === undefined || services.includes(service) !== seesOthers
  return {
    /** Equal for filters that want the same. */
    key: [seesOthers, ...[kinds, slots, services].map((list) => [...list].sort().join())].join(' '),
    /** Kinds that can pass it. */
    kinds: kinds.length === 0 ? recordKinds : kinds,
    wants: (place: RecordPlace): boolean =>
      matches(place) &&
      placesOf(place).some(sees) &&
      // The path of a write that belongs to no service may say what another client does.
      (place.kind !== 'write' || place.service !== undefined || seesOthers),
    /** A record that it wants, with only the modules that the subscriber may see. */
    seen: (record: JournalRecord): JournalRecord =>
      record.modules?.every(sees) === false ? { ...record, modules: record.modules.filter(sees) } : record,
  }
}

/** Throws `serviceNotGranted` for a watch of a service that the caller may not see. */
export function assertMayWatch({ watches }: StreamQuery, caller: Caller | undefined, contracts: readonly Contract[]): void {
  if (!watches.every(({ watched }) => seesService(caller, watched.service))) throw serviceNotGranted(caller, contracts)
}

/** A value to watch. */
export type Watch = ReturnType<typeof watchOf>

function watchOf(text: string, contracts: readonly Contract[]) {
  const at = text.lastIndexOf('@')
  if (at < 0) throw invalid(`watch ${shown(text)} has no interval: write it behind @, as in ${shown(text)}@250ms`)
  const watched = watchableAt(contracts, text.slice(0, at))
  slotOf(`the slot of watch ${shown(text)}`, String(watched.slot))
  return { watched, intervalMs: durationOf('watch interval', text.slice(at + 1), MIN_INTERVAL_MS, MAX_INTERVAL_MS) }
}
