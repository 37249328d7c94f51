import { shellWord } from './host/files.ts'
import type { Installation } from './installation.ts'

// Every command of Slotwire's that a remedy names: they are tried with the real command line. Words in capitals and <…> are for people to fill in.

type Place = Pick<Installation, 'state'>

export const SERVE_HELP = 'slotwire serve --help'
export const SERVE_ELSEWHERE = 'slotwire serve --state <dir>'

const on = ({ state }: Place): string => `--state ${shellWord(state)}`

/** Settings that remedies change, and to what. */
export const SETTINGS_IN_REMEDIES = {
  'doors.loopback-port': '<number>',
  'doors.https-port': '<number>',
  'doors.http-port': '<number>',
  'doors.listen': '<address>',
  discovery: 'own',
} as const

export const setting = (key: keyof typeof SETTINGS_IN_REMEDIES, place: Place): string =>
  `slotwire config set ${key} ${SETTINGS_IN_REMEDIES[key]} ${on(place)}`
export const showSettings = (place: Place): string => `slotwire config get ${on(place)}`
export const showCertificate = (place: Place): string => `slotwire cert show ${on(place)}`
export const renewCertificate = (place: Place): string => `slotwire cert renew ${on(place)}`
export const importCertificate = (place: Place): string => `slotwire cert import --certificate FILE --key FILE ${on(place)}`

/** How the service is given an option of `slotwire serve`. */
export function servingWith(option: string, { unit }: Pick<Installation, 'unit'>): string {
  return unit === undefined ? `slotwire serve ${option}` : `${option} as ${unit.place}, then systemctl restart ${unit.name}`
}
