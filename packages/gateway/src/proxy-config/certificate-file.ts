import { statSync } from 'node:fs'
import { codeOf } from '@slotwire/core'
import { certificateFiles, certificatesFolder } from '../certificates/certificate-files.ts'

/** The file with the server's key and certificates that a proxy is to present now; undefined: nothing was made or imported yet. */
export function presentedFile(state: string): string | undefined {
  const { imported, server } = certificateFiles(certificatesFolder(state))
  return [imported.path, server.path].find(isThere)
}

/** Throws the system's error where that cannot be seen. */
function isThere(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}
