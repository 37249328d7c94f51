import type { X509Certificate } from 'node:crypto'
import { isoTime } from '@slotwire/core'
import { namesOf } from './names.ts'
import { daysLeft, validityOf } from './validity.ts'

/** Details of a certificate, for display. */
export type CertificateDescription = Readonly<ReturnType<typeof describeCertificate>>

/** `now` in milliseconds since 1970. */
export function describeCertificate(certificate: X509Certificate, now: number) {
  const validity = validityOf(certificate)
  return {
    /** As openssl prints it, most specific last: `CN=line-3, O=Slotwire`. */
    subject: onOneLine(certificate.subject),
    issuer: onOneLine(certificate.issuer),
    names: namesOf(certificate),
    /** ISO 8601. */
    validFrom: isoTime(validity.notBefore),
    validUntil: isoTime(validity.notAfter),
    /** Whole days; negative after the end. */
    daysLeft: daysLeft(now, validity),
    /** SHA-256 of the DER, hexadecimal with colons, as `openssl x509 -fingerprint -sha256` prints it. */
    fingerprint: certificate.fingerprint256,
    /** Hexadecimal. */
    serialNumber: certificate.serialNumber,
  }
}

/** Node.js puts each part of a name on its own line. Undefined: a name without parts. */
export function onOneLine(name: string | undefined): string {
  return (name ?? '').trim().split('\n').join(', ')
}
