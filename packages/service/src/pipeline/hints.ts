import { type Contract, genericEndpoints, servicePath } from '@slotwire/contract'
import { alternatives, coreErrors, enumeration, meant, nearest, type SlotwireError } from '@slotwire/core'
import type { ModuleService } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { placeOf, segmentsPlace, versionSupport } from './api-path.ts'
import type { Caller } from './request.ts'

// The hints of 404 answers: what was not found, and the nearest thing that exists. They never quote the client, and never name what its
// token may not see.

/** What a hint may name. */
export interface HintScope {
  /** Contracts of all services. */
  readonly contracts: readonly Contract[]
  /** Paths outside `/api/`, as in contracts. */
  readonly paths: readonly string[]
  readonly context: Pick<ServiceContext, 'services' | 'rack'>
  readonly caller: Caller | undefined
}

const OWN_ROOT = 'slotwire'
/** Words that other servers use, with ours. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['health', '/readyz'],
  ['healthz', '/readyz'],
  ['version', ''],
  ['swagger', '/docs'],
])
const FALLBACK = 'nothing is here: GET / shows where to begin'

const sees = (caller: Caller | undefined, path: string): boolean => caller?.sees?.(path) !== false

/** Root paths of the services that a caller may use, by name. */
export function visibleServices(contracts: readonly Contract[], caller: Caller | undefined): ReadonlyMap<string, string> {
  const roots = contracts.map(({ service }) => [service, `${servicePath(service)}/`] as const)
  return new Map(roots.filter(([, root]) => sees(caller, root)))
}

/** The hint for a path without routes. `segments` as from `pathSegments`. */
export function pathHint(segments: readonly string[], known: HintScope): string {
  const [root = '', ...rest] = segments
  if (root === 'api') return apiHint(rest, known)
  const services = visibleServices(known.contracts, known.caller)
  const begun = services.get(root)
  if (begun !== undefined) return `the path begins with /api: use ${begun}`
  const written = root === OWN_ROOT ? rest : segments
  const other = OTHER_NAMES.get(written.join('/'))
  if (other !== undefined) return `use /${OWN_ROOT}${other}`
  const own = known.paths.filter((path) => path.startsWith(`/${OWN_ROOT}/`) && sees(known.caller, path))
  const closest = nearestPath(
    written,
    own.map((path) => path.slice(OWN_ROOT.length + 1)),
  )
  return closest === undefined ? FALLBACK : `did you mean /${OWN_ROOT}${closest}?`
}

/** The error for a version root whose version is no version. */
export function noSuchVersion(service: string): SlotwireError {
  return coreErrors.notFound({ hint: `there is no such version: use ${servicePath(service)}/` })
}

function apiHint(
  [name = '', version = '', slot = '', ...rest]: readonly string[],
  { contracts, context, caller }: HintScope,
): string {
  const roots = [...visibleServices(contracts, caller).values()]
  if (roots.length === 0) return FALLBACK
  if (name === '') return `the service is missing: use ${alternatives(roots)}`
  const contract = contracts.find(({ service }) => service === name)
  if (contract === undefined) return `there is no such service: ${meant(`/api/${name}/1.0/`, roots)}`
  const base = servicePath(contract.service)
  if (versionSupport(version) === 'no-version') return `there is no such version: use ${base}/`
  const paths = Object.values({ ...genericEndpoints, ...contract.endpoints }).map(({ path }) => path)
  const isNumber = segmentsPlace([slot]).values.length === 1
  const closest = nearestPath(isNumber ? rest : [slot, ...rest], paths)
  const served = context.services.find((service) => service.contract === contract)
  const usable = served === undefined ? undefined : context.rack.find(Number(slot), served.vendorProductId)
  const at = `${base}/${isNumber && usable !== undefined ? usable.slot : '{slot}'}`
  if (!isNumber)
    return `the slot is a number: ${closest === undefined ? `GET /api/${contract.service}/ lists the slots` : `use ${at}${closest}`}`
  if (closest === undefined) return `there is no such endpoint: /${OWN_ROOT}/docs lists all`
  const [, parameter] = /\{(\w+)\}$/.exec(closest) ?? []
  const isIncomplete = parameter !== undefined && placeOf(closest) === `${segmentsPlace(rest).place}/{}`
  return isIncomplete ? `the ${parameter} is missing: use ${at}${closest}` : `did you mean ${at}${closest}?`
}

/** The path that was probably meant: with a typing error, with segments before or after the written ones, or with a number as the last. */
function nearestPath(written: readonly string[], paths: readonly string[]): string | undefined {
  if (written.length === 0) return undefined
  const { place } = segmentsPlace(written)
  const places = paths.map(placeOf)
  const closest =
    nearest(place, places) ?? places.find((known) => known.endsWith(place)) ?? nearest(place.replace(/\/[^/]*$/, '/{}'), places)
  return closest === undefined ? undefined : paths[places.indexOf(closest)]
}

/** The hint for a slot without a usable module of this service: the slots that have one, and the service whose module is there. */
export function slotHint(
  slot: number,
  service: ModuleService,
  { services, rack }: HintScope['context'],
  caller: Caller | undefined,
): string {
  const name = service.contract.service
  const slots = rack.usable(service.vendorProductId).map((usable) => usable.slot)
  const own =
    slots.length === 0
      ? `no ${name} module can be used now`
      : `${name} modules are in ${slots.length === 1 ? 'slot' : 'slots'} ${enumeration(slots)}`
  const other = services.find(({ vendorProductId }) => rack.find(slot, vendorProductId) !== undefined)
  const path = other === undefined ? '' : `${servicePath(other.contract.service)}/${slot}/`
  return other !== undefined && sees(caller, path) ? `${own}; the module in that slot is at ${path}` : own
}
