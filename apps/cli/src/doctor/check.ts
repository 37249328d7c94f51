import { statSync } from 'node:fs'
import { codeOf, messageOf } from '@slotwire/core'
import { shellWord } from '../terminal/text.ts'
import * as host from './host.ts'

/** One line of the report. */
export interface Finding {
  readonly outcome: 'ok' | 'warning' | 'failure'
  readonly found: string
  /** One sentence, with a command where one helps. Every finding that is not ok has one. */
  readonly remedy?: string | undefined
  /** Default: the name of the check. */
  readonly name?: string | undefined
}

/** What a check found. */
export type Findings = Finding | readonly Finding[]

/** Checks one thing that a service needs, and changes nothing. It may throw, but may not block. */
export type DoctorCheck = (subject: host.Subject) => Promise<Findings> | Findings

export const ok = (found: string, name?: string): Finding => ({ outcome: 'ok', found, name })
export const warning = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'warning', found, remedy, name })
export const failure = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'failure', found, remedy, name })

/** For a file or folder that blocks its reader. */
export const blocked = (path: string): Finding =>
  failure(`no answer in time: ${path}`, 'Find out as root what it waits for: stat, mount, dmesg.')

/** Why a user may not use an existing file or a folder around it. Undefined if allowed. The path is absolute. */
export function accessFault(path: string, user: host.Account, access: number): Finding | undefined {
  const [name, word] = [user.name, shellWord(path)]
  const around = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index) || '/')
  try {
    const closed = around.find((folder) => !host.mayUse(statSync(folder), user, host.ENTER))
    if (closed !== undefined)
      return failure(`${name} may not enter ${closed}`, `Let the user in: chmod a+x ${shellWord(closed)}.`)
    const rights = statSync(path)
    if (host.mayUse(rights, user, access)) return undefined
    const remedy = `Change the owner until the next start: chown ${shellWord(name)} ${word} && chmod u+rw ${word}.`
    return failure(`${name} may not use ${path} (${host.formatRights(rights)})`, remedy)
  } catch (error) {
    return failure(`${path} cannot be examined (${codeOf(error) ?? messageOf(error)})`, `Examine it as root: stat ${word}.`)
  }
}
