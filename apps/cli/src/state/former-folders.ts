import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { shellWord } from '../terminal/shell-word.ts'

/** A state folder of a service that served one module type, and how to copy its settings and tokens. */
export interface FormerFolder {
  readonly folder: string
  readonly remedy: string
}

/** The state folders, below that of the device, of services that served one module type each. */
export function formerFolders(state: string): readonly FormerFolder[] {
  return SERVICE_NAMES.map((name) => join(state, name))
    .filter((folder) => existsSync(folder))
    .map((folder) => {
      const [from, to] = [shellWord(folder), shellWord(state)]
      const copy = `slotwire backup - --state ${from} | slotwire restore - --state ${to}`
      return { folder, remedy: `Copy its settings and tokens while the service is stopped: ${copy}; then: rm -r ${from}.` }
    })
}
