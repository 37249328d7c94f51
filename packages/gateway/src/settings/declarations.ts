import { certificateName, hostAddress, hostLabel, listenAddress, localOrigin } from './name-types.ts'
import { openPath } from './path-type.ts'
import { byService, list, type Setting, single } from './setting.ts'
import { DISCOVERY_KINDS, type Settings } from './settings.ts'
import { choice, orOff, orSystems, port, shortText } from './value-type.ts'

/** With `vendor=` before it, it must fit into one string of a TXT record: 255 bytes, RFC 6763 section 6.1. */
const LONGEST_VENDOR_BYTES = 248

const hostName = single(orSystems(hostLabel), {
  key: 'host-name',
  about: 'Name under which the device is announced, without domain; a name that is taken gets a number.',
  spec: 'Discovery',
  effect: 'reload',
  fallback: undefined,
  of: (settings) => settings.hostName,
})

const vendor = single(shortText(LONGEST_VENDOR_BYTES), {
  key: 'vendor',
  about: 'Vendor as it is announced.',
  spec: 'Discovery',
  effect: 'reload',
  fallback: 'Slotwire',
  of: (settings) => settings.vendor,
})

const names = list(certificateName, {
  key: 'names',
  about: 'Further host names and addresses that the server’s certificate is valid for.',
  spec: 'Authentication',
  effect: 'reload',
  fallback: [],
  of: (settings) => settings.names,
})

const loopbackPort = single(port, {
  key: 'doors.loopback-port',
  about: 'Port of the door for this machine.',
  effect: 'start',
  fallback: 8080,
  of: (settings) => settings.loopbackPort,
})

const listen = list(listenAddress, {
  key: 'doors.listen',
  about: 'Addresses of the network door; without any it is closed.',
  effect: 'reload',
  fallback: [],
  of: (settings) => settings.listen,
})

const httpsPort = single(port, {
  key: 'doors.https-port',
  about: 'HTTPS port of the network door.',
  spec: 'Discovery',
  effect: 'reload',
  fallback: 443,
  of: (settings) => settings.httpsPort,
})

const httpPort = single(orOff(port), {
  key: 'doors.http-port',
  about: 'Plain HTTP port of the network door; the specification has 80.',
  spec: 'Discovery',
  effect: 'reload',
  fallback: undefined,
  of: (settings) => settings.httpPort,
})

const proxies = list(hostAddress, {
  key: 'proxies',
  about: 'Proxies whose word on where a request comes from is taken.',
  spec: 'Authentication',
  effect: 'reload',
  fallback: [],
  of: (settings) => settings.proxies,
})

const upstreams = byService(localOrigin, {
  key: 'services',
  about: 'Where services run that are processes of their own.',
  effect: 'start',
  fallback: {},
  of: (settings) => settings.upstreams,
})

const machineIdPath = single(openPath, {
  key: 'paths.machine-id',
  about: 'Path of the machine id, open to everybody.',
  spec: 'Discovery',
  effect: 'reload',
  fallback: '/machine-id',
  of: (settings) => settings.paths.machineId,
})

const tlsCaPath = single(openPath, {
  key: 'paths.tls-ca',
  about: 'Path of the authority’s certificate, open to everybody.',
  spec: 'Discovery',
  effect: 'reload',
  fallback: '/ca.pem',
  of: (settings) => settings.paths.tlsCa,
})

const discovery = single(choice(DISCOVERY_KINDS), {
  key: 'discovery',
  about: 'How the device is announced: by the host’s avahi, by itself, by avahi where it runs (auto), or not at all.',
  spec: 'Discovery',
  effect: 'reload',
  fallback: 'auto',
  of: (settings) => settings.discovery,
})

/** All settings, in the order of the guide. */
export const SETTINGS: readonly Setting[] = [
  hostName,
  vendor,
  names,
  loopbackPort,
  listen,
  httpsPort,
  httpPort,
  proxies,
  upstreams,
  machineIdPath,
  tlsCaPath,
  discovery,
]

/** Settings with the values that `valueOf` has for each. */
export function settingsOf(valueOf: <Value>(setting: Setting<Value>) => Value): Settings {
  return {
    hostName: valueOf(hostName),
    vendor: valueOf(vendor),
    names: valueOf(names),
    loopbackPort: valueOf(loopbackPort),
    listen: valueOf(listen),
    httpsPort: valueOf(httpsPort),
    httpPort: valueOf(httpPort),
    proxies: valueOf(proxies),
    upstreams: valueOf(upstreams),
    paths: { machineId: valueOf(machineIdPath), tlsCa: valueOf(tlsCaPath) },
    discovery: valueOf(discovery),
  }
}

/** What is in force where nothing is set. */
export const DEFAULT_SETTINGS: Settings = settingsOf(({ fallback }) => fallback)
