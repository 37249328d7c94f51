import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files in memory, where the machine has that. */
const MEMORY_FOLDER = '/dev/shm'

/** A new, empty state folder that is deleted when this process ends. After SIGKILL it stays until the machine restarts. */
export function throwAwayFolder(): string {
  const folder = mkdtempSync(join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'slotwire-memory-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
