import { interruptOf, levelOf, type PinEndpoint, type PinInput, type PinState, powerOf, pwmOf, thresholdOf } from './pin-state.ts'

/** A request that makes a setting again. */
export type RestoreStep = {
  readonly [Name in PinEndpoint]: { readonly endpoint: Name; readonly input: PinInput<Name> }
}[PinEndpoint]

/** What must be sent, in this order, so that the pins are as they were before. Empty: nothing is missing, or nothing is known. */
export function stepsBack(before: readonly PinState[], now: readonly PinState[]): readonly RestoreStep[] {
  const config = powerOf(before)
  const isPowered = config === undefined || isSame(config, powerOf(now))
  const power: readonly RestoreStep[] = isPowered ? [] : [{ endpoint: 'setPowerConfiguration', input: { config } }]
  // A power configuration makes all pins analog inputs.
  const isKept = (pin: PinState): boolean => {
    const other = now.find((each) => each.pin === pin.pin)
    return isPowered && other !== undefined && isSame({ ...pin, power: null }, { ...other, power: null })
  }
  return [...power, ...before.filter((pin) => !isKept(pin)).flatMap(pinSteps)]
}

/** Whether something is set that a new session loses. */
export function hasSettings(pins: readonly PinState[]): boolean {
  return stepsBack(pins, []).length > 0
}

function pinSteps(state: PinState): readonly RestoreStep[] {
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
  const steps: RestoreStep[] = [{ endpoint: 'setInputMode', input: { pin, mode } }]
  if (interrupt !== undefined) steps.push({ endpoint: 'setDigitalInterrupt', input: { pin, ...interrupt } })
  if (counter === 'enabled') steps.push({ endpoint: 'setDigitalCounter', input: { pin, state: counter } })
  return steps
}

/** Whether two settings are the same; the order of their fields does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted)
}

function sorted(_: string, part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
}
