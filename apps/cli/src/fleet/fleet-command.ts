import { type Broker, commandAll, type FleetDevice, readFleet, selected } from '@slotwire/bridge'
import { sessionIdentifier, systemRandom } from '@slotwire/core'
import { Command } from 'commander'
import { MqttBroker } from '../bridge/mqtt-broker.ts'
import { addBrokerOptions, type BrokerOptions, brokerAccess, mqttPackage } from '../bridge/mqtt-options.ts'
import { formatRows } from '../remote/output.ts'
import { duration } from '../remote/values.ts'
import { jsonOption } from '../state/state-option.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { examples } from '../terminal/help.ts'
import { hintLog } from '../terminal/hint-log.ts'
import { UsageError } from '../terminal/usage-error.ts'

interface FleetOptions extends BrokerOptions {
  readonly fleet: string
  readonly json: boolean
}

type FleetContext = CommandContext & { readonly setExitCode: (code: number) => void }

/** Longest time until the broker is connected, in milliseconds. */
const CONNECT_MS = 5000
const DEFAULT_EXPIRY_MS = 5000
const MS_PER_SECOND = 1000
const NONCE_LENGTH = 16
const PARTIAL_EXIT_CODE = 1

/** `slotwire fleet status|command`. */
export function fleetCommand(context: FleetContext): Command {
  const command = new Command('fleet')
    .description('See and command the devices on an MQTT broker')
    .addHelpText(
      'after',
      examples('fleet status --mqtt mqtt://127.0.0.1', 'fleet command all io/3/pin/1 high --mqtt mqtt://127.0.0.1'),
    )
  const subcommand = (name: string, description: string, ...lines: readonly string[]): Command =>
    addBrokerOptions(command.command(name).description(description))
      .option('--fleet <name>', 'Fleet of the bridges', 'default')
      .addOption(jsonOption())
      .addHelpText('after', examples(...lines))
  subcommand('status', 'List bridges and devices', 'fleet status --mqtt mqtt://127.0.0.1').action((options: FleetOptions) =>
    withBroker(options, context, async (broker) => {
      const fleet = await readFleet(broker, options.fleet, context.clock)
      if (options.json) return context.print(`${JSON.stringify(fleet)}\n`)
      const bridges = fleet.bridges.map(({ name, isThere }) => {
        const own = fleet.devices.filter(({ bridge }) => bridge === name)
        const available = own.filter(({ isAvailable }) => isAvailable).length
        return { bridge: name, state: isThere ? 'online' : 'offline', devices: own.length, available }
      })
      if (bridges.length === 0) context.hint(`There is no bridge of the fleet ${options.fleet} at this broker.\n`)
      context.print(formatRows(bridges, 'table'))
      context.print(formatRows(fleet.devices.map(rowOf), 'table'))
    }),
  )
  subcommand(
    'command',
    'Set something on several devices',
    'fleet command all io/3/pin/1 high --mqtt mqtt://127.0.0.1',
    'fleet command 6fce1 power/1/fan/mode auto --mqtt mqtt://127.0.0.1',
  )
    .argument('<selector>', 'all, bridge=<name> or digits of a machine id')
    .argument('<path>', 'what to set, as in io/3/pin/1')
    .argument('<word>', 'what it becomes, as in high')
    .option('--expiry <time>', 'Give up after (default: 5s)', duration)
    .action((selector: string, path: string, word: string, options: FleetOptions & { readonly expiry?: number }) =>
      withBroker(options, context, async (broker) => {
        if (/[+#]/.test(path)) throw new UsageError('the path names one thing: + and # are not possible')
        const { devices } = await readFleet(broker, options.fleet, context.clock)
        const chosen = selected(devices, selector)
        if (chosen === undefined)
          throw new UsageError(
            `${selector} fits no device: the fleet ${options.fleet} has ${devices.length}, and only bridges without --payload sparkplug list them`,
          )
        const expirySeconds = Math.max(1, Math.round((options.expiry ?? DEFAULT_EXPIRY_MS) / MS_PER_SECOND))
        const nonce = sessionIdentifier(systemRandom).slice(0, NONCE_LENGTH)
        const outcomes = await commandAll(broker, chosen, { path, word, expirySeconds, nonce, clock: context.clock })
        const failed = outcomes.filter(({ result }) => result !== 'success').length
        const rows = outcomes.map(({ id, result, message }) => ({ device: id, result, message }))
        context.print(formatRows(rows, options.json ? 'json' : 'table', outcomes))
        context.hint(`${outcomes.length - failed} of ${outcomes.length} devices did it.\n`)
        if (failed > 0) context.setExitCode(PARTIAL_EXIT_CODE)
      }),
    )
  return command
}

const rowOf = ({ id, url, bridge, isAvailable }: FleetDevice) => ({
  device: id,
  bridge,
  state: isAvailable ? 'online' : 'offline',
  url,
})

/** Connects, runs `work`, and closes. Throws `UsageError` without a connection. */
async function withBroker(options: BrokerOptions, context: FleetContext, work: (broker: Broker) => Promise<void>): Promise<void> {
  const { clock } = context
  const access = brokerAccess(options, context.environment)
  const mqtt = await mqttPackage()
  const name = `fleet-${sessionIdentifier(systemRandom).slice(0, NONCE_LENGTH)}`
  const role = { suffix: '', will: () => undefined }
  const broker = new MqttBroker({ mqtt, access, name, role, clock, random: systemRandom, log: hintLog(context.hint) })
  try {
    await new Promise<void>((resolve, reject) => {
      const remedy = 'check the address, the user and the certificates'
      const late = clock.after(CONNECT_MS, () =>
        reject(new UsageError(`the broker ${access.shown} cannot be reached: ${remedy}`)),
      )
      broker.onChange((isConnected) => {
        if (!isConnected) return
        late.cancel()
        resolve()
      })
    })
    await work(broker)
  } finally {
    await broker.close()
  }
}
