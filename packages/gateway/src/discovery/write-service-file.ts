import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** avahi does not read files with this ending. */
const NEXT = '.next'
const READABLE_BY_ALL = 0o644

/**
 * Puts a file in place for avahi, whole, and readable whatever the umask: avahi is another user. One that is there already is left alone:
 * avahi would take the service back and tell of it anew. Throws the system's error.
 */
export function writeServiceFile(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  const next = path + NEXT
  try {
    writeFileSync(next, text)
    chmodSync(next, READABLE_BY_ALL)
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}
