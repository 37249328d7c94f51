import { COMMAND_MODES, DISCOVERY_STYLES } from '@slotwire/bridge'
import { baseUrl, ClientError } from '@slotwire/client'
import { formed, wordOf } from '@slotwire/contract'
import { topicLevel } from '@slotwire/network'
import { Command, InvalidArgumentError, Option } from 'commander'
import { duration, share } from '../remote/values.ts'
import { addLogOptions, type LogOptions, pathOf } from '../run/option-values.ts'
import { examples } from '../terminal/command-context.ts'
import { word, words } from '../terminal/word.ts'
import { addBrokerOptions, PAYLOADS, PUBLISH_DEFAULTS, type PublishOptions } from './mqtt-options.ts'

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

const MIN_EVERY_MS = 50
const TOPIC_PREFIX = wordOf(
  formed('^(?=.{1,128}$)[\\w.-]+(/[\\w.-]+)*$', '1…128 letters, digits, dots, dashes or underscores, and slashes between them'),
)

/** The `bridge` command with its options. */
export function bridgeCommand(run: (options: BridgeCommandOptions) => Promise<void>): Command {
  const command = new Command('bridge')
    .description('Publish devices to an MQTT broker')
    .option('--url <url>', 'Publish this device; repeatable', collectUrl, [])
    .option('--urls-file <file>', 'Publish the devices in this file', pathOf('file'))
    .option('--context <name>', 'Publish a saved context; repeatable', words(String), [])
    .option('--discover', 'Publish devices that announce themselves', false)
    .option('--token-file <file>', 'Send devices the token in this file', pathOf('file'))
    .option('--ca <file>', 'Trust only this authority of devices (PEM)', pathOf('file'))
  const { commands, payload, sparkplugGroup, discovery } = PUBLISH_DEFAULTS
  return addLogOptions(addBrokerOptions(command))
    .option('--every <time>', 'Look at pins this often (default: 1s)', duration('every', MIN_EVERY_MS))
    .option('--dead-band <part>', 'Leave out smaller changes, as 1%', share('dead-band'))
    .option('--pause <time>', 'Shortest time between two messages of a value', duration('pause'))
    .addOption(new Option('--commands <which>', 'Take commands').choices(COMMAND_MODES).default(commands))
    .addOption(new Option('--payload <format>', 'Payload format').choices(PAYLOADS).default(payload))
    .option('--sparkplug-group <id>', 'Group of the edge nodes', word('sparkplug-group', topicLevel), sparkplugGroup)
    .addOption(new Option('--home-assistant [how]', 'Tell Home Assistant').choices(DISCOVERY_STYLES).preset(DISCOVERY_STYLES[0]))
    .option('--discovery <topic>', 'Prefix of discovery', word('discovery', TOPIC_PREFIX), discovery)
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
