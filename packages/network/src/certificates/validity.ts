import type { X509Certificate } from 'node:crypto'

export const DAY_MS = 86_400_000
/** Validity of a server certificate: short enough to limit the use of a stolen key, long enough for a device that is off for a summer. */
export const SERVER_VALIDITY_MS = 90 * DAY_MS
/** Backdated so that clients with slow clocks accept a new certificate. */
const BACKDATED_MS = DAY_MS
/** A server certificate is renewed when less than this part of its validity is left. */
const RENEWED_AT_LEAST = 1 / 3
const AUTHORITY_VALIDITY_MS = 30 * 365 * DAY_MS
/**
 * 2025-01-01: no device with this software can have an earlier date, so such a clock is wrong. Authorities are valid from this date, so
 * that an authority created with a fast clock is valid too.
 */
const EARLIEST_DATE = 1_735_689_600_000
/** 2100-01-01: a later date is wrong too. */
const LATEST_DATE = 4_102_444_800_000

/** Whether a clock with this date can be right. */
export const isPlausible = (date: number): boolean => date >= EARLIEST_DATE && date < LATEST_DATE

/** Validity of a certificate, in milliseconds since 1970; whole seconds. */
export interface Validity {
  readonly notBefore: number
  readonly notAfter: number
}

/** Reads the validity of a certificate. */
export function validityOf(certificate: X509Certificate): Validity {
  return { notBefore: Date.parse(certificate.validFrom), notAfter: Date.parse(certificate.validTo) }
}

export function isWithin(now: number, { notBefore, notAfter }: Validity): boolean {
  return now >= notBefore && now <= notAfter
}

/** Validity of an authority that is created now. */
export function authorityValidity(now: number): Validity {
  const date = Math.min(Math.max(now, EARLIEST_DATE), LATEST_DATE)
  return { notBefore: EARLIEST_DATE, notAfter: wholeSeconds(date) + AUTHORITY_VALIDITY_MS }
}

/**
 * Validity of a server certificate that is created now. If the date is outside the authority's validity, the clock is wrong: the device has
 * no clock that runs while it is off, and no time source. Then the certificate is valid as long as the authority.
 */
export function serverValidity(now: number, authority: Validity): Validity {
  if (!isWithin(now, authority)) return authority
  const notBefore = Math.max(wholeSeconds(now) - BACKDATED_MS, authority.notBefore)
  return { notBefore, notAfter: Math.min(notBefore + SERVER_VALIDITY_MS, authority.notAfter) }
}

/** Reason to replace a server certificate at this date; undefined: none. */
export function reasonToRenew(now: number, server: Validity, authority: Validity): string | undefined {
  if (!isWithin(now, authority)) return undefined
  const life = server.notAfter - server.notBefore
  if (life > SERVER_VALIDITY_MS) return 'it was made while the date was not known'
  if (!isWithin(now, server)) return 'the date is outside its validity'
  const isLast = server.notAfter >= authority.notAfter
  if (!isLast && server.notAfter - now < life * RENEWED_AT_LEAST) return 'it ends soon'
  return undefined
}

/** Whole days left; negative after the end. */
export function daysLeft(now: number, { notAfter }: Validity): number {
  return Math.floor((notAfter - now) / DAY_MS)
}

function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000
}
