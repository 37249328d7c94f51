import type { InputFor } from '../store/device-types.ts'

/** The requests that set something, with the power of all pins first. */
export type Endpoint =
  | 'setPowerConfiguration'
  | 'setInputMode'
  | 'setOutputState'
  | 'setOutputPwm'
  | 'setAnalogThreshold'
  | 'setDigitalInterrupt'
  | 'setDigitalCounter'
export type Input<Name extends Endpoint> = NonNullable<InputFor<'io', Name>[0]>
type Body<Name extends Exclude<Endpoint, 'setPowerConfiguration'>> = Omit<Input<Name>, 'pin'>
export type PowerConfig = Input<'setPowerConfiguration'>['config']
export type PinPower = PowerConfig[number]
export type PwmSetting = Body<'setOutputPwm'>
type Unknown = 'unknown'

/** A pin as last acknowledged in its session; docs/guide/events.md, "The state". `null`: not set. */
export interface PinState {
  readonly pin: number
  readonly mode: 'analog' | 'digital' | 'output' | 'pwm' | Unknown
  readonly output: Body<'setOutputState'> | PwmSetting | null | Unknown
  readonly trigger: Body<'setAnalogThreshold'> | Body<'setDigitalInterrupt'> | null | Unknown
  readonly counter: Body<'setDigitalCounter'>['state'] | Unknown
  readonly power: PinPower | null | Unknown
}

/** The pins in the state of an io module. */
export function pinsIn(state: Readonly<Record<string, unknown>>): readonly PinState[] {
  return (state['pins'] ?? []) as readonly PinState[]
}

/** Undefined: unknown, or not an output. */
export function levelOf({ output }: PinState): 'high' | 'low' | undefined {
  return output !== null && output !== 'unknown' && 'state' in output ? output.state : undefined
}

export function pwmOf({ output }: PinState): PwmSetting | undefined {
  return output !== null && output !== 'unknown' && 'period' in output ? output : undefined
}

export function thresholdOf({ trigger }: PinState): Body<'setAnalogThreshold'> | undefined {
  return trigger !== null && trigger !== 'unknown' && 'threshold_millivolt' in trigger ? trigger : undefined
}

export function interruptOf({ trigger }: PinState): Body<'setDigitalInterrupt'> | undefined {
  return trigger !== null && trigger !== 'unknown' && 'debounce_time_milliseconds' in trigger ? trigger : undefined
}

/** The configuration of all pins; undefined: unknown, or none. */
export function powerOf(pins: readonly PinState[]): PowerConfig | undefined {
  const config = pins.map(({ power }) => power).filter((power) => power !== null && power !== 'unknown')
  return config.length > 0 && config.length === pins.length ? config : undefined
}
