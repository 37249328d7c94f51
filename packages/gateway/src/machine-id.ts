import { join } from 'node:path'
import type { Random } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import { OperatorError } from './operator-error.ts'

/** Everybody on the network may know it. */
const PUBLIC_MODE = 0o644
const DIGITS = 32

/** True for the content of a machine id file: 32 lower-case hexadecimal digits in one line. */
export function isMachineId(text: string): boolean {
  return /^[0-9a-f]{32}\n?$/.test(text)
}

/**
 * The device's identity: 32 lower-case hexadecimal digits, made once and kept in the state folder, which its owner has locked; spec
 * "Discovery", `machine-id`. Throws `OperatorError` for one that is damaged: clients would take the device for another.
 */
export function machineId({ folder, random }: { readonly folder: string; readonly random: Random }): string {
  const file = new DurableFile(join(folder, 'machine-id'), { mode: PUBLIC_MODE })
  const kept = textOf(file)
  if (kept !== undefined) return kept.trim()
  const made = Array.from({ length: DIGITS }, () => Math.floor(random() * 16).toString(16)).join('')
  file.write(`${made}\n`)
  return made
}

/** Undefined: there is none yet. */
function textOf(file: DurableFile): string | undefined {
  let text: string | undefined
  try {
    text = file.read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the machine id cannot be read (${reason})`, { cause: error })
  }
  if (text === undefined || isMachineId(text)) return text
  throw new OperatorError(
    `${file.path} is damaged: it holds ${DIGITS} digits 0-9 and a-f, and nothing else. Write them in again, restore a backup that was made with --identity, or remove the file: then the device becomes another one to its clients`,
  )
}
