import type { WriteRecord } from '@slotwire/service'
import type { AuditLog } from './audit-log.ts'
import { WRITE } from './refused-writes.ts'

/** What writes down the writes that came through the network door; those through the loopback door are in the service's log alone. */
export function auditWrites(audit: AuditLog): (record: WriteRecord) => void {
  return ({ caller, method, path, body, status }) => {
    if (caller?.door !== 'network') return
    const { token, address } = caller
    const what = { method, path, ...(body === undefined ? {} : { body }) }
    const who = token === undefined ? { who: 'nobody' } : { who: token.name, token: token.id }
    audit.add({ ...who, address, action: WRITE, what, result: status })
  }
}
