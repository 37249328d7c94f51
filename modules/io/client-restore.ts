import type { InputOf } from '@slotwire/client'
import type { ioContract, PinState } from './contract.ts'

type Endpoints = typeof ioContract.endpoints
type Unknown = 'unknown'

/** The requests that set something. */
type Setter = Extract<keyof Endpoints, `set${string}`>
/** A request that makes a setting again. */
export type RestoreStep = {
  readonly [Name in Setter]: { readonly endpoint: Name; readonly input: InputOf<Endpoints[Name]> }
}[Setter]

/**
 * What must be sent, in this order, so that the pins are as they were before: the power, inputs with their triggers, and then outputs.
 * Empty: nothing is missing, or nothing is known.
 */
export function stepsBack(before: readonly PinState[], now: readonly PinState[]): readonly RestoreStep[] {
  const config = before.map(({ power }) => power).filter(isSet)
  const isWhole = config.length > 0 && config.length === before.length
  const isPowered =
    !isWhole ||
    isSame(
      config,
      now.map(({ power }) => power),
    )
  // A power configuration makes all pins analog inputs.
  const lost = before.filter((pin) => {
    const other = now.find((each) => each.pin === pin.pin)
    return !isPowered || other === undefined || !isSame({ ...pin, power: null }, { ...other, power: null })
  })
  const power: readonly RestoreStep[] = isPowered ? [] : [{ endpoint: 'setPowerConfiguration', input: { config } }]
  return [...power, ...lost.flatMap(inputSteps), ...lost.flatMap(outputSteps)]
}

const WORDS: Readonly<Record<RestoreStep['endpoint'], string>> = {
  setPowerConfiguration: 'power',
  setOutputState: 'output',
  setOutputPwm: 'pwm',
  setInputMode: 'input',
  setAnalogThreshold: 'threshold',
  setDigitalInterrupt: 'interrupt',
  setDigitalCounter: 'counter',
}

/** For people: `pin 2 pwm`. */
export function stepText({ endpoint, input }: RestoreStep): string {
  return 'pin' in input ? `pin ${input.pin} ${WORDS[endpoint]}` : WORDS[endpoint]
}

function outputSteps({ pin, mode, output }: PinState): readonly RestoreStep[] {
  if ((mode !== 'output' && mode !== 'pwm') || !isSet(output)) return []
  return [
    'period' in output
      ? { endpoint: 'setOutputPwm', input: { pin, ...output } }
      : { endpoint: 'setOutputState', input: { pin, ...output } },
  ]
}

function inputSteps({ pin, mode, trigger, counter }: PinState): readonly RestoreStep[] {
  const threshold = isSet(trigger) && 'threshold_millivolt' in trigger ? trigger : undefined
  if (mode === 'analog' && threshold !== undefined)
    return [
      { endpoint: 'setInputMode', input: { pin, mode } },
      { endpoint: 'setAnalogThreshold', input: { pin, ...threshold } },
    ]
  if (mode !== 'digital') return []
  const steps: RestoreStep[] = [{ endpoint: 'setInputMode', input: { pin, mode } }]
  if (isSet(trigger) && 'debounce_time_milliseconds' in trigger)
    steps.push({ endpoint: 'setDigitalInterrupt', input: { pin, ...trigger } })
  if (counter === 'enabled') steps.push({ endpoint: 'setDigitalCounter', input: { pin, state: counter } })
  return steps
}

function isSet<Setting extends object>(setting: Setting | null | Unknown): setting is Setting {
  return setting !== null && setting !== 'unknown'
}

/** Whether two settings are the same; the order of their fields does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted)
}

function sorted(_: string, part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
}
