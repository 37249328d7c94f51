import type { KeyObject, X509Certificate } from 'node:crypto'
import { CertificateError } from './certificate-error.ts'
import { type CertificateFiles, readCertificateFile, writeCertificateFile } from './certificate-files.ts'
import { certificatesIn, privateKeyIn } from './pem.ts'
import { makeAuthority, type Signer } from './signing.ts'
import { authorityValidity } from './validity.ts'

const CURVE = 'prime256v1'

/**
 * The own authority; undefined: there is none yet. Throws `CertificateError` when its files do not belong together: clients trust the one
 * that they know, so nothing is replaced here.
 */
export function readAuthority(files: CertificateFiles): Signer | undefined {
  const keyText = readCertificateFile(files.authorityKey)
  const publicText = readCertificateFile(files.authority)
  if (keyText === undefined && publicText === undefined) return undefined
  if (keyText === undefined) throw broken(files, `${files.authorityKey.path} is missing`)
  const key = orBroken(files, () => privateKeyIn(keyText, files.authorityKey.path))
  const certificate = orBroken(files, () => authorityCertificate(files, keyText, publicText))
  checkAuthority(files, certificate, key)
  return { certificate, key }
}

/** Makes the authority and saves it. Only the process that has the state folder does this. */
export async function createAuthority(files: CertificateFiles, deviceName: string, now: number): Promise<Signer> {
  const { key, certificate } = await makeAuthority(deviceName, authorityValidity(now))
  writeCertificateFile(files.authorityKey, key + certificate)
  publishAuthority(files, certificate)
  return { key: privateKeyIn(key, files.authorityKey.path), certificate: certificatesIn(certificate, files.authority.path)[0] }
}

/** Writes the public file anew where a kill came between it and the key, or somebody removed it. */
export function publishAuthority(files: CertificateFiles, pem: string): void {
  if (readCertificateFile(files.authority) === undefined) writeCertificateFile(files.authority, pem)
}

function authorityCertificate(files: CertificateFiles, keyText: string, publicText: string | undefined): X509Certificate {
  const beside = keyText.includes('BEGIN CERTIFICATE') ? certificatesIn(keyText, files.authorityKey.path)[0] : undefined
  if (publicText === undefined) {
    if (beside === undefined) throw new CertificateError(`${files.authority.path} is missing`)
    return beside
  }
  const [published] = certificatesIn(publicText, files.authority.path)
  if (beside !== undefined && !beside.raw.equals(published.raw)) {
    throw new CertificateError(`${files.authority.path} is not the certificate of ${files.authorityKey.path}`)
  }
  return published
}

function checkAuthority(files: CertificateFiles, certificate: X509Certificate, key: KeyObject): void {
  if (!certificate.checkPrivateKey(key)) {
    throw broken(files, `${files.authorityKey.path} is not the key of ${files.authority.path}`)
  }
  if (!certificate.ca || key.asymmetricKeyDetails?.namedCurve !== CURVE) {
    throw broken(files, `${files.authority.path} is not an authority on the curve P-256`)
  }
}

function orBroken<Result>(files: CertificateFiles, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof CertificateError) throw broken(files, error.message, error)
    throw error
  }
}

function broken(files: CertificateFiles, fault: string, cause?: Error): CertificateError {
  return new CertificateError(
    `the certificate authority is broken: ${fault}. Restore ${files.authorityKey.path} and ${files.authority.path} from a backup. ` +
      'Or remove both: a new authority is made, and every client has to be told to trust that one',
    { cause },
  )
}
