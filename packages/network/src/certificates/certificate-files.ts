import { chmodSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { DurableFile, type WriteGuard } from '@slotwire/storage'
import { asOperatorError } from '../operator-error.ts'

const READABLE_BY_ALL = 0o644
const OTHERS = 0o077
const OWNER_ONLY = 0o600

/** Folder of the certificates in a state folder. */
export function certificatesFolder(state: string): string {
  return join(state, 'tls')
}

/** The files of that folder. Each file is complete on its own, and any process may replace it as a whole. */
export interface CertificateFiles {
  /** Certificate of the device's own authority, public: clients are meant to trust it. */
  readonly authority: DurableFile
  /** Private key of the authority, with its certificate again, so that both are created in one write. */
  readonly authorityKey: DurableFile
  /** Key and certificate of the server, signed by the device's authority. */
  readonly server: DurableFile
  /** An imported certificate: key, chain, and the authority at the end. If the file exists, the server presents this certificate. */
  readonly imported: DurableFile
}

export function certificateFiles(folder: string, guard?: WriteGuard): CertificateFiles {
  const written = { writers: 'several', guard } as const
  const secret = (name: string): DurableFile => new DurableFile(join(folder, name), { mode: OWNER_ONLY, ...written })
  return {
    authority: new DurableFile(join(folder, 'authority.pem'), { mode: READABLE_BY_ALL, ...written }),
    authorityKey: secret('authority.key'),
    server: secret('server.pem'),
    imported: secret('imported.pem'),
  }
}

/** A file to read only. */
export type ReadableFile = Pick<DurableFile, 'path' | 'read'>

/** Undefined if the file does not exist. Throws `OperatorError` if it cannot be read. */
export function readCertificateFile(file: ReadableFile): string | undefined {
  return asOperatorError('read', file.path, () => file.read())
}

/** Throws `OperatorError`, and then leaves the old file as it was. */
export function writeCertificateFile(file: DurableFile, content: string): void {
  asOperatorError('written', file.path, () => file.write(content))
}

/** Throws `OperatorError`. */
export function removeCertificateFile(file: DurableFile): void {
  asOperatorError('removed', file.path, () => file.remove())
}

/** Restricts a key file to its owner; leaves links alone. Returns whether that was necessary. Throws `OperatorError`. */
export function makePrivate(file: DurableFile): boolean {
  return asOperatorError('made private', file.path, () => {
    const stat = lstatSync(file.path, { throwIfNoEntry: false })
    const isOpen = stat?.isFile() === true && (stat.mode & OTHERS) !== 0
    if (isOpen) chmodSync(file.path, OWNER_ONLY)
    return isOpen
  })
}
