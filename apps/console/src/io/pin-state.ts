import type { EndpointName, InputFor } from '../store/device-types.ts'

/** The requests that set something. */
export type Endpoint = Extract<EndpointName<'io'>, `set${string}`>
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
  return settingWith('state', output)?.state
}

export function pwmOf({ output }: PinState): PwmSetting | undefined {
  return settingWith('period', output)
}

export function thresholdOf({ trigger }: PinState): Body<'setAnalogThreshold'> | undefined {
  return settingWith('threshold_millivolt', trigger)
}

export function interruptOf({ trigger }: PinState): Body<'setDigitalInterrupt'> | undefined {
  return settingWith('debounce_time_milliseconds', trigger)
}

/** The setting if it is known, and of the kind with this field. */
function settingWith<Setting extends object, Field extends string>(
  field: Field,
  setting: Setting | null | Unknown,
): Extract<Setting, Readonly<Record<Field, unknown>>> | undefined {
  const isOfKind = setting !== null && setting !== 'unknown' && field in setting
  return isOfKind ? (setting as Extract<Setting, Readonly<Record<Field, unknown>>>) : undefined
}

/** The configuration of all pins; undefined: unknown, or none. */
export function powerOf(pins: readonly PinState[]): PowerConfig | undefined {
  const config = pins.map(({ power }) => power).filter((power) => power !== null && power !== 'unknown')
  return config.length > 0 && config.length === pins.length ? config : undefined
}
