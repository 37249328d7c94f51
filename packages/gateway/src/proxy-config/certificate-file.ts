import { existsSync } from 'node:fs'
import { certificateFiles, certificatesFolder } from '../certificates/certificate-files.ts'

/** The file with the server's key and certificates that a proxy is to present now; undefined: nothing was made or imported yet. */
export function presentedFile(state: string): string | undefined {
  const { imported, server } = certificateFiles(certificatesFolder(state))
  return [imported.path, server.path].find((path) => existsSync(path))
}
