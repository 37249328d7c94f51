import type { X509Certificate } from 'node:crypto'

export const DAY_MS = 86_400_000
/** Of a server certificate: short enough that one that got out is soon worth nothing, long enough for a device that is off for a summer. */
export const SERVER_VALIDITY_MS = 90 * DAY_MS
/** Clients whose clocks are behind accept a new certificate too. */
const BACKDATED_MS = DAY_MS
/** A server certificate is renewed when less of its life than this is left. */
const RENEWED_AT_LEAST = 1 / 3
const AUTHORITY_VALIDITY_MS = 30 * 365 * DAY_MS
/**
 * No device with this software was ever at an earlier date, 2025-01-01: a clock that says so is wrong. Authorities are valid from then on,
 * so that one that was made while the clock was ahead is good all the same.
 */
const EARLIEST_DATE = 1_735_689_600_000
/** 2100-01-01: a clock that is further ahead is wrong, too. */
const LATEST_DATE = 4_102_444_800_000

/** From when until when a certificate is valid, in milliseconds since 1970; whole seconds. */
export interface Validity {
  readonly notBefore: number
  readonly notAfter: number
}

/** Both ends of a certificate. */
export function validityOf(certificate: X509Certificate): Validity {
  return { notBefore: Date.parse(certificate.validFrom), notAfter: Date.parse(certificate.validTo) }
}

export function isWithin(now: number, { notBefore, notAfter }: Validity): boolean {
  return now >= notBefore && now <= notAfter
}

/** Of an authority that is made now. */
export function authorityValidity(now: number): Validity {
  const date = Math.min(Math.max(now, EARLIEST_DATE), LATEST_DATE)
  return { notBefore: EARLIEST_DATE, notAfter: wholeSeconds(date) + AUTHORITY_VALIDITY_MS }
}

/**
 * Of a server certificate that is made now. A date outside the authority's own validity says nothing about the date that clients have (the
 * device has no clock that goes on while it is off, and nobody told it the time): then it is as long as the authority's.
 */
export function serverValidity(now: number, authority: Validity): Validity {
  if (!isWithin(now, authority)) return authority
  const notBefore = Math.max(wholeSeconds(now) - BACKDATED_MS, authority.notBefore)
  return { notBefore, notAfter: Math.min(notBefore + SERVER_VALIDITY_MS, authority.notAfter) }
}

/** Why a server certificate needs to be replaced at this date; undefined: it does not. */
export function reasonToRenew(now: number, server: Validity, authority: Validity): string | undefined {
  if (!isWithin(now, authority)) return undefined
  const life = server.notAfter - server.notBefore
  if (life > SERVER_VALIDITY_MS) return 'it was made while the date was not known'
  if (!isWithin(now, server)) return 'the date is outside its validity'
  const isLast = server.notAfter >= authority.notAfter
  if (!isLast && server.notAfter - now < life * RENEWED_AT_LEAST) return 'it ends soon'
  return undefined
}

/** Whole days that are left; negative when it is over. */
export function daysLeft(now: number, { notAfter }: Validity): number {
  return Math.floor((notAfter - now) / DAY_MS)
}

function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000
}
