import type { WriteRecord } from '@slotwire/service'
import type { AuditLog } from './audit-log.ts'
import { WRITE } from './refused-writes.ts'

/** Returns a function that records writes through the network door. Writes through the loopback door are in the service's log only. */
export function auditWrites(audit: AuditLog): (record: WriteRecord) => void {
  return ({ caller, method, path, body, status }) => {
    if (caller?.door !== 'network') return
    const { token, address } = caller
    const what = { method, path, ...(body === undefined ? {} : { body }) }
    const who = token === undefined ? { who: 'nobody' } : { who: token.name, token: token.id }
    audit.add({ ...who, address, action: WRITE, what, result: status })
  }
}
