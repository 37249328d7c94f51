import type { X509Certificate } from 'node:crypto'
import { isoTime } from '@slotwire/core'
import { type CertificateNames, namesOf } from './names.ts'
import { daysLeft, validityOf } from './validity.ts'

/** Details of a certificate, for display. */
export interface CertificateDescription {
  /** As openssl prints it, most specific last: `CN=line-3, O=Slotwire`. */
  readonly subject: string
  readonly issuer: string
  readonly names: CertificateNames
  /** ISO 8601. */
  readonly validFrom: string
  readonly validUntil: string
  /** Whole days; negative after the end. */
  readonly daysLeft: number
  /** SHA-256 of the DER, hexadecimal with colons, as `openssl x509 -fingerprint -sha256` prints it. */
  readonly fingerprint: string
  /** Hexadecimal. */
  readonly serialNumber: string
}

/** `now` in milliseconds since 1970. */
export function describeCertificate(certificate: X509Certificate, now: number): CertificateDescription {
  const validity = validityOf(certificate)
  return {
    subject: onOneLine(certificate.subject),
    issuer: onOneLine(certificate.issuer),
    names: namesOf(certificate),
    validFrom: isoTime(validity.notBefore),
    validUntil: isoTime(validity.notAfter),
    daysLeft: daysLeft(now, validity),
    fingerprint: certificate.fingerprint256,
    serialNumber: certificate.serialNumber,
  }
}

/** Node.js puts each part of a name on its own line. Undefined: a name without parts. */
export function onOneLine(name: string | undefined): string {
  return (name ?? '').trim().split('\n').join(', ')
}
