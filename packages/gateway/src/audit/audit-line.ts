import { withoutSecrets } from '../tokens/token-text.ts'
import type { AuditEntry } from './audit-log.ts'

/** Longest text in an entry, in characters; what is longer ends with `…`. */
const LONGEST_TEXT = 256
/** Longest JSON of `what`, in characters; what is longer is kept as the beginning of that text. */
const LONGEST_WHAT = 2048

/** One line of JSON, with its end. `time` is ISO 8601. Bounded, whatever is in the entry, and without the secrets of tokens. */
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
  const text = jsonOf(what)
  return text.length <= LONGEST_WHAT ? (JSON.parse(text) as unknown) : { clipped: `${text.slice(0, LONGEST_WHAT)}…` }
}

function jsonOf(what: AuditEntry['what']): string {
  try {
    return JSON.stringify(what, (_, value: unknown) => (typeof value === 'string' ? clipped(value) : value))
  } catch {
    // What a client sends may be nested deeper than it can be written down.
    return '{"unreadable":true}'
  }
}
