import { certificateName, hostAddress, hostLabel, listenAddress, localOrigin } from './name-types.ts'
import { openPath } from './path-type.ts'
import { byService, list, type Setting, single } from './setting.ts'
import { DISCOVERY_KINDS, type Settings } from './settings.ts'
import { choice, orOff, orSystems, port, shortText } from './value-type.ts'

/** With `vendor=` before it, it must fit into one string of a TXT record: 255 bytes, RFC 6763 section 6.1. */
const LONGEST_VENDOR_BYTES = 248

/** All settings, in the order of the guide. */
export const SETTINGS: readonly Setting[] = [
  single('hostName', orSystems(hostLabel), {
    key: 'host-name',
    about: 'Name under which the device is announced, without domain; a name that is taken gets a number.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: undefined,
  }),
  single('vendor', shortText(LONGEST_VENDOR_BYTES), {
    key: 'vendor',
    about: 'Vendor as it is announced.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 'Slotwire',
  }),
  list('names', certificateName, {
    key: 'names',
    about: 'Further host names and addresses that the server’s certificate is valid for.',
    spec: 'Authentication',
    effect: 'reload',
    fallback: [],
  }),
  single('loopbackPort', port, {
    key: 'doors.loopback-port',
    about: 'Port of the door for this machine.',
    effect: 'start',
    fallback: 8080,
  }),
  list('listen', listenAddress, {
    key: 'doors.listen',
    about: 'Addresses of the network door; without any it is closed.',
    effect: 'reload',
    fallback: [],
  }),
  single('httpsPort', port, {
    key: 'doors.https-port',
    about: 'HTTPS port of the network door.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 443,
  }),
  single('httpPort', orOff(port), {
    key: 'doors.http-port',
    about: 'Plain HTTP port of the network door; the specification has 80.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: undefined,
  }),
  list('proxies', hostAddress, {
    key: 'proxies',
    about: 'Proxies whose word on where a request comes from is taken.',
    spec: 'Authentication',
    effect: 'reload',
    fallback: [],
  }),
  byService('upstreams', localOrigin, {
    key: 'services',
    about: 'Where services run that are processes of their own.',
    effect: 'start',
    fallback: {},
  }),
  single('machineIdPath', openPath, {
    key: 'paths.machine-id',
    about: 'Path of the machine id, open to everybody.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: '/machine-id',
  }),
  single('tlsCaPath', openPath, {
    key: 'paths.tls-ca',
    about: 'Path of the authority’s certificate, open to everybody.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: '/ca.pem',
  }),
  single('discovery', choice(DISCOVERY_KINDS), {
    key: 'discovery',
    about: 'How the device is announced: by the host’s avahi, by itself, by avahi where it runs (auto), or not at all.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 'auto',
  }),
]

/** Settings with the values that `valueOf` has for each. */
export function settingsOf(valueOf: (setting: Setting) => unknown): Settings {
  const settings: Partial<Record<keyof Settings, unknown>> = {}
  for (const setting of SETTINGS) settings[setting.name] = valueOf(setting)
  return settings as Settings
}

/** What is in force where nothing is set. */
export const DEFAULT_SETTINGS: Settings = settingsOf(({ fallback }) => fallback)
