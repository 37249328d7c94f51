import type { ServiceStatus } from '../run/network-side.ts'
import type { Hardware } from '../serve/hardware.ts'

/** A user as the kernel knows it. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gids: readonly number[]
}

/** Properties of a unit, by name, as systemd reports them. */
export type Properties = Readonly<Record<string, string>>
export type Unit = Properties & { readonly Id: string }
/** Our installed units; `absent`: systemd does not run here; `silent`: it does not answer. */
export type Units = readonly Unit[] | 'absent' | 'silent'

/** What a running service says of itself. */
export interface RunningService extends ServiceStatus {
  /** Of the loopback door. */
  readonly port: number
  /** Why it cannot be used; undefined: it can. */
  readonly notReady?: string | undefined
  /** State of each slot, by its number. */
  readonly slots: Readonly<Record<string, string>>
}

/** A service as it would be started: by what was typed, or by its unit. */
export interface PlannedService {
  /** `slotwire-io`, as its unit. */
  readonly name: string
  /** The state folder, as a whole path. */
  readonly state: string
  /** Whether only a service with this state folder is meant. */
  readonly isStateTyped?: boolean
  /** Names of the module services. */
  readonly services: readonly string[]
  /** Of the loopback door; undefined: as the settings say. */
  readonly port?: number | undefined
  /** Undefined: the usual socket, if it is there. */
  readonly powerManager?: string | undefined
  readonly unit?: Unit | undefined
}

/** A planned service, and what it says of itself if it runs: then its state folder and its services are those that it named. */
export interface Service extends PlannedService {
  readonly running?: RunningService | undefined
  /** The process that holds the state folder. */
  readonly pid?: number | undefined
  /** Why the holder of the state folder is not known. */
  readonly lockFault?: string | undefined
}

/** What all checks look at: plain data, because it is passed to another process. */
export interface Subject {
  readonly hardware: Hardware
  /** `/sys`, `/dev`, `/proc` and `/run`, as whole paths. */
  readonly roots: { readonly sys: string; readonly dev: string; readonly proc: string; readonly run: string }
  /** The user that is to run the service. */
  readonly user: Account
  /** Milliseconds since 1970. */
  readonly date: number
  readonly units: Units
  readonly services: readonly Service[]
}
