import { Argument, type Command, Option } from 'commander'
import type { Device } from '../client.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { words } from '../terminal/word.ts'
import { pinState, placeOf, powerText } from './pin-state.ts'
import type { RemoteContext } from './remote-context.ts'
import { type NamedTarget, namedTarget, type PinPowerText, pinPower, quantity, share, slotNumber, type Target } from './values.ts'
import { confirm, type DeviceCommandOptions, deviceCommand, withDevice } from './with-device.ts'

/** An argument with choices. */
const choice = (name: string, about: string, choices: readonly string[]): Argument => new Argument(name, about).choices(choices)
/** Pins of an io module. */
export const PIN_COUNT = 6
const DEBOUNCE_MS = 20
const PIN = 'slot and pin, as in 3/1, or its name'

type Pin = ReturnType<ReturnType<Device['io']>['pin']>

interface PinCall<Options> {
  readonly options: Options
  readonly signal: AbortSignal
  readonly device: Device
  readonly target: Target
}

/** A command that writes to one pin: `work` does it, and returns what to tell the user. */
function pinCommand<Value, Options extends DeviceCommandOptions = DeviceCommandOptions>(
  command: Command,
  context: RemoteContext,
  work: (pin: Pin, value: Value, call: PinCall<Options>) => Promise<string>,
): Command {
  return command.action((given: NamedTarget, value: Value, options: Options) =>
    withDevice(options, context, async (device, signal) => {
      const target = await placeOf(device, given, signal)
      const said = await work(device.io(target.slot).pin(target.pin), value, { options, signal, device, target })
      context.hint(`Pin ${target.slot}/${target.pin}: ${said}.\n`)
    }),
  )
}

interface PowerOptions extends DeviceCommandOptions {
  readonly power?: PinPowerText
  readonly keep: boolean
  readonly yes: boolean
}

const KEEP = ['--keep', 'Set all pins again: outputs go low shortly'] as const

/** Options of a command that drives a pin. */
const withPower = (command: Command): Command =>
  command
    .option('--power <rail/current>', 'Configure its power first, as 5V/50mA', pinPower)
    .option(...KEEP, false)
    .option('--yes', 'Do not ask', false)

/** `slotwire set 3/1 high --power 5V/50mA`. */
export function setCommand(context: RemoteContext): Command {
  const command = deviceCommand('set', 'Drive a pin high or low', 'set 3/1 high', 'set 3/1 high --power 5V/50mA --yes')
    .argument('<pin>', PIN, namedTarget)
    .addArgument(choice('<level>', 'level', ['high', 'low']))
  return pinCommand<'high' | 'low', PowerOptions>(withPower(command), context, async (pin, level, call) => {
    await addPower(call, context)
    await pin.output(level, { signal: call.signal })
    return level
  })
}

/** Configures the power of one pin, and keeps that of the others. Without `--keep` all pins become analog inputs: asks if some of them drive. */
async function addPower(
  { device, target: { slot, pin }, options: { power, keep, yes }, signal }: PinCall<PowerOptions>,
  context: RemoteContext,
): Promise<void> {
  if (power === undefined) {
    if (keep) throw new UsageError('--keep is for a power configuration: give --power, too')
    return
  }
  const state = await pinState(device, slot, signal)
  if (state.get(pin)?.power === powerText(power)) return
  const pins = Array.from({ length: PIN_COUNT }, (_, index) => index + 1)
  const others = pins.filter((each) => each !== pin)
  const named = (which: readonly number[]): string => which.map((each) => `${slot}/${each}`).join(', ')
  const driven = others.filter((each) => state.get(each)?.isDriven === true)
  const unknown = others.filter((each) => state.get(each)?.configuration === undefined)
  const effects = [
    keep || driven.length === 0 ? '' : `: ${named(driven)} will stop driving`,
    unknown.length === 0 ? '' : `; the power of ${named(unknown)} is not known and becomes 0 mA`,
  ].join('')
  if (effects !== '') await confirm(`The power configuration makes all pins of slot ${slot} inputs${effects}.`, yes, context)
  const none = { rail: power.rail, current_milliampere: 0 }
  await device.io(slot).power(
    pins.map((each) => (each === pin ? power : (state.get(each)?.configuration ?? none))),
    { signal, keep: keep && others },
  )
}

/** `slotwire mode 3/2 digital`. */
export function modeCommand(context: RemoteContext): Command {
  const command = deviceCommand('mode', 'Make a pin an input', 'mode 3/2 digital')
    .argument('<pin>', PIN, namedTarget)
    .addArgument(choice('<mode>', 'mode', ['analog', 'digital']))
  return pinCommand<'analog' | 'digital'>(command, context, async (pin, mode, { signal }) => {
    await pin.mode(mode, { signal })
    return `${mode} input`
  })
}

/** `slotwire pwm 3/1 1kHz 25%`. */
export function pwmCommand(context: RemoteContext): Command {
  return withPower(
    deviceCommand('pwm', 'Drive a pin with a pwm signal', 'pwm 3/1 1kHz 25%', 'pwm 3/1 1kHz 25% --power 5V/50mA --yes'),
  )
    .argument('<pin>', PIN, namedTarget)
    .argument('<frequency>', 'as in 1kHz', quantity('frequency', 'Hz'))
    .argument('<duty>', 'part of the time that it is high, as in 25%', share('duty'))
    .action((given: NamedTarget, frequencyHz: number, duty: number, options: PowerOptions) =>
      withDevice(options, context, async (device, signal) => {
        const target = await placeOf(device, given, signal)
        await addPower({ device, target, options, signal }, context)
        const {
          prescaler,
          time_on: timeOn,
          period,
        } = await device.io(target.slot).pin(target.pin).pwm({ frequencyHz, duty }, { signal })
        context.hint(`Pin ${target.slot}/${target.pin}: pwm with prescaler ${prescaler}, time_on ${timeOn}, period ${period}.\n`)
      }),
    )
}

const trigger = (edges: readonly string[]) => new Option('--trigger <edge>', 'On edge').choices(edges)

/** `slotwire threshold 3/3 1.5V --trigger rising`. */
export function thresholdCommand(context: RemoteContext): Command {
  type Options = DeviceCommandOptions & { readonly trigger: 'rising' | 'falling' | 'disabled' }
  const command = deviceCommand('threshold', 'Watch the voltage of an analog input', 'threshold 3/3 1.5V --trigger rising')
    .argument('<pin>', PIN, namedTarget)
    .argument('<voltage>', 'as in 1.5V or 1500mV', quantity('voltage', 'mV'))
    .addOption(trigger(['rising', 'falling', 'disabled']).default('rising'))
  return pinCommand<number, Options>(command, context, async (pin, millivolt, { options, signal }) => {
    await pin.threshold({ threshold_millivolt: millivolt, trigger: options.trigger }, { signal })
    return `threshold ${millivolt} mV ${options.trigger}`
  })
}

/** `slotwire interrupt 3/2 --trigger rising --debounce 20ms`. */
export function interruptCommand(context: RemoteContext): Command {
  type Options = DeviceCommandOptions & {
    readonly trigger: 'rising' | 'falling' | 'pulse' | 'disabled'
    readonly debounce?: number
  }
  return deviceCommand('interrupt', 'Watch the level of a digital input', 'interrupt 3/2 --trigger falling --debounce 250ms')
    .argument('<pin>', PIN, namedTarget)
    .addOption(trigger(['rising', 'falling', 'pulse', 'disabled']).default('rising'))
    .option('--debounce <time>', 'Ignore events after one for (default: 20ms)', quantity('debounce', 'ms'))
    .action((given: NamedTarget, options: Options) =>
      withDevice(options, context, async (device, signal) => {
        const target = await placeOf(device, given, signal)
        const { trigger: edge, debounce = DEBOUNCE_MS } = options
        const pin = device.io(target.slot).pin(target.pin)
        await pin.interrupt({ trigger: edge, debounce_time_milliseconds: debounce }, { signal })
        context.hint(`Pin ${target.slot}/${target.pin}: interrupt ${edge}, debounce ${debounce} ms.\n`)
      }),
    )
}

/** `slotwire counter 3/2 enabled`. */
export function counterCommand(context: RemoteContext): Command {
  const command = deviceCommand('counter', 'Count the frequency at a digital input', 'counter 3/2 enabled')
    .argument('<pin>', PIN, namedTarget)
    .addArgument(choice('<state>', 'state', ['enabled', 'disabled']))
  return pinCommand<'enabled' | 'disabled'>(command, context, async (pin, state, { signal }) => {
    await pin.counter(state, { signal })
    return `counter ${state}`
  })
}

/** `slotwire power-config 3 5V/50mA …`. */
export function powerConfigCommand(context: RemoteContext): Command {
  const six = '5V/50mA 5V/50mA 5V/0mA 5V/0mA 12V/0mA 12V/0mA'
  return deviceCommand(
    'power-config',
    'Set the power configuration of six pins',
    `power-config 3 ${six} --yes`,
    'power-config 3 5V/50mA --keep',
  )
    .argument('<slot>', 'slot of the module, as in 3', slotNumber)
    .argument('<power...>', 'of pins 1 to 6, or one for all, as in 5V/50mA', words(pinPower))
    .option(...KEEP, false)
    .option('--yes', 'Do not ask', false)
    .action((slot: number, given: readonly PinPowerText[], options: PowerOptions) =>
      withDevice(options, context, async (device, signal) => {
        if (given.length !== 1 && given.length !== PIN_COUNT)
          throw new UsageError(`give the power of ${PIN_COUNT} pins, or one for all: these are ${given.length}`)
        const driven = [...(await pinState(device, slot, signal))]
          .filter(([, { isDriven }]) => isDriven)
          .map(([pin]) => `${slot}/${pin}`)
        const stop = driven.length === 0 ? '' : `: ${driven.join(', ')} will stop driving`
        if (!options.keep && (driven.length > 0 || !device.extensions))
          await confirm(`The power configuration makes all pins of slot ${slot} inputs${stop}.`, options.yes, context)
        const config = Array.from({ length: PIN_COUNT }, (_, index) => given[index] ?? (given[0] as PinPowerText))
        await device.io(slot).power(config, { signal, keep: options.keep })
        context.hint(`Slot ${slot}: ${config.map(powerText).join(' ')}.\n`)
      }),
    )
}
