import type { KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { isoTime, messageOf } from '@slotwire/core'
import { OperatorError } from '../operator-error.ts'
import { onOneLine } from './certificate-description.ts'
import { type CertificateNames, namesNotCovered } from './names.ts'
import { certificatesIn, certificatesToPem, keyToPem, privateKeyIn } from './pem.ts'
import { validityOf } from './validity.ts'

/** A company's certificate, in PEM. */
export interface CertificateImport {
  /** The server's certificate first, then each one's issuer. */
  readonly certificate: string
  /** Not encrypted; PKCS#8, SEC1 or PKCS#1. */
  readonly key: string
  /** The one certificate that clients are meant to trust. Default: the last of the chain. */
  readonly authority?: string | undefined
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const ANY_USAGE = '2.5.29.37.0'
/** NIST SP 800-57: at least 112 bits of security. */
const MIN_RSA_BITS = 2048
/** Curves of TLS 1.3. */
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

/**
 * Checks a certificate for import. Returns warnings, and the text to save: the key, then the chain up to the authority. `now` in
 * milliseconds since 1970; `names`: names of the device. Throws `OperatorError`.
 */
export function checkImport(files: CertificateImport, now: number, names: CertificateNames) {
  const chain = certificatesIn(files.certificate, 'the certificate file')
  const [leaf] = chain
  const key = privateKeyIn(files.key, 'the key file')
  checkPair(chain, key)
  checkStrength(key)
  checkUsage(leaf)
  const trusted = files.authority === undefined ? chain : upTo(chain, authorityIn(files.authority))
  checkOrder(trusted)
  for (const certificate of trusted) checkDate(certificate, now)
  checkWithTls(trusted, key)
  const text = keyToPem(key) + certificatesToPem(trusted)
  return { text, leaf, warnings: warningsOf(leaf, trusted.at(-1) ?? leaf, names) }
}

function named(certificate: X509Certificate): string {
  return JSON.stringify(onOneLine(certificate.subject))
}

function checkPair(chain: readonly X509Certificate[], key: KeyObject): void {
  const index = chain.findIndex((certificate) => certificate.checkPrivateKey(key))
  if (index === 0) return
  throw new OperatorError(
    index < 0
      ? 'key and certificate do not belong together: give the key that the certificate was requested with'
      : `the key belongs to certificate ${index + 1} of the chain: put that one first, then each one's issuer`,
  )
}

function checkStrength(key: KeyObject): void {
  const { asymmetricKeyType: type = 'unknown', asymmetricKeyDetails: { modulusLength = 0, namedCurve = '' } = {} } = key
  const isRsa = type === 'rsa' || type === 'rsa-pss'
  if (isRsa && modulusLength < MIN_RSA_BITS)
    throw new OperatorError(
      `an RSA key of ${modulusLength} bits is too weak: at least ${MIN_RSA_BITS}, or a key on the curve P-256`,
    )
  if (isRsa || type === 'ed25519' || CURVES.includes(namedCurve)) return
  const kind = type === 'ec' ? `keys on the curve ${namedCurve}` : `${type} keys`
  throw new OperatorError(`${kind} are not used in TLS: use RSA, or a key on the curve P-256, P-384 or P-521`)
}

function checkUsage(leaf: X509Certificate): void {
  // Node.js calls the extended usages `keyUsage`; undefined: valid for every use.
  const usages = (leaf as { readonly keyUsage: readonly string[] | undefined }).keyUsage
  if (usages === undefined || usages.includes(SERVER_AUTH) || usages.includes(ANY_USAGE)) return
  throw new OperatorError('the certificate is not for servers: request one with the extended key usage serverAuth')
}

function authorityIn(text: string): X509Certificate {
  const [authority, ...others] = certificatesIn(text, 'the authority file')
  if (others.length > 0) {
    throw new OperatorError(
      `the authority file holds ${others.length + 1} certificates: leave the one that clients are to trust, and put the others into the chain`,
    )
  }
  return authority
}

/** The chain up to and including the authority. */
function upTo(chain: readonly X509Certificate[], authority: X509Certificate): readonly X509Certificate[] {
  const index = chain.findIndex((certificate) => certificate.raw.equals(authority.raw))
  return index < 0 ? [...chain, authority] : chain.slice(0, index + 1)
}

function checkOrder(chain: readonly X509Certificate[]): void {
  for (const [index, issuer] of chain.slice(1).entries()) {
    const issued = chain[index]
    if (issued === undefined || (issued.checkIssued(issuer) && issued.verify(issuer.publicKey))) continue
    throw new OperatorError(
      `${named(issued)} was not issued by ${named(issuer)}, which comes next: put the certificates in order, each one's issuer behind it, up to the authority`,
    )
  }
}

function checkDate(certificate: X509Certificate, now: number): void {
  const { notBefore, notAfter } = validityOf(certificate)
  const device = `the date of this device is ${isoTime(now)}`
  if (now < notBefore)
    throw new OperatorError(
      `${named(certificate)} is valid only from ${isoTime(notBefore)}, and ${device}: correct the date, or wait`,
    )
  if (now > notAfter)
    throw new OperatorError(`${named(certificate)} ended at ${isoTime(notAfter)}, and ${device}: request a new one`)
}

/** Checks what the TLS library itself refuses, for example signatures with SHA-1. */
function checkWithTls(chain: readonly X509Certificate[], key: KeyObject): void {
  try {
    createSecureContext({ cert: certificatesToPem(chain), key: keyToPem(key) })
  } catch (error) {
    throw new OperatorError(
      `the TLS library refuses the certificate (${messageOf(error)}): request one with an up-to-date algorithm`,
      {
        cause: error,
      },
    )
  }
}

function warningsOf(leaf: X509Certificate, authority: X509Certificate, names: CertificateNames): readonly string[] {
  const missing = namesNotCovered(leaf, names)
  const warnings = [
    !authority.checkIssued(authority) &&
      `the chain ends with ${named(authority)}, which another authority signed: clients that trust only roots need that one, --authority FILE`,
    leaf.publicKey.asymmetricKeyType === 'ed25519' && 'the key is of type Ed25519, which browsers do not support',
    missing.length > 0 && `the certificate is not valid for ${missing.join(', ')}: clients that use these names refuse it`,
  ]
  return warnings.filter((warning) => warning !== false)
}
