import type { X509Certificate } from 'node:crypto'
import { CertificateError } from './certificate-error.ts'
import { type CertificateFiles, readCertificateFile, writeCertificateFile } from './certificate-files.ts'
import type { CertificateNames, ServerCertificate } from './material.ts'
import { checkedNames } from './names.ts'
import { certificatesIn, certificatesToPem, keyToPem, privateKeyIn } from './pem.ts'
import { issueServerCertificate, type Signer } from './signing.ts'
import { serverValidity, validityOf } from './validity.ts'

/** What the server presents, as a file holds it. */
export interface PresentedCertificate {
  readonly leaf: X509Certificate
  readonly material: ServerCertificate
}

/** A company's own certificate, with what clients are to trust. */
export interface ImportedCertificate extends PresentedCertificate {
  readonly authority: X509Certificate
}

/**
 * The certificate that the own authority signed; undefined: there is none yet. Throws `CertificateError` for one that is broken or signed by
 * another: it may be replaced, clients know nothing of it.
 */
export function readServerCertificate(files: CertificateFiles, signer: Signer): PresentedCertificate | undefined {
  const { path } = files.server
  const text = readCertificateFile(files.server)
  if (text === undefined) return undefined
  const { leaf, certificates, keyPem } = pairIn(text, path)
  if (!leaf.checkIssued(signer.certificate) || !leaf.verify(signer.certificate.publicKey)) {
    throw new CertificateError(`${path} was not signed by this device's authority: slotwire cert renew makes a new one`)
  }
  return { leaf, material: { chain: certificatesToPem(certificates), key: keyPem } }
}

/** Signs a new certificate for these names and saves it. Throws `CertificateError`, and what the system says of the file. */
export async function renewServerCertificate(
  files: CertificateFiles,
  signer: Signer,
  names: CertificateNames,
  now: number,
): Promise<PresentedCertificate> {
  const validity = serverValidity(now, validityOf(signer.certificate))
  const material = await issueServerCertificate(signer, checkedNames(names), validity)
  writeCertificateFile(files.server, material.key + material.chain)
  return { leaf: certificatesIn(material.chain, files.server.path)[0], material }
}

/** Undefined: nothing was imported. Throws `CertificateError`. */
export function readImportedCertificate(files: CertificateFiles): ImportedCertificate | undefined {
  const { path } = files.imported
  const text = readCertificateFile(files.imported)
  if (text === undefined) return undefined
  try {
    const { leaf, certificates, keyPem } = pairIn(text, path)
    return {
      leaf,
      authority: certificates.at(-1) ?? leaf,
      material: { chain: certificatesToPem(toPresent(certificates)), key: keyPem },
    }
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error
    throw new CertificateError(
      `${error.message}. Import it anew with slotwire cert import, or go back with slotwire cert import --undo`,
      {
        cause: error,
      },
    )
  }
}

/** As `readImportedCertificate` finds it again: the authority is the last one. */
export function importedText(key: string, chain: readonly X509Certificate[], authority: X509Certificate): string {
  const isThere = chain.at(-1)?.raw.equals(authority.raw) === true
  return key + certificatesToPem(isThere ? chain : [...chain, authority])
}

/** Clients have the root already; a certificate that signed itself is all there is. */
function toPresent(certificates: readonly X509Certificate[]): readonly X509Certificate[] {
  const last = certificates.at(-1)
  const endsInRoot = certificates.length > 1 && last?.checkIssued(last) === true
  return endsInRoot ? certificates.slice(0, -1) : certificates
}

function pairIn(
  text: string,
  path: string,
): { readonly leaf: X509Certificate; readonly certificates: readonly X509Certificate[]; readonly keyPem: string } {
  const certificates = certificatesIn(text, path)
  const key = privateKeyIn(text, path)
  const [leaf] = certificates
  if (!leaf.checkPrivateKey(key)) throw new CertificateError(`the private key in ${path} is not that of its first certificate`)
  return { leaf, certificates, keyPem: keyToPem(key) }
}
