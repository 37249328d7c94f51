import { SERVICE_NAMES, SERVICE_PORTS } from '@slotwire/device/names'
import { readSettingsFile, SETTINGS_FILE, type Settings } from '@slotwire/gateway'
import type { Hardware } from '../serve/hardware.ts'
import type { Account } from './account.ts'
import type { RunningService } from './running-service.ts'
import { isEnabled, type Unit, type Units } from './units.ts'

/** The unit that serves all modules. */
const USUAL_UNIT = 'slotwire.service'
/** systemd makes the folders of `StateDirectory=` here. */
const STATE_FOLDERS = '/var/lib'
/** How a unit's status names the loopback door. */
const LOOPBACK_URL = /http:\/\/127\.0\.0\.1:(\d+)/

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

/** The services of the units that run or start with the system; if there are none, that of `slotwire.service`, if it is installed. */
export function servicesOf(units: Units): readonly PlannedService[] {
  // Without a state folder it is the power manager.
  const serving = typeof units === 'string' ? [] : units.filter((unit) => unit['StateDirectory'])
  const chosen = serving.filter((unit) => isEnabled(unit) || unit['ActiveState'] !== 'inactive')
  return (chosen.length > 0 ? chosen : serving.filter(({ Id }) => Id === USUAL_UNIT)).map(serviceOf)
}

function serviceOf(unit: Unit): PlannedService {
  const name = unit.Id.replace(/\.service$/, '')
  const type = name.replace(/^slotwire-/, '')
  const told = LOOPBACK_URL.exec(unit['StatusText'] ?? '')?.[1]
  return {
    name,
    state: `${STATE_FOLDERS}/${unit['StateDirectory']?.split(' ')[0] ?? ''}`,
    services: SERVICE_NAMES.includes(type) ? [type] : SERVICE_NAMES,
    port: told === undefined ? SERVICE_PORTS[type] : Number(told),
    unit,
  }
}

/** The settings of the next start; those of a file with mistakes are the defaults. */
export function settingsOf({ state, port }: Pick<PlannedService, 'state' | 'port'>): Settings {
  const { settings } = readSettingsFile(state, SETTINGS_FILE, SERVICE_NAMES)
  return port === undefined ? settings : { ...settings, loopbackPort: port }
}
