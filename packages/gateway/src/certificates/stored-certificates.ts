import type { X509Certificate } from 'node:crypto'
import { OperatorError } from '../operator-error.ts'
import { createAuthority, publishAuthority, readAuthority } from './authority.ts'
import {
  certificateFiles,
  makePrivate,
  readCertificateFile,
  removeCertificateFile,
  writeCertificateFile,
} from './certificate-files.ts'
import { type CertificateImport, checkImport } from './import-check.ts'
import { type CertificateNames, namesOf } from './names.ts'
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
  readonly fault?: OperatorError | undefined
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
   * PEM file with the key and, the server's own first, the certificates that a proxy is to present; undefined: nothing was made or imported
   * yet. An import and its undoing change it to another. Throws `OperatorError`.
   */
  get presentedFile(): string | undefined {
    const { imported, server } = this.#files
    return [imported, server].find((file) => readCertificateFile(file) !== undefined)?.path
  }

  /** Undefined: nothing was made yet. Throws `OperatorError` for an authority or an imported certificate that is broken. */
  read(): StoredCertificates | undefined {
    const imported = readImportedCertificate(this.#files)
    if (imported === undefined) return this.#own()
    return { source: 'imported', authority: imported.authority, presented: imported, signer: undefined }
  }

  /** Makes the authority where there is none, and mends what can be mended without anybody noticing. Throws `OperatorError`. */
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
    return { ...this.#signedBy(signer), made: true, madePrivate }
  }

  /** Signs and saves a new server certificate: for `names`, or for those of the present one. Throws `OperatorError`. */
  async renew(now: number, names?: CertificateNames): Promise<PresentedCertificate> {
    const stored = this.read()
    if (stored === undefined) throw nothingYet()
    if (stored.signer === undefined) {
      throw new OperatorError(
        'the certificate was imported: its issuer renews it: import the new one with slotwire cert import, or go back to the own authority with slotwire cert import --undo',
      )
    }
    const wanted = names ?? (stored.presented && namesOf(stored.presented.leaf))
    if (wanted === undefined) throw stored.fault ?? nothingYet()
    return renewServerCertificate(this.#files, stored.signer, wanted, now)
  }

  /** Checks and saves a company's own certificate; it is in use from then on. Throws `OperatorError`: then nothing has changed. */
  import(given: CertificateImport, now: number): { leaf: X509Certificate; warnings: readonly string[] } {
    const { text, leaf, warnings } = checkImport(given, now, this.#ownNames())
    writeCertificateFile(this.#files.imported, text)
    return { leaf, warnings }
  }

  /** Back to the own authority. Whether there was anything to undo. */
  undoImport(): boolean {
    const isThere = readCertificateFile(this.#files.imported) !== undefined
    removeCertificateFile(this.#files.imported)
    return isThere
  }

  #own(): StoredCertificates | undefined {
    const signer = readAuthority(this.#files)
    return signer && this.#signedBy(signer)
  }

  #signedBy(signer: Signer): StoredCertificates {
    const own = { source: 'own', authority: signer.certificate, signer } as const
    try {
      return { ...own, presented: readServerCertificate(this.#files, signer) }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return { ...own, presented: undefined, fault: error }
    }
  }

  /** Those of the certificate that the device made for itself: an imported one should be for the same. */
  #ownNames(): CertificateNames {
    let own: StoredCertificates | undefined
    try {
      own = this.#own()
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
    }
    return own?.presented === undefined ? { hosts: [], addresses: [] } : namesOf(own.presented.leaf)
  }
}

function nothingYet(): OperatorError {
  return new OperatorError('there are no certificates yet: the service makes them when it first opens its network door')
}
