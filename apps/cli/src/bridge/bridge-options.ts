import { COMMAND_MODES, DISCOVERY_STYLES } from '@slotwire/bridge'
import { baseUrl, ClientError } from '@slotwire/client'
import { Command, InvalidArgumentError, Option } from 'commander'
import { duration, share } from '../remote/values.ts'
import { addLogOptions, type LogOptions, pathOf } from '../run/option-values.ts'
import { examples } from '../terminal/command-context.ts'
import { addBrokerOptions } from './mqtt-options.ts'
import { PAYLOADS, PUBLISH_DEFAULTS, type PublishOptions } from './publish-options.ts'

type Times = 'every' | 'deadBand' | 'pause'

/** The options of `slotwire bridge`, checked. */
export interface BridgeCommandOptions extends Omit<PublishOptions, Times>, Partial<Pick<PublishOptions, Times>>, LogOptions {
  readonly url: readonly string[]
  readonly urlsFile?: string
  readonly context: readonly string[]
  readonly discover: boolean
  readonly tokenFile?: string
  readonly ca?: string
}

const SHORTEST_EVERY_MS = 50
const NAME = /^[\w.-]{1,64}$/
const PREFIX = /^(?=.{1,128}$)[\w.-]+(\/[\w.-]+)*$/

/** The `bridge` command with its options. */
export function bridgeCommand(run: (options: BridgeCommandOptions) => Promise<void>): Command {
  const command = new Command('bridge')
    .description('Publish devices to an MQTT broker')
    .option('--url <url>', 'Publish this device; repeatable', collectUrl, [])
    .option('--urls-file <file>', 'Publish the devices in this file', pathOf('file'))
    .option('--context <name>', 'Publish a saved context; repeatable', collect, [])
    .option('--discover', 'Publish devices that announce themselves', false)
    .option('--token-file <file>', 'Send devices the token in this file', pathOf('file'))
    .option('--ca <file>', 'Trust only this authority of devices (PEM)', pathOf('file'))
  const { commands, payload, sparkplugGroup, discovery } = PUBLISH_DEFAULTS
  return addLogOptions(addBrokerOptions(command))
    .option('--every <time>', 'Look at pins this often (default: 1s)', everyOf)
    .option('--dead-band <part>', 'Leave out smaller changes, as 1%', share)
    .option('--pause <time>', 'Shortest time between two messages of a value', duration)
    .addOption(new Option('--commands <which>', 'Take commands').choices(COMMAND_MODES).default(commands))
    .addOption(new Option('--payload <format>', 'Payload format').choices(PAYLOADS).default(payload))
    .option('--sparkplug-group <id>', 'Group of the edge nodes', groupId, sparkplugGroup)
    .addOption(new Option('--home-assistant [how]', 'Tell Home Assistant').choices(DISCOVERY_STYLES).preset(DISCOVERY_STYLES[0]))
    .option('--discovery <topic>', 'Prefix of discovery', topicPrefix, discovery)
    .option('--take-over', 'Publish devices that are published from elsewhere', false)
    .addHelpText(
      'after',
      examples(
        'bridge --mqtt mqtt://127.0.0.1 --url http://127.0.0.1:8080',
        'bridge --mqtt mqtts://broker.local --urls-file devices.txt',
      ),
    )
    .action((options: BridgeCommandOptions) => run(options))
}

/** Parser for addresses of devices: collects them. */
function collectUrl(text: string, before: readonly string[]): readonly string[] {
  try {
    return [...before, baseUrl(text).href]
  } catch (error) {
    if (error instanceof ClientError) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text]
}

function everyOf(text: string): number {
  const ms = duration(text)
  if (ms >= SHORTEST_EVERY_MS) return ms
  throw new InvalidArgumentError(`write a duration of at least ${SHORTEST_EVERY_MS}ms.`)
}

function groupId(text: string): string {
  if (NAME.test(text)) return text
  throw new InvalidArgumentError('write 1…64 letters, digits, dots, dashes or underscores.')
}

function topicPrefix(text: string): string {
  if (PREFIX.test(text)) return text
  throw new InvalidArgumentError('write 1…128 letters, digits, dots, dashes, underscores or slashes between them.')
}
