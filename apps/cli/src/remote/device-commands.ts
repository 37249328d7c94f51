import { formatVersion } from '@slotwire/core'
import { io as ioContract } from '@slotwire/modules/contracts'
import { type Command, Option } from 'commander'
import { ClientError, type Device } from '../client.ts'
import { LIVE } from '../completion/completed-commands.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import type { Row } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { Contexts } from './contexts.ts'
import { formatReply, formatRows } from './output.ts'
import { namedCells, namedPins, PIN_UNITS, PINS, pinState, placeOf } from './pin-state.ts'
import { namedTarget, slotNumber } from './values.ts'
import { confirm, type DeviceCall, type DeviceCommandOptions, deviceCommand, onDevice, withDevice } from './with-device.ts'

type Live = (typeof LIVE)[number]
const SLOT = ['<slot>', 'slot of the module, as in 3', slotNumber] as const

/** `slotwire devices`. A hidden option prints words for the completion of a shell. */
export function devicesCommand(context: CommandContext): Command {
  return deviceCommand('devices', 'List the modules of a device', 'devices', 'devices --url http://127.0.0.1:8080 --json')
    .addOption(new Option('--complete <what>').choices(LIVE).hideHelp())
    .action((options: DeviceCommandOptions & { readonly complete?: Live }) => {
      if (options.complete !== undefined) return complete(options.complete, options, context)
      return withDevice(options, context, async (device, signal) => {
        const failures: ClientError[] = []
        const rows = await Promise.all(
          device.modules.map(async ({ slot, service, session }): Promise<Row> => {
            const descriptor = await moduleAt(device, slot)
              .descriptor({ signal })
              .catch((error: unknown) => {
                if (!(error instanceof ClientError)) throw error
                failures.push(error)
              })
            const { product_name: product, vendor_product_id: type, serial_code: serial } = descriptor ?? {}
            const firmware = descriptor ? formatVersion(descriptor.fw_version.version) : ''
            const row = { slot, service, product, firmware, serial }
            return options.format === 'table' ? row : { ...row, type, session }
          }),
        )
        context.print(formatRows(rows, options.format))
        if (rows.length === 0) context.hint('The device has no usable module.\n')
        if (failures[0] !== undefined) throw failures[0]
      })
    })
}

/** A shell does not wait longer, in milliseconds. */
const COMPLETION_MS = 300

/** Prints slots, pins or contexts, a line each. Prints no errors: the user is typing. */
async function complete(what: Live, options: DeviceCommandOptions, context: CommandContext): Promise<void> {
  const quiet = { ...context, hint: () => undefined, setExitCode: () => undefined }
  const print = (lines: readonly (string | number)[]): void => context.print(lines.map((line) => `${line}\n`).join(''))
  try {
    if (what === 'contexts') return print(Object.keys(new Contexts(context).read().contexts))
    await withDevice({ ...options, deadline: COMPLETION_MS }, quiet, async (device, signal) => {
      if (what === 'slots') return print(device.modules.map(({ slot }) => slot))
      const slots = device.modules.flatMap(({ slot, service }) => (service === ioContract.service ? [slot] : []))
      // The scripts take a name with a space for two words.
      const names = (await namedPins(device, signal)).map(({ name }) => name).filter((name) => /^[\w.-]+$/.test(name))
      print([...slots.flatMap((slot) => PINS.map((pin) => `${slot}/${pin}`)), ...names])
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
  }
}

/** `slotwire descriptor 3`. */
export function descriptorCommand(context: CommandContext): Command {
  const command = deviceCommand('descriptor', 'Show the descriptor of a module', 'descriptor 3').argument(...SLOT)
  return onDevice(command, context, async ({ device, signal, options }: DeviceCall, slot: number) => {
    context.print(formatReply(await moduleAt(device, slot).descriptor({ signal }), options.format, UNITS))
  })
}

const UNITS = new Map([
  ['max_frame_size', 'bytes'],
  ['max_power_12v', 'mW'],
  ['max_power_5v0', 'mW'],
  ['max_power_3v3', 'mW'],
  ['max_sclk_speed', 'kHz'],
])

/** `slotwire reset 3`. */
export function resetCommand(context: CommandContext): Command {
  type Call = DeviceCall<DeviceCommandOptions & { readonly yes: boolean }>
  const command = deviceCommand('reset', 'Reset a module to its initial state', 'reset 3', 'reset 3 --yes')
    .argument(...SLOT)
    .option('--yes', 'Do not ask', false)
  return onDevice(command, context, async ({ device, signal, options }: Call, slot: number) => {
    const effect = `A reset of slot ${slot} loses all settings of the module: what it drives is switched off.`
    await confirm(effect, options.yes, context)
    await moduleAt(device, slot).reset({ signal })
    context.hint(`Reset slot ${slot}.\n`)
  })
}

/** `slotwire off`. It asks nothing: who types it is in a hurry. */
export function offCommand(context: CommandContext): Command {
  type Call = DeviceCall<DeviceCommandOptions & { readonly force: boolean }>
  const command = deviceCommand('off', 'Switch off: reset all io modules at once', 'off', 'off --force')
  command.option('--force', 'Also slots that others leased', false)
  return onDevice(command, context, async ({ device, signal, options }: Call) => {
    const modules = await device.off({ force: options.force, signal })
    const rows = modules.map(({ slot, result, holder = '' }) => ({ slot, result, holder }))
    const has = (outcome: (typeof rows)[number]['result']): boolean => rows.some(({ result }) => result === outcome)
    context.print(formatRows(rows, options.format, modules))
    if (rows.length === 0) context.hint('The device has no io module.\n')
    if (rows.some(({ result }) => result !== 'off')) context.setExitCode(1)
    if (has('silent')) context.hint('Silent modules do not answer: check them, they may drive.\n')
    if (has('leased')) context.hint('Leased slots were left alone: --force takes them.\n')
  })
}

type GetCall = DeviceCall<DeviceCommandOptions & { readonly fresh: boolean }>

/** `slotwire get 3/1`, `slotwire get 3`. */
export function getCommand(context: CommandContext): Command {
  const targetOf = (text: string) => (/^[^/\p{L}]*$/u.test(text) ? { slot: slotNumber(text), pin: undefined } : namedTarget(text))
  const command = deviceCommand('get', 'Read the pins of an io module', 'get 3', 'get 3/1 --json')
    .argument('<pin>', 'slot and pin, as in 3/1, its name, or a slot', targetOf)
    .option('--fresh', 'Read now, not what the cache has (up to 1 s old)', false)
  return onDevice(command, context, async ({ device, signal, options }: GetCall, typed: ReturnType<typeof targetOf>) => {
    const target = typeof typed === 'object' ? typed : await placeOf(device, typed, signal)
    const io = device.io(target.slot)
    // Throws for a pin that does not exist.
    if (target.pin !== undefined) io.pin(target.pin)
    const call = { signal, fresh: options.fresh }
    const [{ pins }, currents, state] = await Promise.all([
      io.inputValues(call),
      io.inputCurrents(call),
      pinState(device, target.slot, signal),
    ])
    const shown = pins.filter(({ pin }) => pin === (target.pin ?? pin))
    const areNamed = shown.some(({ pin }) => state.get(pin)?.named !== undefined)
    const rows = shown.map((reading): Row => {
      const { pin, pin_type, value } = reading
      const { mode, power, named } = state.get(pin) ?? {}
      const current = currents.pins.find((each) => each.pin === pin)
      return {
        pin: `${target.slot}/${pin}`,
        mode: mode ?? (device.extensions ? 'unknown' : ''),
        value,
        unit: PIN_UNITS[pin_type],
        current_ma: current?.value,
        power: power ?? '',
        ...(areNamed && namedCells(named, [reading, current], options.format)),
      }
    })
    context.print(formatRows(rows, options.format))
  })
}

/** The module in a slot, of any type. Throws `ClientError` for an empty slot. */
export function moduleAt(device: Device, slot: number) {
  const occupant = device.modules.find((module) => module.slot === slot)
  return device.module((occupant?.service ?? 'io') as 'io', slot)
}
