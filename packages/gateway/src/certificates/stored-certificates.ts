import type { X509Certificate } from 'node:crypto'
import { createAuthority, publishAuthority, readAuthority } from './authority.ts'
import { CertificateError } from './certificate-error.ts'
import {
  certificateFiles,
  makePrivate,
  readCertificateFile,
  removeCertificateFile,
  writeCertificateFile,
} from './certificate-files.ts'
import { type CertificateImport, checkImport } from './import-check.ts'
import type { CertificateNames } from './material.ts'
import { namesOf } from './names.ts'
import { certificatesToPem } from './pem.ts'
import {
  type PresentedCertificate,
  readImportedCertificate,
  readServerCertificate,
  renewServerCertificate,
} from './presented-certificate.ts'
import type { Signer } from './signing.ts'

/** What a folder holds, and what of it is in use. */
export interface StoredCertificates {
  /** `own`: signed by this device's authority; `imported`: a company's own. */
  readonly source: 'own' | 'imported'
  /** What clients are to trust. */
  readonly authority: X509Certificate
  /** What the server presents; undefined: nothing yet. */
  readonly presented: PresentedCertificate | undefined
  /** Signs the next server certificate; undefined: nobody here does. */
  readonly signer: Signer | undefined
  /** Why there is nothing to present although there is a file. */
  readonly fault?: CertificateError | undefined
}

/**
 * The certificates of one folder, as files. Several processes may use it at once: each file is good by itself and replaced as a whole. Only
 * the process that has the state folder makes the authority.
 */
export class CertificateStore {
  readonly #files: ReturnType<typeof certificateFiles>

  constructor(folder: string) {
    this.#files = certificateFiles(folder)
  }

  /**
   * PEM file with the key and, the server's own first, the certificates that a proxy is to present. An import and its undoing change it to
   * another. Throws `CertificateError`.
   */
  get presentedFile(): string {
    const { imported, server } = this.#files
    return readCertificateFile(imported) === undefined ? server.path : imported.path
  }

  /** Undefined: nothing was made yet. Throws `CertificateError` for an authority or an imported certificate that is broken. */
  read(): StoredCertificates | undefined {
    const imported = readImportedCertificate(this.#files)
    if (imported !== undefined)
      return { source: 'imported', authority: imported.authority, presented: imported, signer: undefined }
    const signer = readAuthority(this.#files)
    if (signer === undefined) return undefined
    return { source: 'own', authority: signer.certificate, signer, ...this.#presented(signer) }
  }

  /** Makes the authority where there is none, and mends what can be mended without anybody noticing. Throws `CertificateError`. */
  async open(
    deviceName: string,
    now: number,
  ): Promise<StoredCertificates & { readonly made: boolean; readonly madePrivate: readonly string[] }> {
    const { authorityKey, server, imported } = this.#files
    const madePrivate = [authorityKey, server, imported].filter(makePrivate).map(({ path }) => path)
    const stored = this.read()
    if (stored?.source === 'own') publishAuthority(this.#files, certificatesToPem([stored.authority]))
    if (stored !== undefined) return { ...stored, made: false, madePrivate }
    const signer = await createAuthority(this.#files, deviceName, now)
    return { source: 'own', authority: signer.certificate, signer, ...this.#presented(signer), made: true, madePrivate }
  }

  /** Signs and saves a new server certificate: for `names`, or for those of the present one. Throws `CertificateError`. */
  async renew(now: number, names?: CertificateNames): Promise<PresentedCertificate> {
    const stored = this.read()
    if (stored === undefined) throw nothingYet()
    if (stored.signer === undefined) {
      throw new CertificateError(
        'the certificate was imported, and whoever issued it renews it: import the new one with slotwire cert import, or go back to the own authority with slotwire cert import --undo',
      )
    }
    const present = stored.presented === undefined ? undefined : namesOf(stored.presented.leaf)
    const wanted = names ?? present
    if (wanted === undefined) throw stored.fault ?? nothingYet()
    return renewServerCertificate(this.#files, stored.signer, wanted, now)
  }

  /** Checks and saves a company's own certificate; it is in use from then on. Throws `CertificateError`: then nothing has changed. */
  import(
    given: CertificateImport,
    now: number,
    names: CertificateNames = this.#ownNames(),
  ): { leaf: X509Certificate; warnings: readonly string[] } {
    const { text, leaf, warnings } = checkImport(given, now, names)
    writeCertificateFile(this.#files.imported, text)
    return { leaf, warnings }
  }

  /** Back to the own authority. Whether there was anything to undo. */
  undoImport(): boolean {
    const isThere = readCertificateFile(this.#files.imported) !== undefined
    removeCertificateFile(this.#files.imported)
    return isThere
  }

  #presented(signer: Signer): Pick<StoredCertificates, 'presented' | 'fault'> {
    try {
      return { presented: readServerCertificate(this.#files, signer) }
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error
      return { presented: undefined, fault: error }
    }
  }

  /** Those of the certificate that the device made for itself: an imported one should be for the same. */
  #ownNames(): CertificateNames {
    try {
      const signer = readAuthority(this.#files)
      const own = signer === undefined ? undefined : this.#presented(signer).presented
      if (own !== undefined) return namesOf(own.leaf)
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error
    }
    return { hosts: [], addresses: [] }
  }
}

function nothingYet(): CertificateError {
  return new CertificateError('there are no certificates yet: the service makes them when it first opens its network door')
}
