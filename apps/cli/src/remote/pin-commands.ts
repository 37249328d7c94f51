import { Argument, type Command, Option } from 'commander'
import type { Device } from '../client.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { words } from '../terminal/word.ts'
import { PINS, pinState, placeOf, powerText } from './pin-state.ts'
import { type NamedTarget, namedTarget, type PinPowerText, pinPower, quantity, share, slotNumber, type Target } from './values.ts'
import { confirm, type DeviceCall, type DeviceCommandOptions, deviceCommand, onDevice } from './with-device.ts'

/** An argument with choices. */
const choice = (name: string, about: string, choices: readonly string[]): Argument => new Argument(name, about).choices(choices)
const DEBOUNCE_MS = 20

interface PinCall<Options = DeviceCommandOptions> extends DeviceCall<Options>, Target {
  readonly of: ReturnType<ReturnType<Device['io']>['pin']>
}

/** A command that writes to one pin, which is its first argument. */
function pinCommand(name: string, description: string, ...lines: readonly string[]): Command {
  return deviceCommand(name, description, ...lines).argument('<pin>', 'slot and pin, as in 3/1, or its name', namedTarget)
}

/** Gives such a command its work, which returns what to tell the user. */
function onPin<Options extends DeviceCommandOptions, Arguments extends readonly unknown[]>(
  command: Command,
  context: CommandContext,
  work: (call: PinCall<Options>, ...rest: Arguments) => Promise<string>,
): Command {
  return onDevice(command, context, async (call: DeviceCall<Options>, typed: NamedTarget, ...rest: Arguments) => {
    const { slot, pin } = await placeOf(call.device, typed, call.signal)
    const done = await work({ ...call, slot, pin, of: call.device.io(slot).pin(pin) }, ...rest)
    context.hint(`Pin ${slot}/${pin}: ${done}.\n`)
  })
}

interface PowerOptions extends DeviceCommandOptions {
  readonly power?: PinPowerText
  readonly keep: boolean
  readonly yes: boolean
}

/** Options of a command that ends what other pins drive. */
const withKeep = (command: Command): Command =>
  command.option('--keep', 'Set all pins again: outputs go low shortly', false).option('--yes', 'Do not ask', false)

/** Options of a command that drives a pin. */
const withPower = (command: Command): Command =>
  withKeep(command.option('--power <rail/current>', 'Configure its power first, as 5V/50mA', pinPower))

/** `slotwire set 3/1 high --power 5V/50mA`. */
export function setCommand(context: CommandContext): Command {
  const command = pinCommand('set', 'Drive a pin high or low', 'set 3/1 high', 'set 3/1 high --power 5V/50mA --yes')
  const level = choice('<level>', 'level', ['high', 'low'])
  return onPin(withPower(command.addArgument(level)), context, async (call: PinCall<PowerOptions>, state: 'high' | 'low') => {
    await addPower(call, context)
    await call.of.output(state, { signal: call.signal })
    return state
  })
}

/** Configures the power of one pin, and keeps that of the others. Without `--keep` all pins become analog inputs: asks if some of them drive. */
async function addPower(
  { device, slot, pin, options: { power, keep, yes }, signal }: PinCall<PowerOptions>,
  context: CommandContext,
): Promise<void> {
  if (power === undefined) {
    if (keep) throw new UsageError('--keep is for a power configuration: give --power, too')
    return
  }
  const state = await pinState(device, slot, signal)
  if (state.get(pin)?.power === powerText(power)) return
  const others = PINS.filter((each) => each !== pin)
  const named = (which: readonly number[]): string => which.map((each) => `${slot}/${each}`).join(', ')
  const driven = others.filter((each) => state.get(each)?.isDriven === true)
  const unknown = others.filter((each) => state.get(each)?.configuration === undefined)
  const effects = [
    keep || driven.length === 0 ? '' : `: ${named(driven)} will stop driving`,
    unknown.length === 0 ? '' : `; the power of ${named(unknown)} is not known and becomes 0 mA`,
  ].join('')
  if (effects !== '') await confirm(`The power configuration makes all pins of slot ${slot} inputs${effects}.`, yes, context)
  const none = { rail: power.rail, current_milliampere: 0 }
  const config = PINS.map((each) => (each === pin ? power : (state.get(each)?.configuration ?? none)))
  await device.io(slot).power(config, { signal, keep: keep && others })
}

/** `slotwire mode 3/2 digital`. */
export function modeCommand(context: CommandContext): Command {
  const command = pinCommand('mode', 'Make a pin an input', 'mode 3/2 digital')
  const mode = choice('<mode>', 'mode', ['analog', 'digital'])
  return onPin(command.addArgument(mode), context, async ({ of, signal }: PinCall, kind: 'analog' | 'digital') => {
    await of.mode(kind, { signal })
    return `${kind} input`
  })
}

/** `slotwire pwm 3/1 1kHz 25%`. */
export function pwmCommand(context: CommandContext): Command {
  const lines = ['pwm 3/1 1kHz 25%', 'pwm 3/1 1kHz 25% --power 5V/50mA --yes']
  const command = pinCommand('pwm', 'Drive a pin with a pwm signal', ...lines)
    .argument('<frequency>', 'as in 1kHz', quantity('frequency', 'Hz'))
    .argument('<duty>', 'part of the time that it is high, as in 25%', share('duty'))
  return onPin(withPower(command), context, async (call: PinCall<PowerOptions>, frequencyHz: number, duty: number) => {
    await addPower(call, context)
    const { prescaler, time_on: timeOn, period } = await call.of.pwm({ frequencyHz, duty }, { signal: call.signal })
    return `pwm with prescaler ${prescaler}, time_on ${timeOn}, period ${period}`
  })
}

const trigger = (edges: readonly string[]) => new Option('--trigger <edge>', 'On edge').choices(edges).default('rising')

/** `slotwire threshold 3/3 1.5V --trigger rising`. */
export function thresholdCommand(context: CommandContext): Command {
  type Options = DeviceCommandOptions & { readonly trigger: 'rising' | 'falling' | 'disabled' }
  const command = pinCommand('threshold', 'Watch the voltage of an analog input', 'threshold 3/3 1.5V --trigger rising')
    .argument('<voltage>', 'as in 1.5V or 1500mV', quantity('voltage', 'mV'))
    .addOption(trigger(['rising', 'falling', 'disabled']))
  return onPin(command, context, async ({ of, options, signal }: PinCall<Options>, millivolt: number) => {
    await of.threshold({ threshold_millivolt: millivolt, trigger: options.trigger }, { signal })
    return `threshold ${millivolt} mV ${options.trigger}`
  })
}

/** `slotwire interrupt 3/2 --trigger rising --debounce 20ms`. */
export function interruptCommand(context: CommandContext): Command {
  type Edge = 'rising' | 'falling' | 'pulse' | 'disabled'
  type Options = DeviceCommandOptions & { readonly trigger: Edge; readonly debounce?: number }
  const line = 'interrupt 3/2 --trigger falling --debounce 250ms'
  const command = pinCommand('interrupt', 'Watch the level of a digital input', line)
    .addOption(trigger(['rising', 'falling', 'pulse', 'disabled']))
    .option('--debounce <time>', 'Ignore events after one for (default: 20ms)', quantity('debounce', 'ms'))
  return onPin(command, context, async ({ of, options, signal }: PinCall<Options>) => {
    const { trigger: edge, debounce = DEBOUNCE_MS } = options
    await of.interrupt({ trigger: edge, debounce_time_milliseconds: debounce }, { signal })
    return `interrupt ${edge}, debounce ${debounce} ms`
  })
}

/** `slotwire counter 3/2 enabled`. */
export function counterCommand(context: CommandContext): Command {
  const command = pinCommand('counter', 'Count the frequency at a digital input', 'counter 3/2 enabled')
  const state = choice('<state>', 'state', ['enabled', 'disabled'])
  return onPin(command.addArgument(state), context, async ({ of, signal }: PinCall, word: 'enabled' | 'disabled') => {
    await of.counter(word, { signal })
    return `counter ${word}`
  })
}

/** `slotwire power-config 3 5V/50mA …`. */
export function powerConfigCommand(context: CommandContext): Command {
  const six = 'power-config 3 5V/50mA 5V/50mA 5V/0mA 5V/0mA 12V/0mA 12V/0mA --yes'
  const command = deviceCommand('power-config', 'Set the power configuration of six pins', six, 'power-config 3 5V/50mA --keep')
    .argument('<slot>', 'slot of the module, as in 3', slotNumber)
    .argument('<power...>', 'of pins 1 to 6, or one for all, as in 5V/50mA', words(pinPower))
  type Call = DeviceCall<PowerOptions>
  return onDevice(withKeep(command), context, async (call: Call, slot: number, powers: readonly PinPowerText[]) => {
    const { device, signal, options } = call
    const [first, ...others] = powers
    if (first === undefined || (others.length > 0 && powers.length !== PINS.length))
      throw new UsageError(`give the power of ${PINS.length} pins, or one for all: these are ${powers.length}`)
    const driven = [...(await pinState(device, slot, signal))]
      .filter(([, { isDriven }]) => isDriven)
      .map(([pin]) => `${slot}/${pin}`)
    const stop = driven.length === 0 ? '' : `: ${driven.join(', ')} will stop driving`
    if (!options.keep && (driven.length > 0 || !device.extensions))
      await confirm(`The power configuration makes all pins of slot ${slot} inputs${stop}.`, options.yes, context)
    const config = PINS.map((_, index) => powers[index] ?? first)
    await device.io(slot).power(config, { signal, keep: options.keep })
    context.hint(`Slot ${slot}: ${config.map(powerText).join(' ')}.\n`)
  })
}
