import type { Clock } from '@slotwire/core'
import type { ServiceStatus } from '../run/network-side.ts'
import type { Hardware } from '../serve/hardware.ts'

/** One line of the report. */
export interface Finding {
  readonly outcome: 'ok' | 'warning' | 'failure'
  readonly found: string
  /** One sentence, with a command where one helps. Every finding that is not ok has one. */
  readonly remedy?: string | undefined
  /** Default: the name of the check. */
  readonly name?: string | undefined
}

/** Checks one thing that a service needs, and changes nothing. It may throw, but may not block. */
export type Check = (subject: Subject) => Promise<Finding | readonly Finding[]> | Finding | readonly Finding[]

/** What the checks examine. */
export interface Subject {
  readonly hardware: Hardware
  /** `/sys`, `/dev`, `/proc`, `/run` and `/etc`, as absolute paths. */
  readonly roots: Readonly<Record<'sys' | 'dev' | 'proc' | 'run' | 'etc', string>>
  /** The user who runs the service. */
  readonly user: Account
  readonly clock: Clock
  /** Milliseconds since 1970. */
  readonly date: number
  readonly units: Units
  readonly service: Service
  /** The slots that hold modules, in order. */
  readonly slots: readonly OccupiedSlot[]
}

/** A user, as the kernel identifies it. */
export type Account = { readonly name: string; readonly uid: number; readonly gids: readonly number[] }

/** Properties of a unit, by name, as systemd reports them. */
export type Unit = Readonly<Record<string, string>>
/** Our installed units. `absent`: systemd does not run here. `silent`: it does not answer. */
export type Units = readonly Unit[] | 'absent' | 'silent'

/** A service as its unit or the typed options would start it, or as it reports that it runs. */
export interface Service {
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
  readonly unit?: Unit | undefined
  readonly running?: RunningService | undefined
  /** The process that holds the state folder, if known. */
  readonly pid?: number | undefined
}

/** What a running service reports about itself. */
export interface RunningService extends ServiceStatus {
  /** Port of the loopback door. */
  readonly port: number
  /** Why it is not ready; undefined: it is ready. */
  readonly notReady?: string | undefined
  /** State of each slot, by its number. */
  readonly slotStates: Readonly<Record<string, string>>
}

/** A slot with a module in it. */
export interface OccupiedSlot {
  readonly number: number
  readonly name: string
  /** `/sys/class/sdbp/slotN` */
  readonly folder: string
  /** `/dev/slotN`. Never opened here: closing it would stop the module. */
  readonly file: string
  /** `vendor_product_id` of the module; empty if unreadable. */
  readonly type: string
  /** Whether reading about the module blocks. */
  readonly isBlocked: boolean
}

export const ok = (found: string, name?: string): Finding => ({ outcome: 'ok', found, name })
export const warning = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'warning', found, remedy, name })
export const failure = (found: string, remedy: string, name?: string): Finding => ({ outcome: 'failure', found, remedy, name })

/** For a file or folder that blocks its reader. */
export const blocked = (path: string): Finding =>
  failure(`no answer in time: ${path}`, 'Find out as root what it waits for: stat, mount, dmesg.')
