import { type Extension, extensionReads } from './endpoint-kinds.ts'
import { choice, integer, listOf, named, objectOf, text } from './fields.ts'

const certificate = named(
  'Certificate',
  objectOf({
    subject: text({ description: 'as openssl prints it' }),
    issuer: text({ description: 'as openssl prints it' }),
    names: listOf(text(), { description: 'host names and addresses' }),
    valid_from: text({ description: 'RFC 3339' }),
    valid_until: text({ description: 'RFC 3339' }),
    days_left: integer({ description: 'by the date of the device; negative after the end' }),
    fingerprint: text({ description: 'SHA-256, as openssl x509 -fingerprint -sha256 prints it' }),
  }),
)

/** What a device presents to TLS clients, at `/slotwire/certificates`: public, but read by callers who are signed in. */
export const certificateContract = {
  name: 'certificates',
  description: 'Certificates of the network door: what clients must trust, and until when.',
  endpoints: {
    showCertificates: {
      ...extensionReads,
      path: '/slotwire/certificates',
      reply: named(
        'Certificates',
        objectOf(
          {
            ca_path: text({ description: 'where all clients can download the authority, in PEM' }),
            source: choice(['own', 'imported'], { description: 'who issued the server certificate' }),
            authority: certificate,
            server: certificate,
          },
          { optional: ['source', 'authority', 'server'] },
        ),
      ),
      summary: 'Shows the certificates of the device',
      description:
        '`authority` is what clients must trust, `server` what TLS clients see; both are missing while the device needs no certificates. ' +
        'Compare the fingerprint of the authority with `slotwire cert show` on the device before you trust it.',
    },
  },
} as const satisfies Extension
