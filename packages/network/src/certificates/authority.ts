import type { X509Certificate } from 'node:crypto'
import { orElse } from '@slotwire/core'
import { OperatorError, reworded } from '../operator-error.ts'
import { type CertificateFiles, type ReadableFile, readCertificateFile, writeCertificateFile } from './certificate-files.ts'
import { certificatesIn, privateKeyIn } from './pem.ts'
import { makeAuthority, type Signer } from './signing.ts'
import { authorityValidity } from './validity.ts'

const CURVE = 'prime256v1'

type AuthorityFiles = Readonly<Record<'authority' | 'authorityKey', ReadableFile>>

/**
 * The device's own authority; undefined if none exists yet. Throws `OperatorError` if its files do not belong together. Replaces nothing:
 * clients trust the authority that they know.
 */
export function readAuthority(files: AuthorityFiles): Signer | undefined {
  const { authority, authorityKey } = files
  const keyText = readCertificateFile(authorityKey)
  const publicText = readCertificateFile(authority)
  if (keyText === undefined && publicText === undefined) return undefined
  return reworded(
    () => signerIn(files, keyText, publicText),
    (fault) =>
      `the certificate authority is broken: ${fault}. Restore ${authorityKey.path} and ${authority.path} from a backup. ` +
      'Or remove both: a new authority is made, and every client must trust the new one',
  )
}

function signerIn({ authority, authorityKey }: AuthorityFiles, keyText?: string, publicText?: string): Signer {
  if (keyText === undefined) throw new OperatorError(`${authorityKey.path} is missing`)
  const key = privateKeyIn(keyText, authorityKey.path)
  const [certificate] = certificatesIn(keyText, authorityKey.path)
  const published = publishedIn(publicText) ?? certificate
  if (!published.raw.equals(certificate.raw))
    throw new OperatorError(`${authority.path} is not the certificate of ${authorityKey.path}`)
  if (!certificate.checkPrivateKey(key)) throw new OperatorError(`the key in ${authorityKey.path} does not match its certificate`)
  if (!certificate.ca || key.asymmetricKeyDetails?.namedCurve !== CURVE)
    throw new OperatorError(`${authority.path} is not an authority on the curve P-256`)
  return { certificate, key }
}

/** Creates the authority and saves it. Only for the process that holds the lock on the state folder. */
export async function createAuthority(files: CertificateFiles, deviceName: string, now: number): Promise<Signer> {
  const { key, cert } = await makeAuthority(deviceName, authorityValidity(now))
  writeCertificateFile(files.authorityKey, key + cert)
  publishAuthority(files, cert)
  return { key: privateKeyIn(key, files.authorityKey.path), certificate: certificatesIn(cert, files.authority.path)[0] }
}

/** Writes the public file if it holds no certificate: a kill or a loss of power came before it was written, or it was removed. */
export function publishAuthority(files: CertificateFiles, pem: string): void {
  if (publishedIn(readCertificateFile(files.authority)) === undefined) writeCertificateFile(files.authority, pem)
}

function publishedIn(text: string | undefined): X509Certificate | undefined {
  return orElse(undefined, () => certificatesIn(text ?? '', '')[0])
}
