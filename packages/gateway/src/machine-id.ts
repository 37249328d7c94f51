import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, type Random } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'

/** In the state folder. */
export const MACHINE_ID_FILE = 'machine-id'
/** Everybody on the network may know it. */
const PUBLIC_MODE = 0o644
const DIGITS = 32

/** What tells one device from another is there, but cannot be used. */
export class MachineIdError extends Error {
  override readonly name = 'MachineIdError'
}

/** True for the content of a machine id file: 32 lower-case hexadecimal digits in one line. */
export function isMachineId(text: string): boolean {
  return /^[0-9a-f]{32}\n?$/.test(text)
}

/**
 * The device's identity: 32 lower-case hexadecimal digits, made once and kept in the state folder, which its owner has locked; spec
 * "Discovery", `machine-id`. Throws `MachineIdError` for one that is damaged: clients would take the device for another.
 */
export function machineId({ folder, random }: { readonly folder: string; readonly random: Random }): string {
  const file = new DurableFile(join(folder, MACHINE_ID_FILE), { mode: PUBLIC_MODE })
  const kept = textOf(file.path)
  if (kept !== undefined) return kept.trim()
  const made = Array.from({ length: DIGITS }, () => Math.floor(random() * 16).toString(16)).join('')
  file.write(`${made}\n`)
  return made
}

/** Undefined: there is none yet. */
function textOf(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    if (isMachineId(text)) return text
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new MachineIdError(`the machine id cannot be read (${reason})`, { cause: error })
  }
  throw new MachineIdError(
    `${path} is damaged: it holds ${DIGITS} digits 0-9 and a-f, and nothing else. Write them in again, restore a backup that was made with --identity, or remove the file: then the device becomes another one to its clients`,
  )
}
