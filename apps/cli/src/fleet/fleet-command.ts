import { type Broker, commandAll, type DeviceStatus, forget, readFleet, selected } from '@slotwire/bridge'
import { messageOf, sessionIdentifier, systemRandom } from '@slotwire/core'
import { Command } from 'commander'
import { addBrokerOptions, type BrokerOptions, brokerAccess, PUBLISH_DEFAULTS } from '../bridge/mqtt-options.ts'
import { formatRows } from '../remote/output.ts'
import { duration } from '../remote/values.ts'
import { jsonOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { hintLog } from '../terminal/standard-log.ts'
import { UsageError } from '../terminal/usage-error.ts'

interface FleetOptions extends BrokerOptions {
  readonly json: boolean
}

/** Longest time until the broker is connected, in milliseconds. */
const CONNECT_MS = 5000
const DEFAULT_EXPIRY_MS = 5000
const MS_PER_SECOND = 1000
const NONCE_LENGTH = 16
const PARTIAL_EXIT_CODE = 1
/** Digits of a machine id in a table: enough to select the device. */
const SHOWN_DIGITS = 12
const SELECTOR = 'all or digits of a machine id'

/** `slotwire fleet status|command|forget`. */
export function fleetCommand(context: CommandContext): Command {
  const command = new Command('fleet')
    .description('See and command the devices on an MQTT broker')
    .addHelpText(
      'after',
      examples('fleet status --mqtt mqtt://127.0.0.1', 'fleet command all io/3/pin/1 high --mqtt mqtt://127.0.0.1'),
    )
  const subcommand = (name: string, description: string, ...lines: readonly string[]): Command =>
    addBrokerOptions(command.command(name).description(description))
      .addOption(jsonOption())
      .addHelpText('after', examples(...lines))
  const chosenOf = async (broker: Broker, selector: string): Promise<readonly DeviceStatus[]> => {
    const devices = await readFleet(broker, context.clock)
    const chosen = selected(devices, selector)
    if (chosen === undefined)
      throw new UsageError(
        `${selector} fits no device: this broker knows ${devices.length}, without those of --payload sparkplug`,
      )
    return chosen
  }
  subcommand('status', 'List the devices', 'fleet status --mqtt mqtt://127.0.0.1').action((options: FleetOptions) =>
    withBroker(options, context, async (broker) => {
      const devices = await readFleet(broker, context.clock)
      if (devices.length === 0) context.hint('There is no device at this broker.\n')
      const rows = devices.map(({ id, state, commands, url, host }) => ({ device: shown(id), state, commands, url, from: host }))
      context.print(formatRows(rows, options.json ? 'json' : 'table', devices))
    }),
  )
  subcommand(
    'command',
    'Set something on several devices',
    'fleet command all io/3/pin/1 high --mqtt mqtt://127.0.0.1',
    'fleet command 6fce1 power/1/fan/mode auto --mqtt mqtt://127.0.0.1',
  )
    .argument('<selector>', SELECTOR)
    .argument('<path>', 'what to set, as in io/3/pin/1')
    .argument('<word>', 'what it becomes, as in high')
    .option('--expiry <time>', 'Give up after (default: 5s)', duration('expiry'))
    .action((selector: string, path: string, word: string, options: FleetOptions & { readonly expiry?: number }) =>
      withBroker(options, context, async (broker) => {
        if (/[+#]/.test(path)) throw new UsageError('the path names one thing: + and # are not possible')
        const chosen = await chosenOf(broker, selector)
        const expirySeconds = Math.max(1, Math.round((options.expiry ?? DEFAULT_EXPIRY_MS) / MS_PER_SECOND))
        const nonce = sessionIdentifier(systemRandom).slice(0, NONCE_LENGTH)
        const outcomes = await commandAll(broker, chosen, { path, word, expirySeconds, nonce, clock: context.clock })
        const failed = outcomes.filter(({ result }) => result !== 'success').length
        const rows = outcomes.map(({ id, result, message }) => ({ device: shown(id), result, message }))
        context.print(formatRows(rows, options.json ? 'json' : 'table', outcomes))
        context.hint(`${outcomes.length - failed} of ${outcomes.length} devices did it.\n`)
        if (failed > 0) context.setExitCode(PARTIAL_EXIT_CODE)
      }),
    )
  subcommand('forget', 'Remove what the broker retains of devices that are offline', 'fleet forget 6fce1 --mqtt mqtt://127.0.0.1')
    .argument('<selector>', SELECTOR)
    .option('--discovery <topic>', 'Prefix of discovery', PUBLISH_DEFAULTS.discovery)
    .action((selector: string, { discovery, ...options }: FleetOptions & { readonly discovery: string }) =>
      withBroker(options, context, async (broker) => {
        const gone = (await chosenOf(broker, selector)).filter(({ state }) => state === 'offline')
        if (gone.length > 0) await forget(broker, gone, discovery, context.clock)
        const rows = gone.map(({ id }) => ({ device: shown(id), result: 'forgotten' }))
        context.print(formatRows(rows, options.json ? 'json' : 'table', gone))
        context.hint(`${gone.length} devices are forgotten. Devices that are online stay.\n`)
      }),
    )
  return command
}

const shown = (id: string): string => id.slice(0, SHOWN_DIGITS)

/** Connects, runs `work`, and closes. Throws `UsageError` without a connection. */
async function withBroker(
  options: BrokerOptions,
  context: CommandContext,
  work: (broker: Broker) => Promise<void>,
): Promise<void> {
  const { clock } = context
  const access = brokerAccess(options, context.environment)
  const { connectMqtt } = await import('../bridge/mqtt-connection.ts')
  const clientId = `fleet-${sessionIdentifier(systemRandom).slice(0, NONCE_LENGTH)}`
  const late = new AbortController()
  const timer = clock.after(CONNECT_MS, () => late.abort())
  const connect = connectMqtt({ access, clock, log: hintLog(context.hint) })
  const broker = await connect({ clientId, signal: late.signal })
    .catch((error: unknown) => {
      throw new UsageError(messageOf(error), { cause: error })
    })
    .finally(() => timer.cancel())
  try {
    await work(broker)
  } finally {
    await broker.close()
  }
}
