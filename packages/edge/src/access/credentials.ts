import { isUtf8 } from 'node:buffer'

/** The only user name; spec "Authentication", rule 2. */
const USER = 'token'
/** Longest `Authorization` header that is parsed, in characters: several times the length for a token. */
const LONGEST_HEADER = 512
const SCHEME = 'basic'
/** RFC 6750, 2.1, with the scheme in any case as for Basic. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i
/** Base64 in canonical form: padded, with unused bits zero (RFC 4648, 3.5). */
const CREDENTIALS = /^ +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?)$/
const CONTROL_CHARACTER = /\p{Cc}/u

/** The token of an `Authorization` header: `Bearer`, or the password of the user `token` (RFC 7617, in UTF-8); undefined for any other. */
export function tokenTextOf(header: string): string | undefined {
  if (header.length > LONGEST_HEADER) return undefined
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return BEARER.exec(header)?.[1]
  const encoded = CREDENTIALS.exec(header.slice(SCHEME.length))?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString()
  // Split at the first colon: only a password may contain one.
  const colon = text.indexOf(':')
  if (colon < 0 || text.slice(0, colon) !== USER || CONTROL_CHARACTER.test(text)) return undefined
  return text.slice(colon + 1)
}
