import type { WriteRecord } from '@slotwire/service'
import type { NewRecord } from '../record.ts'

/** Longest path in a record, in characters: a path that is served is shorter. */
const LONGEST_PATH = 200

/** The record of a request with an effect. Bodies of the modules' API have no secrets; others are left out. */
export function writeFields({ caller, method, path, target, body, status, isAbandoned }: WriteRecord): NewRecord {
  const { service, endpoint, slot, session } = target ?? {}
  const shownPath = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path
  return {
    kind: 'write',
    ...(slot === undefined ? {} : { slot }),
    ...(service === undefined ? {} : { service }),
    ...(session === undefined ? {} : { session }),
    method,
    path: shownPath,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(caller === undefined ? {} : { door: caller.door }),
    ...(caller?.token === undefined ? {} : { token: caller.token.name }),
    status,
    ...(isAbandoned === true ? { abandoned: true } : {}),
    ...(body === undefined || endpoint === undefined ? {} : { body }),
  }
}
