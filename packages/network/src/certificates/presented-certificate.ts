import type { X509Certificate } from 'node:crypto'
import type { ServerCertificate } from '@slotwire/edge'
import { OperatorError, reworded } from '../operator-error.ts'
import { type CertificateFiles, type ReadableFile, readCertificateFile, writeCertificateFile } from './certificate-files.ts'
import { type CertificateNames, checkedNames } from './names.ts'
import { certificatesIn, certificatesToPem, keyToPem, privateKeyIn } from './pem.ts'
import { issueServerCertificate, type Signer } from './signing.ts'
import { serverValidity, validityOf } from './validity.ts'

/** A certificate that the server presents, as its file holds it. */
export interface PresentedCertificate {
  readonly leaf: X509Certificate
  readonly material: ServerCertificate
}

/** An imported certificate, with the authority that clients must trust. */
export interface ImportedCertificate extends PresentedCertificate {
  readonly authority: X509Certificate
}

/**
 * The certificate that the device's authority signed; undefined if none exists yet. Throws `OperatorError` if it is broken or signed by
 * another authority. It may be replaced then: clients trust the authority, not this certificate.
 */
export function readServerCertificate(files: CertificateFiles, signer: Signer): PresentedCertificate | undefined {
  const { path } = files.server
  const text = readCertificateFile(files.server)
  if (text === undefined) return undefined
  const { certificates, key } = pairIn(text, path)
  const [leaf] = certificates
  if (!leaf.checkIssued(signer.certificate) || !leaf.verify(signer.certificate.publicKey)) {
    throw new OperatorError(`${path} was not signed by this device's authority: slotwire cert renew makes a new one`)
  }
  return { leaf, material: { cert: certificatesToPem(certificates), key } }
}

/** Signs a new certificate for these names and saves it. Throws `OperatorError`, and the system's error for the file. */
export async function renewServerCertificate(
  files: CertificateFiles,
  signer: Signer,
  names: CertificateNames,
  now: number,
): Promise<PresentedCertificate> {
  const validity = serverValidity(now, validityOf(signer.certificate))
  const material = await issueServerCertificate(signer, checkedNames(names), validity)
  writeCertificateFile(files.server, material.key + material.cert)
  return { leaf: certificatesIn(material.cert, files.server.path)[0], material }
}

/** Undefined if no certificate was imported. Throws `OperatorError`. */
export function readImportedCertificate(files: { readonly imported: ReadableFile }): ImportedCertificate | undefined {
  const text = readCertificateFile(files.imported)
  if (text === undefined) return undefined
  const remedy = 'Import it again with slotwire cert import, or go back with slotwire cert import --undo'
  const { certificates, key } = reworded(
    () => pairIn(text, files.imported.path),
    (fault) => `${fault}. ${remedy}`,
  )
  const [leaf] = certificates
  const authority = certificates.at(-1) ?? leaf
  // Omit the root, clients have it. Keep a lone self-signed certificate.
  const endsInRoot = certificates.length > 1 && authority.checkIssued(authority)
  const cert = certificatesToPem(endsInRoot ? certificates.slice(0, -1) : certificates)
  return { leaf, authority, material: { cert, key } }
}

/** All certificates, and the key of the first, in PEM. */
function pairIn(text: string, path: string) {
  const certificates = certificatesIn(text, path)
  const key = privateKeyIn(text, path)
  if (!certificates[0].checkPrivateKey(key))
    throw new OperatorError(`the private key in ${path} does not belong to its first certificate`)
  return { certificates, key: keyToPem(key) }
}
