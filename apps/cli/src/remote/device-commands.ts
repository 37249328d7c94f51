import { formatVersion } from '@slotwire/core'
import { io as ioContract } from '@slotwire/modules/contracts'
import { type Command, Option } from 'commander'
import { ClientError, type Device } from '../client.ts'
import { LIVE } from '../completion/completed-commands.ts'
import type { Row } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { Contexts } from './contexts.ts'
import { fieldRows, formatRows } from './output.ts'
import { PIN_COUNT } from './pin-commands.ts'
import { namedCells, namedPins, PIN_UNITS, pinState, placeOf } from './pin-state.ts'
import type { RemoteContext } from './remote-context.ts'
import { type NamedTarget, namedTarget, slotNumber } from './values.ts'
import { confirm, type DeviceCommandOptions, deviceCommand, withDevice } from './with-device.ts'

type Live = (typeof LIVE)[number]

type DevicesOptions = DeviceCommandOptions & { readonly complete?: Live }

/** `slotwire devices`. A hidden option prints words for the completion of a shell. */
export function devicesCommand(context: RemoteContext): Command {
  return deviceCommand('devices', 'List the modules of a device', 'devices', 'devices --url http://127.0.0.1:8080 --json')
    .addOption(new Option('--complete <what>').choices(LIVE).hideHelp())
    .action((options: DevicesOptions) => {
      if (options.complete !== undefined) return complete(options.complete, options, context)
      return withDevice(options, context, async (device, signal) => {
        const failures: ClientError[] = []
        const rows = await Promise.all(
          device.modules.map(async ({ slot, service, session }): Promise<Row> => {
            const found = await moduleAt(device, slot)
              .descriptor({ signal })
              .catch((error: unknown) => {
                if (!(error instanceof ClientError)) throw error
                failures.push(error)
              })
            const { product_name: product, vendor_product_id: type, serial_code: serial } = found ?? {}
            const firmware = found ? formatVersion(found.fw_version.version) : ''
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
async function complete(what: Live, options: DeviceCommandOptions, context: RemoteContext): Promise<void> {
  const quiet = { ...context, hint: () => undefined, setExitCode: () => undefined }
  try {
    if (what === 'contexts') return context.print(linesOf(Object.keys(new Contexts(context).read().contexts)))
    await withDevice({ ...options, deadline: COMPLETION_MS }, quiet, async (device, signal) => {
      const slots = device.modules
        .filter(({ service }) => what === 'slots' || service === ioContract.service)
        .map(({ slot }) => slot)
      const pins = Array.from({ length: PIN_COUNT }, (_, index) => index + 1)
      if (what === 'slots') return context.print(linesOf(slots.map(String)))
      // The scripts take a name with a space for two words.
      const names = (await namedPins(device, signal)).map(({ name }) => name).filter((name) => /^[\w.-]+$/.test(name))
      context.print(linesOf([...slots.flatMap((slot) => pins.map((pin) => `${slot}/${pin}`)), ...names]))
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
  }
}

const linesOf = (words: readonly string[]): string => words.map((word) => `${word}\n`).join('')

/** `slotwire descriptor 3`. */
export function descriptorCommand(context: RemoteContext): Command {
  return deviceCommand('descriptor', 'Show the descriptor of a module', 'descriptor 3')
    .argument('<slot>', 'slot of the module, as in 3', slotNumber)
    .action((slot: number, options: DeviceCommandOptions) =>
      withDevice(options, context, async (device, signal) => {
        const found = await moduleAt(device, slot).descriptor({ signal })
        context.print(
          formatRows(
            fieldRows(found, (name) => UNITS[name]),
            options.format,
            found,
          ),
        )
      }),
    )
}

const UNITS: Readonly<Record<string, string>> = {
  max_frame_size: 'bytes',
  max_power_12v: 'mW',
  max_power_5v0: 'mW',
  max_power_3v3: 'mW',
  max_sclk_speed: 'kHz',
}

/** `slotwire reset 3`. */
export function resetCommand(context: RemoteContext): Command {
  return deviceCommand('reset', 'Reset a module to its initial state', 'reset 3', 'reset 3 --yes')
    .argument('<slot>', 'slot of the module, as in 3', slotNumber)
    .option('--yes', 'Do not ask', false)
    .action((slot: number, options: DeviceCommandOptions & { readonly yes: boolean }) =>
      withDevice(options, context, async (device, signal) => {
        await confirm(
          `A reset of slot ${slot} loses all settings of the module: what it drives is switched off.`,
          options.yes,
          context,
        )
        await moduleAt(device, slot).reset({ signal })
        context.hint(`Reset slot ${slot}.\n`)
      }),
    )
}

/** `slotwire off`. It asks nothing: who types it is in a hurry. */
export function offCommand(context: RemoteContext): Command {
  return deviceCommand('off', 'Switch off: reset all io modules at once', 'off', 'off --force')
    .option('--force', 'Also slots that others leased', false)
    .action((options: DeviceCommandOptions & { readonly force: boolean }) =>
      withDevice(options, context, async (device, signal) => {
        const modules = await device.off({ force: options.force, signal })
        const rows = modules.map(({ slot, result, holder = '' }) => ({ slot, result, holder }))
        context.print(formatRows(rows, options.format, modules))
        if (rows.length === 0) context.hint('The device has no io module.\n')
        if (rows.some(({ result }) => result !== 'off')) context.setExitCode(1)
        if (rows.some(({ result }) => result === 'silent'))
          context.hint('Silent modules do not answer: check them, they may drive.\n')
        if (rows.some(({ result }) => result === 'leased')) context.hint('Leased slots were left alone: --force takes them.\n')
      }),
    )
}

/** `slotwire get 3/1`, `slotwire get 3`. */
export function getCommand(context: RemoteContext): Command {
  return deviceCommand('get', 'Read the pins of an io module', 'get 3', 'get 3/1 --json')
    .argument('<pin>', 'slot and pin, as in 3/1, its name, or a slot', (text: string) =>
      /^[^/\p{L}]*$/u.test(text) ? { slot: slotNumber(text) } : namedTarget(text),
    )
    .option('--fresh', 'Read now, not what the cache has (up to 1 s old)', false)
    .action((given: NamedTarget | { slot: number; pin?: number }, options: DeviceCommandOptions & { readonly fresh: boolean }) =>
      withDevice(options, context, async (device, signal) => {
        const target = typeof given === 'object' ? given : await placeOf(device, given, signal)
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
      }),
    )
}

/** The module in a slot, of any type. Throws `ClientError` for an empty slot. */
export function moduleAt(device: Device, slot: number) {
  const found = device.modules.find((module) => module.slot === slot)
  return device.module((found?.service ?? 'io') as 'io', slot)
}
