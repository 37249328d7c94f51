import { defaultHttpLimits } from '@slotwire/service'
import { pinNames } from './pin-names.ts'
import { type Declaration, list, single } from './setting.ts'
import {
  brokerUrl,
  certificateName,
  choice,
  filePath,
  hostAddress,
  listenAddress,
  MAX_PORT,
  openPath,
  orOff,
  orSystems,
  port,
  shortHostName,
  shortText,
  topicLevel,
  type ValueType,
  webOrigin,
  wholeNumber,
} from './value-types.ts'

/** With `vendor=` it must fit into one string of a TXT record: 255 bytes, RFC 6763 section 6.1. */
const MAX_VENDOR_BYTES = 248

const MAX_USER_BYTES = 64
/** Each stream takes a connection. */
const MAX_STREAMS = 1024

/** All settings by their names in code, in the order of the guide. */
const declarations = {
  hostName: single(orSystems(shortHostName), {
    key: 'host-name',
    about: 'Host name to announce, without domain; if it is taken, a number is added.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: undefined,
  }),
  vendor: single(shortText(MAX_VENDOR_BYTES), {
    key: 'vendor',
    about: 'Vendor to announce.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 'Slotwire',
  }),
  names: list(certificateName, {
    key: 'names',
    about: 'More host names and addresses for the server’s certificate.',
    spec: 'Authentication',
    effect: 'reload',
  }),
  loopbackPort: single(port, {
    key: 'doors.port',
    about: 'Port of the loopback door.',
    effect: 'start',
    fallback: 8080,
  }),
  loopbackPorts: list(wholeNumber(1, MAX_PORT), {
    key: 'doors.loopback-ports',
    about: 'More ports of the loopback door; the original services have 8001, 8002 and 8003.',
    effect: 'start',
  }),
  loopbackHosts: list(certificateName, {
    key: 'doors.loopback-hosts',
    about: 'Names by which a proxy of yours on this machine calls the loopback door.',
    effect: 'reload',
  }),
  listen: list(listenAddress, {
    key: 'doors.listen',
    about: 'Addresses of the network door; empty closes it.',
    effect: 'reload',
  }),
  httpsPort: single(port, {
    key: 'doors.https-port',
    about: 'HTTPS port of the network door.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 443,
  }),
  httpPort: single(orOff(port), {
    key: 'doors.http-port',
    about: 'Plain HTTP port of the network door; 80 in the specification.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: undefined,
  }),
  /** As browsers send them. */
  corsOrigins: list(webOrigin, {
    key: 'doors.cors-origins',
    about: 'Origins of other sites whose web pages may use the network door (CORS).',
    effect: 'reload',
  }),
  proxies: list(hostAddress, {
    key: 'proxies',
    about: 'Proxies that are trusted to report the client’s address.',
    spec: 'Authentication',
    effect: 'reload',
  }),
  streams: single(wholeNumber(1, MAX_STREAMS), {
    key: 'events.streams',
    about: 'Most event streams at one time.',
    effect: 'start',
    fallback: defaultHttpLimits.streams,
  }),
  machineIdPath: single(openPath, {
    key: 'paths.machine-id',
    about: 'Path of the machine id, public.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: '/machine-id',
  }),
  tlsCaPath: single(openPath, {
    key: 'paths.tls-ca',
    about: 'Path of the authority’s certificate, public.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: '/ca.pem',
  }),
  discovery: single(choice(['auto', 'avahi', 'own', 'off']), {
    key: 'discovery',
    about:
      'How to announce the device: with the host’s avahi, with its own responder, with avahi if it runs (auto), or not at all.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 'auto',
  }),
  pins: pinNames({
    key: 'pins',
    about: 'Names of pins, and scales that make a quantity of a reading.',
    effect: 'reload',
  }),
  mqttBroker: mqtt('broker', orOff(brokerUrl), 'MQTT 5 broker to publish this device to.', undefined),
  mqttUser: mqtt('user', orSystems(shortText(MAX_USER_BYTES)), 'User at the broker.', undefined),
  mqttPassword: mqtt('password', orSystems(filePath), 'File with the password.', undefined),
  mqttCa: mqtt('ca', orSystems(filePath), 'File with the authority of the broker (PEM): only it is trusted.', undefined),
  mqttCert: mqtt('cert', orSystems(filePath), 'File with a client certificate (PEM).', undefined),
  mqttKey: mqtt('key', orSystems(filePath), 'File with the key of that certificate (PEM).', undefined),
  mqttCommands: mqtt('commands', choice(['off', 'expiring', 'all']), 'Commands to take from the broker.', 'off'),
  mqttPayload: mqtt('payload', choice(['plain', 'sparkplug']), 'Payload: plain topics, or Sparkplug B.', 'plain'),
  mqttGroup: mqtt('sparkplug-group', topicLevel, 'Group of the edge node of Sparkplug.', 'slotwire'),
  mqttHomeAssistant: mqtt(
    'home-assistant',
    orOff(choice(['components', 'device'])),
    'How Home Assistant learns of the device.',
    undefined,
  ),
  mqttDiscovery: mqtt('discovery', topicLevel, 'Prefix of Home Assistant’s discovery.', 'homeassistant'),
  mqttEveryMs: mqtt('every-ms', wholeNumber(50, 3_600_000), 'How often to look at pins for the broker, in ms.', 1000),
}

/** A setting of the broker. */
function mqtt<Value extends string | number | undefined>(
  key: string,
  type: ValueType<Value>,
  about: string,
  fallback: NoInfer<Value>,
): Declaration<Value> {
  return single(type, { key: `mqtt.${key}`, about, effect: 'start', fallback })
}

/** Settings of the operator, from `settings.yaml` in the state folder. */
export type Settings = { readonly [Name in keyof typeof declarations]: (typeof declarations)[Name]['fallback'] }

/** A setting with its name in code. */
export interface Setting extends Declaration<unknown> {
  readonly name: keyof Settings
}

export const SETTINGS: readonly Setting[] = Object.entries(declarations).map(([name, declaration]) => ({
  ...declaration,
  name: name as keyof Settings,
}))

/** A setting by its key, or by its key without the group: `https-port`. */
export function settingNamed(name: string): Setting | undefined {
  return SETTINGS.find(({ key }) => key === name) ?? SETTINGS.find(({ key }) => withoutGroup(key) === name)
}

const withoutGroup = (key: string) => key.slice(key.indexOf('.') + 1)

/** The key for a name as in `settingNamed`. Unknown names stay. */
export function fullKey(name: string): string {
  return settingNamed(name)?.key ?? name
}

/** Builds settings from the value of each. */
export function settingsOf(valueOf: (setting: Setting) => unknown): Settings {
  return Object.fromEntries(SETTINGS.map((setting) => [setting.name, valueOf(setting)])) as Settings
}

/** The default of every setting. */
export const DEFAULT_SETTINGS: Settings = settingsOf(({ fallback }) => fallback)
