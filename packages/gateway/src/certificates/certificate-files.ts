import { chmodSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import { OperatorError } from '../operator-error.ts'

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

/** Undefined: there is no such file. Throws `OperatorError` for one that cannot be read. */
export function readCertificateFile(file: DurableFile): string | undefined {
  return orExplained('read', file, () => file.read())
}

/** Throws `OperatorError`; what was there before is there still. */
export function writeCertificateFile(file: DurableFile, content: string): void {
  orExplained('written', file, () => file.write(content))
}

/** Throws `OperatorError`. */
export function removeCertificateFile(file: DurableFile): void {
  orExplained('removed', file, () => file.remove())
}

/** Takes the right to read a key from everybody but its owner; leaves links alone. Whether that was needed. Throws `OperatorError`. */
export function makePrivate(file: DurableFile): boolean {
  return orExplained('made private', file, () => {
    const stat = lstatSync(file.path, { throwIfNoEntry: false })
    const isOpen = stat?.isFile() === true && (stat.mode & OTHERS) !== 0
    if (isOpen) chmodSync(file.path, OWNER_ONLY)
    return isOpen
  })
}

function orExplained<Result>(what: string, { path }: DurableFile, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    const remedy =
      code === 'EACCES' || code === 'EPERM' ? 'use the account of the service, or root' : 'look at the disk and its file system'
    throw new OperatorError(`${path} cannot be ${what} (${code}): ${remedy}`, { cause: error })
  }
}
