import { orElse } from '@slotwire/core'
import { withoutSecrets } from '../tokens/token-text.ts'
import type { AuditEntry } from './audit-log.ts'

/** Longest text in an entry, in characters; longer text is cut and ends with `…`. */
const LONGEST_TEXT = 256
/** Longest JSON of `what`, in characters; of longer JSON only the beginning is kept, as text. */
const LONGEST_WHAT = 2048

/** One line of JSON with its newline. `time` is ISO 8601. The length is bounded for any entry; secrets of tokens are removed. */
export function auditLine({ who, token, address, action, what, result }: AuditEntry, time: string): string {
  const line = {
    time,
    who: clipped(who),
    ...(token === undefined ? {} : { token: clipped(token) }),
    ...(address === undefined ? {} : { address: clipped(address) }),
    action: clipped(action),
    what: boundedWhat(what),
    result: typeof result === 'string' ? clipped(result) : result,
  }
  return `${withoutSecrets(JSON.stringify(line))}\n`
}

function clipped(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`
}

function boundedWhat(what: AuditEntry['what']): unknown {
  const withClippedTexts = (_: string, value: unknown) => (typeof value === 'string' ? clipped(value) : value)
  // A client may send JSON that is nested too deep to serialize.
  const text = orElse('{"unreadable":true}', () => JSON.stringify(what, withClippedTexts))
  return text.length <= LONGEST_WHAT ? (JSON.parse(text) as unknown) : { clipped: `${text.slice(0, LONGEST_WHAT)}…` }
}
