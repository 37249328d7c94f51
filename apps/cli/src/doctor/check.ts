import { statSync } from 'node:fs'
import { type Clock, codeOf, messageOf } from '@slotwire/core'
import type { ServiceStatus } from '../run/network-side.ts'
import type { Hardware } from '../serve/hardware.ts'
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
export type DoctorCheck = (subject: Subject) => Promise<Findings> | Findings

/** What the checks examine. */
export interface Subject {
  readonly hardware: Hardware
  /** `/sys`, `/dev`, `/proc`, `/run` and `/etc`, as absolute paths. */
  readonly roots: Readonly<Record<'sys' | 'dev' | 'proc' | 'run' | 'etc', string>>
  /** The user who runs the service. */
  readonly user: host.Account
  readonly clock: Clock
  /** Milliseconds since 1970. */
  readonly date: number
  readonly systemd: 'absent' | 'silent' | 'answers'
  /** Our installed units. */
  readonly units: readonly SystemdUnit[]
  /** The listening TCP sockets; undefined: unknown. */
  readonly sockets: Awaited<ReturnType<typeof host.listeningSockets>>
  readonly service: CheckedService
  /** The slots that hold modules, in order. */
  readonly slots: readonly host.OccupiedSlot[]
}

/** Properties of a unit, by name, as systemd reports them. */
export type SystemdUnit = Readonly<Record<string, string>>

/** A service as its unit or the typed options would start it, or as it reports that it runs. */
export interface CheckedService {
  /** Absolute path of the state folder. */
  readonly state: string
  /** Whether only a service with this state folder counts. */
  readonly isStateTyped?: boolean
  /** Names of the module services. */
  readonly services: readonly string[]
  /** Port of the loopback door; undefined: as configured. */
  readonly port?: number | undefined
  /** Undefined: the default socket, if it exists. */
  readonly powerManager?: string | undefined
  readonly unit?: SystemdUnit | undefined
  /** What it reports if it runs: with the port of its loopback door, why it is not ready, and the states of slots by their numbers. */
  readonly running?:
    | (ServiceStatus & { port: number; notReady: string | undefined; slotStates: Record<string, string> })
    | undefined
  /** The process that holds the state folder, if known. */
  readonly pid?: number | undefined
}

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
