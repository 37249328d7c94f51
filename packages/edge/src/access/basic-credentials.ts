import { isUtf8 } from 'node:buffer'

/** The only user there is; spec "Authentication", rule 2. */
const USER = 'token'
/** Longest `Authorization` header that is looked at, in characters: several times what a token needs. */
const LONGEST_HEADER = 512
const SCHEME = 'basic'
/** Base64 in the one way to write it: padded, and without bits that nobody reads (RFC 4648, 3.5). */
const CREDENTIALS = /^ +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?)$/
const CONTROL_CHARACTER = /\p{Cc}/u

/** The password of an `Authorization` header with the user name `token` (RFC 7617, in UTF-8); undefined for any other header. */
export function passwordOf(header: string): string | undefined {
  if (header.length > LONGEST_HEADER || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  const encoded = CREDENTIALS.exec(header.slice(SCHEME.length))?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString()
  // The first colon: a user name has none, a password may.
  const colon = text.indexOf(':')
  if (colon < 0 || text.slice(0, colon) !== USER || CONTROL_CHARACTER.test(text)) return undefined
  return text.slice(colon + 1)
}
