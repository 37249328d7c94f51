import type { X509Certificate } from 'node:crypto'
import type { WriteGuard } from '@slotwire/storage'
import { OperatorError } from '../operator-error.ts'
import { createAuthority, publishAuthority, readAuthority } from './authority.ts'
import {
  certificateFiles,
  certificatesFolder,
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

/** The stored certificates of a folder. */
export interface StoredCertificates {
  /** `own`: signed by this device's authority; `imported`: issued by a company. */
  readonly source: 'own' | 'imported'
  /** The authority that clients must trust. */
  readonly authority: X509Certificate
  /** Presented by the server; undefined: no usable certificate yet. */
  readonly presented: PresentedCertificate | undefined
  /** Signs the next server certificate; undefined for an imported certificate. */
  readonly signer: Signer | undefined
  /** Why the server certificate cannot be used although its file exists. */
  readonly fault?: OperatorError | undefined
}

/**
 * The certificate files of one folder. Several processes may use them at once: each file is complete on its own and replaced as a whole.
 * Only the process that holds the lock on the state folder creates the authority.
 */
export class CertificateStore {
  readonly #files: ReturnType<typeof certificateFiles>

  constructor(folder: string, guard?: WriteGuard) {
    this.#files = certificateFiles(folder, guard)
  }

  /**
   * PEM file for a proxy: the key, the server certificate and the intermediate ones. Undefined if no certificate exists yet. An import
   * changes the path, and so does its undo. Throws `OperatorError`.
   */
  get presentedFile(): string | undefined {
    const { imported, server } = this.#files
    return [imported, server].find((file) => readCertificateFile(file) !== undefined)?.path
  }

  /** Undefined if there is no authority yet. Throws `OperatorError` if the authority or an imported certificate is broken. */
  read(): StoredCertificates | undefined {
    const imported = readImportedCertificate(this.#files)
    if (imported === undefined) return this.#own()
    return { source: 'imported', authority: imported.authority, presented: imported, signer: undefined }
  }

  /** Creates a missing authority, restores a lost public file and makes keys private. Throws `OperatorError`. */
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

  /** Signs and saves a new server certificate for `names`; default: the names of the present one. Throws `OperatorError`. */
  async renew(now: number, names?: CertificateNames): Promise<PresentedCertificate> {
    const stored = this.read()
    if (stored === undefined) throw nothingYet()
    if (stored.signer === undefined) {
      throw new OperatorError(
        'the certificate was imported: its issuer renews it: import the new one with slotwire cert import, or go back to the authority of this device with slotwire cert import --undo',
      )
    }
    const wanted = names ?? (stored.presented && namesOf(stored.presented.leaf))
    if (wanted === undefined) throw stored.fault ?? nothingYet()
    return renewServerCertificate(this.#files, stored.signer, wanted, now)
  }

  /** Checks and saves an imported certificate, which is then in use. Throws `OperatorError` and then changes nothing. */
  import(files: CertificateImport, now: number): { leaf: X509Certificate; warnings: readonly string[] } {
    const { text, leaf, warnings } = checkImport(files, now, this.#ownNames())
    writeCertificateFile(this.#files.imported, text)
    return { leaf, warnings }
  }

  /** Goes back to the device's authority. Returns whether an import existed. */
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

  /** Names of the certificate that the device made for itself: an imported one should cover the same names. */
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

/** The certificates in a state folder. */
export function certificateStoreIn(state: string): CertificateStore {
  return new CertificateStore(certificatesFolder(state))
}

function nothingYet(): OperatorError {
  return new OperatorError('there are no certificates yet: the service makes them when it first opens its network door')
}
