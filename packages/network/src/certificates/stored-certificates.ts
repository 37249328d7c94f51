import type { X509Certificate } from 'node:crypto'
import { chmodSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { orElse } from '@slotwire/core'
import type { ServerCertificate } from '@slotwire/edge'
import { DurableFile, type WriteGuard } from '@slotwire/storage'
import { asOperatorError, OperatorError, reworded } from '../operator-error.ts'
import { type CertificateImport, checkImport } from './import-check.ts'
import { type CertificateNames, checkedNames, namesOf } from './names.ts'
import { certificatesIn, certificatesToPem, keyToPem, privateKeyIn } from './pem.ts'
import { issueServerCertificate, makeAuthority, type Signer } from './signing.ts'
import { authorityValidity, serverValidity, validityOf } from './validity.ts'

/** A certificate that the server presents, as its file holds it. */
export interface PresentedCertificate {
  readonly leaf: X509Certificate
  readonly material: ServerCertificate
}

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

const READABLE_BY_ALL = 0o644
const OTHERS = 0o077
const OWNER_ONLY = 0o600
const CURVE = 'prime256v1'

/** Folder of the certificates in a state folder. */
export function certificatesFolder(state: string): string {
  return join(state, 'tls')
}

/** The files of that folder. Each file is complete on its own, and any process may replace it as a whole. */
function certificateFiles(folder: string, guard?: WriteGuard) {
  const file = (name: string, mode = OWNER_ONLY) => new DurableFile(join(folder, name), { mode, writers: 'several', guard })
  return {
    /** Certificate of the device's own authority, public: clients are meant to trust it. */
    authority: file('authority.pem', READABLE_BY_ALL),
    /** Private key of the authority, with its certificate again, so that both are created in one write. */
    authorityKey: file('authority.key'),
    /** Key and certificate of the server, signed by the device's authority. */
    server: file('server.pem'),
    /** An imported certificate: key, chain, and the authority at the end. If the file exists, the server presents this certificate. */
    imported: file('imported.pem'),
  }
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
    return [imported, server].find((file) => textOf(file) !== undefined)?.path
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
    if (stored?.source === 'own') this.#publishAuthority(certificatesToPem([stored.authority]))
    if (stored !== undefined) return { ...stored, made: false, madePrivate }
    const { key, cert } = await makeAuthority(deviceName, authorityValidity(now))
    write(authorityKey, key + cert)
    this.#publishAuthority(cert)
    const signer = { key: privateKeyIn(key, authorityKey.path), certificate: certificatesIn(cert, authorityKey.path)[0] }
    return { ...this.#signedBy(signer), made: true, madePrivate }
  }

  /** Signs and saves a new server certificate for `names`; default: the names of the present one. Throws `OperatorError`. */
  async renew(now: number, names?: CertificateNames): Promise<PresentedCertificate> {
    const stored = this.read()
    if (stored === undefined) throw nothingYet()
    const { signer, presented, fault } = stored
    if (signer === undefined) {
      throw new OperatorError(
        'the certificate was imported: its issuer renews it: import the new one with slotwire cert import, or go back to the authority of this device with slotwire cert import --undo',
      )
    }
    const wanted = names ?? (presented && namesOf(presented.leaf))
    if (wanted === undefined) throw fault ?? nothingYet()
    const { server } = this.#files
    const validity = serverValidity(now, validityOf(signer.certificate))
    const material = await issueServerCertificate(signer, checkedNames(wanted), validity)
    write(server, material.key + material.cert)
    return { leaf: certificatesIn(material.cert, server.path)[0], material }
  }

  /** Checks and saves an imported certificate, which is then in use. Throws `OperatorError` and then changes nothing. */
  import(files: CertificateImport, now: number): { leaf: X509Certificate; warnings: readonly string[] } {
    // An imported certificate should cover the names of the one that the device made for itself.
    const own = orElse(undefined, () => this.#own())
    const names = own?.presented === undefined ? { hosts: [], addresses: [] } : namesOf(own.presented.leaf)
    const { text, leaf, warnings } = checkImport(files, now, names)
    write(this.#files.imported, text)
    return { leaf, warnings }
  }

  /** Goes back to the device's authority. Returns whether an import existed. */
  undoImport(): boolean {
    const { imported } = this.#files
    const isThere = textOf(imported) !== undefined
    asOperatorError('removed', imported.path, () => imported.remove())
    return isThere
  }

  #own(): StoredCertificates | undefined {
    const signer = readAuthority(this.#files)
    return signer && this.#signedBy(signer)
  }

  #signedBy(signer: Signer): StoredCertificates {
    const own = { source: 'own', authority: signer.certificate, signer } as const
    try {
      return { ...own, presented: this.#readServer(signer) }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return { ...own, presented: undefined, fault: error }
    }
  }

  /** Throws for a certificate that is broken or signed by another authority. It may be replaced: clients trust the authority, not this one. */
  #readServer({ certificate }: Signer): PresentedCertificate | undefined {
    const { path } = this.#files.server
    const text = textOf(this.#files.server)
    if (text === undefined) return undefined
    const { certificates, key } = pairIn(text, path)
    const [leaf] = certificates
    if (!leaf.checkIssued(certificate) || !leaf.verify(certificate.publicKey))
      throw new OperatorError(`${path} was not signed by this device's authority: slotwire cert renew makes a new one`)
    return { leaf, material: { cert: certificatesToPem(certificates), key } }
  }

  /** Writes the public file if it holds no certificate: a kill or a loss of power came before it was written, or it was removed. */
  #publishAuthority(pem: string): void {
    if (publishedIn(textOf(this.#files.authority)) === undefined) write(this.#files.authority, pem)
  }
}

/** The certificates in a state folder. */
export function certificateStoreIn(state: string): CertificateStore {
  return new CertificateStore(certificatesFolder(state))
}

function nothingYet(): OperatorError {
  return new OperatorError('there are no certificates yet: the service makes them when it first opens its network door')
}

/** A file to read only. */
type ReadableFile = Pick<DurableFile, 'path' | 'read'>
type AuthorityFiles = Readonly<Record<'authority' | 'authorityKey', ReadableFile>>

/** Undefined if the file does not exist. Throws `OperatorError` if it cannot be read. */
function textOf(file: ReadableFile): string | undefined {
  return asOperatorError('read', file.path, () => file.read())
}

/** Throws `OperatorError`, and then leaves the old file as it was. */
function write(file: DurableFile, content: string): void {
  asOperatorError('written', file.path, () => file.write(content))
}

/** Restricts a key file to its owner; leaves links alone. Returns whether that was necessary. Throws `OperatorError`. */
function makePrivate({ path }: DurableFile): boolean {
  return asOperatorError('made private', path, () => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    const isOpen = stat?.isFile() === true && (stat.mode & OTHERS) !== 0
    if (isOpen) chmodSync(path, OWNER_ONLY)
    return isOpen
  })
}

/**
 * The device's own authority; undefined if none exists yet. Throws `OperatorError` if its files do not belong together. Replaces nothing:
 * clients trust the authority that they know.
 */
export function readAuthority(files: AuthorityFiles): Signer | undefined {
  const { authority, authorityKey } = files
  const keyText = textOf(authorityKey)
  const publicText = textOf(authority)
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

function publishedIn(text: string | undefined): X509Certificate | undefined {
  return orElse(undefined, () => certificatesIn(text ?? '', '')[0])
}

/** An imported certificate, with the authority that clients must trust. Undefined if none was imported. Throws `OperatorError`. */
export function readImportedCertificate({ imported }: { readonly imported: ReadableFile }) {
  const text = textOf(imported)
  if (text === undefined) return undefined
  const remedy = 'Import it again with slotwire cert import, or go back with slotwire cert import --undo'
  const { certificates, key } = reworded(
    () => pairIn(text, imported.path),
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
