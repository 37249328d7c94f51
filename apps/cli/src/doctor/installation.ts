import type { SettingsOverrides } from '../run/network-side.ts'
import type { Account } from './host/account.ts'
import type { ServingUnit } from './units/units-that-serve.ts'

/** What is looked at: plain data, for it is handed to another process. */
export interface Installation {
  readonly hardware: 'kernel' | 'twin'
  /** `/sys`, `/dev`, `/proc`, `/run`, as whole paths. */
  readonly roots: { readonly sys: string; readonly dev: string; readonly proc: string; readonly run: string }
  /** The state folder, as a whole path. */
  readonly state: string
  /** Names of the services that are to run. */
  readonly services: readonly string[]
  /** Settings that options put in the place of the stored ones. */
  readonly overrides: SettingsOverrides
  /** Whose options these are; undefined: somebody has typed them, or none. */
  readonly unit?: ServingUnit | undefined
  /** Socket of the device's power manager; a named one must be there. */
  readonly powerManager: { readonly socket: string; readonly isNamed: boolean }
  /** Who is to run the service. */
  readonly user: Account
  /** Version of Node.js, without a letter in front. */
  readonly nodeVersion: string
  /** Milliseconds since 1970. */
  readonly date: number
}
