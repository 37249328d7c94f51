import { join } from 'node:path'
import type { Random } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import { asOperatorError, OperatorError, reworded } from './operator-error.ts'

export interface MachineIdOptions {
  /** The state folder. */
  readonly folder: string
  readonly random: Random
  /** Stores a new id, or does so as soon as the disk can be written: until then the id is valid for this run. */
  readonly prepare?: (store: () => void) => void
}

/** The machine id is public. */
const PUBLIC_MODE = 0o644
const DIGITS = 32

/** Throws `OperatorError` unless this is the content of a machine id file: 32 lower-case hexadecimal digits in one line. */
export function checkMachineId(text: string): void {
  if (!/^[0-9a-f]{32}\n?$/.test(text)) throw new OperatorError(`it must hold ${DIGITS} digits 0-9 and a-f`)
}

/**
 * The device's identity: 32 lower-case hexadecimal digits, created once and kept in the state folder; the caller must hold its lock; spec
 * "Discovery", `machine-id`. Throws `OperatorError` if the file is damaged: with a new id, clients would see another device.
 */
export function machineId({ folder, random, prepare = (store) => store() }: MachineIdOptions): string {
  const file = new DurableFile(join(folder, 'machine-id'), { mode: PUBLIC_MODE })
  const existing = textOf(file)
  if (existing !== undefined) return existing.trim()
  const id = newMachineId(random)
  prepare(() => {
    if (textOf(file) === undefined) file.write(`${id}\n`)
  })
  return id
}

/** An id of its own for each source of numbers. */
export function newMachineId(random: Random): string {
  return Array.from({ length: DIGITS }, () => Math.floor(random() * 16).toString(16)).join('')
}

/** Undefined if there is no id yet. */
function textOf(file: DurableFile): string | undefined {
  const text = asOperatorError('read', file.path, () => file.read())
  const wording = (fault: string): string =>
    `${file.path} is damaged: ${fault}. Write them again, restore a backup that was made with --identity, or remove the file: then clients see a new device`
  if (text !== undefined) reworded(() => checkMachineId(text), wording)
  return text
}
