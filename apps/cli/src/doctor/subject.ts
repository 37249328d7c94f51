import type { ServiceStatus } from '../run/network-side.ts'
import type { Hardware } from '../serve/hardware.ts'

/** A user, as the kernel identifies it. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gids: readonly number[]
}

/** Properties of a unit, by name, as systemd reports them. */
export type Properties = Readonly<Record<string, string>>
export type Unit = Properties & { readonly Id: string }
/** Our installed units. `absent`: systemd does not run here. `silent`: it does not answer. */
export type Units = readonly Unit[] | 'absent' | 'silent'

/** What a running service reports about itself. */
export interface RunningService extends ServiceStatus {
  /** Port of the loopback door. */
  readonly port: number
  /** Why it is not ready; undefined: it is ready. */
  readonly notReady?: string | undefined
  /** State of each slot, by its number. */
  readonly slots: Readonly<Record<string, string>>
}

/** A service as it would be started: from the typed options, or from its unit. */
export interface PlannedService {
  /** Name of its unit. */
  readonly name: string
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
}

/** A planned service, and its own report if it runs. Its report decides on state folder and services. */
export interface Service extends PlannedService {
  readonly running?: RunningService | undefined
  /** The process that holds the state folder. */
  readonly pid?: number | undefined
  /** Why the process that holds the state folder is unknown. */
  readonly lockFault?: string | undefined
}

/** What the checks examine. Plain data, because it goes to another process. */
export interface Subject {
  readonly hardware: Hardware
  /** `/sys`, `/dev`, `/proc`, `/run` and `/etc`, as absolute paths. */
  readonly roots: Readonly<Record<'sys' | 'dev' | 'proc' | 'run' | 'etc', string>>
  /** The user who runs the service. */
  readonly user: Account
  /** Milliseconds since 1970. */
  readonly date: number
  readonly units: Units
  readonly services: readonly Service[]
}
