import { defaultHttpLimits } from '@slotwire/service'
import { pinNames } from './pin-names.ts'
import { list, type Setting, single } from './setting.ts'
import { DISCOVERY_KINDS, MQTT_COMMANDS, MQTT_DISCOVERY, MQTT_PAYLOADS, type Settings } from './settings.ts'
import {
  brokerUrl,
  certificateName,
  choice,
  filePath,
  hostAddress,
  hostLabel,
  listenAddress,
  MAX_PORT,
  openPath,
  orOff,
  orSystems,
  port,
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

/** All settings, in the order of the guide. */
export const SETTINGS: readonly Setting[] = [
  single('hostName', orSystems(hostLabel), {
    key: 'host-name',
    about: 'Host name to announce, without domain; if it is taken, a number is added.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: undefined,
  }),
  single('vendor', shortText(MAX_VENDOR_BYTES), {
    key: 'vendor',
    about: 'Vendor to announce.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 'Slotwire',
  }),
  list('names', certificateName, {
    key: 'names',
    about: 'More host names and addresses for the server’s certificate.',
    spec: 'Authentication',
    effect: 'reload',
    fallback: [],
  }),
  single('loopbackPort', port, {
    key: 'doors.port',
    about: 'Port of the loopback door.',
    effect: 'start',
    fallback: 8080,
  }),
  list('loopbackPorts', wholeNumber(1, MAX_PORT), {
    key: 'doors.loopback-ports',
    about: 'More ports of the loopback door; the original services have 8001, 8002 and 8003.',
    effect: 'start',
    fallback: [],
  }),
  list('loopbackHosts', certificateName, {
    key: 'doors.loopback-hosts',
    about: 'Names by which a proxy of yours on this machine calls the loopback door.',
    effect: 'reload',
    fallback: [],
  }),
  list('listen', listenAddress, {
    key: 'doors.listen',
    about: 'Addresses of the network door; empty closes it.',
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
    about: 'Plain HTTP port of the network door; 80 in the specification.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: undefined,
  }),
  list('corsOrigins', webOrigin, {
    key: 'doors.cors-origins',
    about: 'Origins of other sites whose web pages may use the network door (CORS).',
    effect: 'reload',
    fallback: [],
  }),
  list('proxies', hostAddress, {
    key: 'proxies',
    about: 'Proxies that are trusted to report the client’s address.',
    spec: 'Authentication',
    effect: 'reload',
    fallback: [],
  }),
  single('streams', wholeNumber(1, MAX_STREAMS), {
    key: 'events.streams',
    about: 'Most event streams at one time.',
    effect: 'start',
    fallback: defaultHttpLimits.streams,
  }),
  single('machineIdPath', openPath, {
    key: 'paths.machine-id',
    about: 'Path of the machine id, public.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: '/machine-id',
  }),
  single('tlsCaPath', openPath, {
    key: 'paths.tls-ca',
    about: 'Path of the authority’s certificate, public.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: '/ca.pem',
  }),
  single('discovery', choice(DISCOVERY_KINDS), {
    key: 'discovery',
    about:
      'How to announce the device: with the host’s avahi, with its own responder, with avahi if it runs (auto), or not at all.',
    spec: 'Discovery',
    effect: 'reload',
    fallback: 'auto',
  }),
  pinNames({
    key: 'pins',
    about: 'Names of pins, and scales that make a quantity of a reading.',
    effect: 'reload',
    fallback: [],
  }),
  mqtt('mqttBroker', 'broker', orOff(brokerUrl), 'MQTT 5 broker to publish this device to.', undefined),
  mqtt('mqttUser', 'user', orSystems(shortText(MAX_USER_BYTES)), 'User at the broker.', undefined),
  mqtt('mqttPassword', 'password', orSystems(filePath), 'File with the password.', undefined),
  mqtt('mqttCa', 'ca', orSystems(filePath), 'File with the authority of the broker (PEM): only it is trusted.', undefined),
  mqtt('mqttCert', 'cert', orSystems(filePath), 'File with a client certificate (PEM).', undefined),
  mqtt('mqttKey', 'key', orSystems(filePath), 'File with the key of that certificate (PEM).', undefined),
  mqtt('mqttCommands', 'commands', choice(MQTT_COMMANDS), 'Commands to take from the broker.', 'off'),
  mqtt('mqttPayload', 'payload', choice(MQTT_PAYLOADS), 'Payload: plain topics, or Sparkplug B.', 'plain'),
  mqtt('mqttGroup', 'sparkplug-group', topicLevel, 'Group of the edge node of Sparkplug.', 'slotwire'),
  mqtt(
    'mqttHomeAssistant',
    'home-assistant',
    orOff(choice(MQTT_DISCOVERY)),
    'How Home Assistant learns of the device.',
    undefined,
  ),
  mqtt('mqttDiscovery', 'discovery', topicLevel, 'Prefix of Home Assistant’s discovery.', 'homeassistant'),
  mqtt('mqttEveryMs', 'every-ms', wholeNumber(50, 3_600_000), 'How often to look at pins for the broker, in ms.', 1000),
]

/** A setting of the broker. */
function mqtt<Name extends Exclude<keyof Settings, 'pins'>>(
  name: Name,
  key: string,
  type: ValueType<Settings[Name]>,
  about: string,
  fallback: Settings[Name],
): Setting {
  return single(name, type, { key: `mqtt.${key}`, about, effect: 'start', fallback })
}

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
  const settings: Partial<Record<keyof Settings, unknown>> = {}
  for (const setting of SETTINGS) settings[setting.name] = valueOf(setting)
  return settings as Settings
}

/** The default of every setting. */
export const DEFAULT_SETTINGS: Settings = settingsOf(({ fallback }) => fallback)
