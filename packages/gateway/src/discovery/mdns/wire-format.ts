export const HEADER_BYTES = 12

/** Flags: a response; an authoritative one, as all of multicast DNS are (RFC 6762 section 18). */
export const RESPONSE_BIT = 0x8000
export const RESPONSE_FLAGS = 0x8400
/** Flags: operation and outcome. Both are 0 in multicast DNS; what has others is ignored. */
export const IGNORED_BITS = 0x780f

export const CLASS_INTERNET = 1
export const CLASS_ANY = 255
/** Bit of the class: cache-flush of a record, unicast of a question. */
export const TOP_BIT = 0x8000

/** Two bytes that lead to a name written earlier, at most as far into the message; RFC 1035 section 4.1.4. */
export const POINTER = 0xc000
export const MAX_POINTER = 0x3fff
