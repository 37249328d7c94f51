import type { InputFor } from '../../store/device-types.ts'
import { interruptOf, levelOf, type PinState, type PowerConfig, powerOf, pwmOf, thresholdOf } from '../pin-state.ts'

type StepOf<
  Name extends
    | 'setInputMode'
    | 'setOutputState'
    | 'setOutputPwm'
    | 'setAnalogThreshold'
    | 'setDigitalInterrupt'
    | 'setDigitalCounter',
> = {
  readonly endpoint: Name
  readonly input: NonNullable<InputFor<'io', Name>[0]>
}

/** A request that makes a setting again. */
export type Step =
  | { readonly endpoint: 'setPowerConfiguration'; readonly input: { readonly config: PowerConfig } }
  | StepOf<'setInputMode'>
  | StepOf<'setOutputState'>
  | StepOf<'setOutputPwm'>
  | StepOf<'setAnalogThreshold'>
  | StepOf<'setDigitalInterrupt'>
  | StepOf<'setDigitalCounter'>

/** What must be sent, in this order, so that the pins are as they were before. Empty: nothing is missing, or nothing is known. */
export function stepsBack(before: readonly PinState[], now: readonly PinState[]): readonly Step[] {
  const config = powerOf(before)
  const isPowered = config === undefined || isSame(config, powerOf(now))
  const power: readonly Step[] = isPowered ? [] : [{ endpoint: 'setPowerConfiguration', input: { config } }]
  // A power configuration makes all pins analog inputs.
  const isKept = (pin: PinState): boolean =>
    isPowered &&
    isSet(
      pin,
      now.find((other) => other.pin === pin.pin),
    )
  return [...power, ...before.filter((pin) => !isKept(pin)).flatMap(pinSteps)]
}

/** Whether something is set that a new session loses. */
export function hasSettings(pins: readonly PinState[]): boolean {
  return stepsBack(pins, []).length > 0
}

function isSet(before: PinState, now: PinState | undefined): boolean {
  return now !== undefined && isSame({ ...before, power: null }, { ...now, power: null })
}

function pinSteps(state: PinState): readonly Step[] {
  const { pin, mode, counter } = state
  const [level, pwm, threshold, interrupt] = [levelOf(state), pwmOf(state), thresholdOf(state), interruptOf(state)]
  if (mode === 'output' && level !== undefined) return [{ endpoint: 'setOutputState', input: { pin, state: level } }]
  if (mode === 'pwm' && pwm !== undefined) return [{ endpoint: 'setOutputPwm', input: { pin, ...pwm } }]
  if (mode === 'analog' && threshold !== undefined)
    return [
      { endpoint: 'setInputMode', input: { pin, mode } },
      { endpoint: 'setAnalogThreshold', input: { pin, ...threshold } },
    ]
  if (mode !== 'digital') return []
  const steps: Step[] = [{ endpoint: 'setInputMode', input: { pin, mode } }]
  if (interrupt !== undefined) steps.push({ endpoint: 'setDigitalInterrupt', input: { pin, ...interrupt } })
  if (counter === 'enabled') steps.push({ endpoint: 'setDigitalCounter', input: { pin, state: counter } })
  return steps
}

/** Whether two settings are the same; the order of their fields does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}
