/** The only user there is; spec "Authentication", rule 2. */
const USER = 'token'
/** Longest `Authorization` header that is looked at, in characters: several times what a token needs. */
const LONGEST_HEADER = 512
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i
const CONTROL_CHARACTER = /\p{Cc}/u

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The password of an `Authorization` header with the user name `token` (RFC 7617, in UTF-8); undefined for any other header. */
export function passwordOf(header: string): string | undefined {
  const encoded = header.length <= LONGEST_HEADER ? BASIC.exec(header)?.[1] : undefined
  const text = encoded === undefined ? undefined : decoded(encoded)
  if (text === undefined || CONTROL_CHARACTER.test(text)) return undefined
  // The first colon: a user name has none, a password may.
  const colon = text.indexOf(':')
  return colon >= 0 && text.slice(0, colon) === USER ? text.slice(colon + 1) : undefined
}

function decoded(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64')
  // One text for one meaning: no missing padding, no bits that nobody reads.
  if (bytes.toString('base64') !== base64) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
