import { coreErrors, type ErrorDefinition } from '@slotwire/core'
import type { Endpoint } from './endpoint.ts'
import { type EndpointLevel, isGuarded } from './endpoint-kinds.ts'

type Row = { readonly definition: ErrorDefinition }

/** Errors that a door can give before the path matters. */
const door: readonly Row[] = [
  coreErrors.credentialsRequired,
  coreErrors.hostNotLoopback,
  coreErrors.crossSite,
  coreErrors.tooManyFailedLogins,
  coreErrors.tokensUnreadable,
]
const transport: readonly Row[] = [
  coreErrors.malformedRequest,
  coreErrors.methodNotAllowed,
  coreErrors.requestTimeout,
  coreErrors.headersTooLarge,
  coreErrors.internal,
]
const api: readonly Row[] = [
  coreErrors.serviceNotGranted,
  coreErrors.versionNotSupported,
  coreErrors.notFound,
  coreErrors.deviceRestarting,
  coreErrors.serviceUnreachable,
  coreErrors.serviceAnswerLost,
  coreErrors.timePaused,
  coreErrors.starting,
  coreErrors.stopping,
]
const slot: readonly Row[] = [coreErrors.slotNotUsable, coreErrors.moduleNotAnswering, coreErrors.moduleLost]
const bus: readonly Row[] = [
  coreErrors.commandRefused,
  coreErrors.moduleFailed,
  coreErrors.moduleHung,
  coreErrors.moduleAnswerInvalid,
  coreErrors.queueFull,
]
const body: readonly Row[] = [
  coreErrors.bodyNotJson,
  coreErrors.bodyTooLarge,
  coreErrors.contentTypeNotJson,
  coreErrors.contentEncodingNotSupported,
  coreErrors.invalidField,
]

/** Refusals of a write of the specification by what its headers say, or do not say. */
const guard: readonly Row[] = [coreErrors.sessionChanged, coreErrors.leased, coreErrors.leaseExpired]

/** Every error that an endpoint can answer with, including those of its kind, by status. behaviour.md "Status codes". */
export function possibleErrors(endpoint: Endpoint, level: EndpointLevel): readonly ErrorDefinition[] {
  const isInApi = level === 'service' || level === 'slot'
  const rows = [
    ...door,
    ...transport,
    ...(isInApi ? api : []),
    // Without a module they look up the slot, pin or number themselves, and may be waiting when the service stops.
    ...(level === 'extension' ? [coreErrors.timePaused, coreErrors.stopping] : []),
    ...(level === 'extension' && endpoint.parameters !== undefined ? [coreErrors.notFound] : []),
    ...(level === 'extension' && endpoint.method !== 'GET' ? body : []),
    ...(level === 'slot' ? slot : []),
    // Delivered alerts were fetched before: reading them never waits for the bus.
    ...(level === 'slot' && endpoint.effect !== 'deliver' ? bus : []),
    ...(endpoint.effect === 'write' || endpoint.effect === 'action' ? [coreErrors.readOnly] : []),
    ...(isGuarded(endpoint, level) ? guard : []),
    ...(isGuarded(endpoint, level) && endpoint.turn === undefined ? [coreErrors.requestOvertaken] : []),
    ...(endpoint.parameters === undefined ? [] : [coreErrors.noSuchItem]),
    ...(endpoint.body === undefined ? [] : body),
    ...endpoint.errors,
  ]
  return [...new Set(rows.map((row) => row.definition))].sort((a, b) => a.status - b.status)
}
