import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { CommandMode, DiscoveryStyle } from '@slotwire/bridge'
import { messageOf } from '@slotwire/core'
import { type Command, InvalidArgumentError } from 'commander'
import { pathOf } from '../run/option-values.ts'
import { textOf } from '../terminal/files.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** Options of every command that uses a broker. Secrets come from files or the environment: a command line is visible to other users. */
export interface BrokerOptions {
  readonly mqtt: string
  readonly mqttUser?: string | undefined
  readonly mqttPassword?: string | undefined
  readonly mqttCa?: string | undefined
  readonly mqttCert?: string | undefined
  readonly mqttKey?: string | undefined
}

/** How to reach the broker. */
export interface BrokerAccess {
  readonly url: string
  /** For logs: without a secret. */
  readonly shown: string
  readonly options: {
    readonly username?: string
    readonly password?: string
    /** Of all connections: each would otherwise keep the certificates for itself. */
    readonly secureContext?: SecureContext
  }
}

const USER = 'SLOTWIRE_MQTT_USER'
const PASSWORD = 'SLOTWIRE_MQTT_PASSWORD'
const SCHEMES = ['mqtt:', 'mqtts:']

/** Adds the options of `BrokerOptions`. */
export function addBrokerOptions(command: Command): Command {
  return command
    .requiredOption('--mqtt <url>', 'MQTT 5 broker, as mqtts://broker.local', brokerUrl)
    .option('--mqtt-user <name>', `User at the broker (or ${USER})`)
    .option('--mqtt-password <file>', `Password (or ${PASSWORD})`, pathOf('file'))
    .option('--mqtt-ca <file>', 'Trust only this authority of the broker (PEM)', pathOf('file'))
    .option('--mqtt-cert <file>', 'Show the broker this certificate (PEM)', pathOf('file'))
    .option('--mqtt-key <file>', 'Key of that certificate (PEM)', pathOf('file'))
}

function brokerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !SCHEMES.includes(url.protocol) || url.hostname === '')
    throw new InvalidArgumentError('write mqtt://host or mqtts://host, with :port if it is not 1883 or 8883.')
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`--mqtt: write no user or password in the address: use --mqtt-user and ${PASSWORD}`)
  return url.href
}

/** Reads the files and variables that the options name. Throws `UsageError`. */
export function brokerAccess(options: BrokerOptions, environment: NodeJS.ProcessEnv): BrokerAccess {
  const { mqtt: url, mqttCa, mqttCert, mqttKey, mqttPassword } = options
  const username = options.mqttUser ?? environment[USER]
  const password = mqttPassword === undefined ? environment[PASSWORD] : textOf(mqttPassword, 'password')
  if ((mqttCert === undefined) !== (mqttKey === undefined))
    throw new UsageError('a client certificate needs both files: give --mqtt-cert and --mqtt-key')
  const files = { ca: mqttCa, cert: mqttCert, key: mqttKey }
  const paths = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (paths.length > 0 && !url.startsWith('mqtts:')) throw new UsageError('certificates need TLS: write mqtts:// in --mqtt')
  if (password !== undefined && username === undefined)
    throw new UsageError(`a password needs a user: give --mqtt-user, mqtt.user in the settings, or ${USER}`)
  const secureContext = url.startsWith('mqtts:')
    ? secureContextOf(
        Object.fromEntries(paths.map(([name, file]) => [name, textOf(file, name === 'key' ? 'key' : 'certificate')])),
      )
    : undefined
  return {
    url,
    shown: new URL(url).host,
    options: {
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(secureContext === undefined ? {} : { secureContext }),
    },
  }
}

function secureContextOf({ ca, cert, key }: Readonly<Record<string, string | undefined>>): SecureContext {
  try {
    if (ca !== undefined) new X509Certificate(ca)
  } catch (error) {
    const file = 'the file of --mqtt-ca, or of mqtt.ca in the settings,'
    throw new UsageError(`${file} has no certificate: give a PEM file`, { cause: error })
  }
  try {
    return createSecureContext({ ca, cert, key })
  } catch (error) {
    const files = '--mqtt-cert and --mqtt-key, or mqtt.cert and mqtt.key,'
    const problem = `${files} must be a certificate and its own key, not encrypted, as PEM: ${messageOf(error)}`
    throw new UsageError(problem, { cause: error })
  }
}

/** What devices look like on a broker: plain topics, or Sparkplug B. */
export const PAYLOADS = ['plain', 'sparkplug'] as const

/** How devices are published. */
export interface PublishOptions extends BrokerOptions {
  /** How often a device looks at its pins, in milliseconds. */
  readonly every: number
  readonly deadBand: number
  /** Shortest time between two messages of a value, in milliseconds. */
  readonly pause: number
  readonly commands: CommandMode
  readonly payload: (typeof PAYLOADS)[number]
  readonly sparkplugGroup: string
  readonly homeAssistant?: DiscoveryStyle | undefined
  /** Prefix of Home Assistant's discovery. */
  readonly discovery: string
  readonly takeOver: boolean
}

/** The defaults of `PublishOptions`. */
export const PUBLISH_DEFAULTS = {
  every: 1000,
  deadBand: 0,
  pause: 0,
  commands: 'off',
  payload: 'plain',
  sparkplugGroup: 'slotwire',
  discovery: 'homeassistant',
} as const
