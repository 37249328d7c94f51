import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import { CertificateError } from './certificate-error.ts'

const READABLE_BY_ALL = 0o644
const OTHERS = 0o077
const OWNER_ONLY = 0o600

/** Where the certificates of a state folder lie. */
export function certificatesFolder(state: string): string {
  return join(state, 'tls')
}

/** The files of such a folder. Each is replaced as a whole, whichever process does it, and good by itself. */
export interface CertificateFiles {
  /** What clients are to trust: the own authority's certificate, public. */
  readonly authority: DurableFile
  /** Its key, and the certificate again: both come into being at one moment. */
  readonly authorityKey: DurableFile
  /** Key and certificate of the server, signed by the own authority. */
  readonly server: DurableFile
  /** A company's own: key, chain, and the authority at the end. While it is there, it is what the server presents. */
  readonly imported: DurableFile
}

export function certificateFiles(folder: string): CertificateFiles {
  const secret = (name: string): DurableFile => new DurableFile(join(folder, name), { mode: OWNER_ONLY, writers: 'several' })
  return {
    authority: new DurableFile(join(folder, 'authority.pem'), { mode: READABLE_BY_ALL, writers: 'several' }),
    authorityKey: secret('authority.key'),
    server: secret('server.pem'),
    imported: secret('imported.pem'),
  }
}

/** Undefined: there is no such file. Throws `CertificateError` for one that cannot be read. */
export function readCertificateFile(file: DurableFile): string | undefined {
  try {
    return readFileSync(file.path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw cannot('read', file, error)
  }
}

/** Throws `CertificateError`; what was there before is there still. */
export function writeCertificateFile(file: DurableFile, content: string): void {
  try {
    file.write(content)
  } catch (error) {
    throw cannot('written', file, error)
  }
}

/** Throws `CertificateError`. */
export function removeCertificateFile(file: DurableFile): void {
  try {
    file.remove()
  } catch (error) {
    throw cannot('removed', file, error)
  }
}

function cannot(what: string, { path }: Pick<DurableFile, 'path'>, error: unknown): CertificateError {
  const code = codeOf(error)
  if (code === undefined) throw error
  const remedy =
    code === 'EACCES' || code === 'EPERM' ? 'use the account of the service, or root' : 'look at the disk and its file system'
  return new CertificateError(`${path} cannot be ${what} (${code}): ${remedy}`, { cause: error })
}

/** Takes the right to read a key from everybody but its owner; leaves links alone. Whether that was needed. Throws `CertificateError`. */
export function makePrivate({ path }: DurableFile): boolean {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    // What cannot be opened says so to whoever reads it.
    if (codeOf(error) !== undefined) return false
    throw error
  }
  try {
    const isOpen = (fstatSync(file).mode & OTHERS) !== 0
    if (isOpen) fchmodSync(file, OWNER_ONLY)
    return isOpen
  } catch (error) {
    throw cannot('made private', { path }, error)
  } finally {
    closeSync(file)
  }
}
