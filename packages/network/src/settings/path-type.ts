import { quoted } from '@slotwire/core'
import type { ValueType } from './value-type.ts'

/** With its key it must fit into one string of a TXT record (255 bytes, RFC 6763 section 6.1). */
const LONGEST_PATH = 200
/** First parts of the paths of the specification and the project. */
const TAKEN = ['api', 'slotwire']
/** Characters that every client and proxy passes unchanged; RFC 3986, "unreserved". */
const SEGMENT = /^[\w.~-]+$/

function problemOf(text: string): string | undefined {
  if (!text.startsWith('/')) return 'does not begin with /: write a path like /ca.pem'
  if (text.length > LONGEST_PATH) return `is too long, ${text.length} characters: at most ${LONGEST_PATH}`
  if (/[?#]/.test(text)) return 'has a query or fragment: write the path alone'
  if (text.includes('%')) return 'has encoded characters: use letters, digits, - _ . and ~'
  const segments = text.slice(1).split('/')
  if (segments.includes('')) return 'has an empty part: no // and no / at its end'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'has . or .. as a part: write the resulting path'
  if (!segments.every((segment) => SEGMENT.test(segment)))
    return 'has characters that are not safe in a path: use letters, digits, - _ . and ~'
  if (TAKEN.includes((segments[0] ?? '').toLowerCase()))
    return `is taken: everything under /${segments[0] ?? ''}/ is; choose another`
  return undefined
}

/** A path on the device without characters that proxies and clients treat differently. */
export const openPath: ValueType<string> = {
  wording: `a path, /… of letters, digits, - _ . ~, at most ${LONGEST_PATH} characters, not under /api/ or /slotwire/`,
  read: (text) => {
    const problem = problemOf(text)
    return problem === undefined ? { value: text } : { problem: `${quoted(text)} ${problem}` }
  },
}
