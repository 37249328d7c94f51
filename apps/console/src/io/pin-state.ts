import { isRecord } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import type { EndpointName, InputFor, ModuleClientOf, ReplyTo } from '../store/device-types.ts'

/** The requests that set something. */
export type PinEndpoint = Extract<EndpointName<'io'>, `set${string}`>
export type PinInput<Name extends PinEndpoint> = NonNullable<InputFor<'io', Name>[0]>
export type PowerConfig = PinInput<'setPowerConfiguration'>['config']
export type PinPower = PowerConfig[number]
export type PwmSetting = Omit<PinInput<'setOutputPwm'>, 'pin'>
type Unknown = 'unknown'

/** What a pin can be set up as. */
export const PIN_MODES = ['analog', 'digital', 'output', 'pwm'] as const
export type PinMode = (typeof PIN_MODES)[number] | Unknown
/** What the mode of a pin gives: `pin_type`. */
export type PinType = ReplyTo<'io', 'getInputValues'>['pins'][number]['pin_type']
/** The unit of each type, as `Value` and `Chart` want it. */
export const UNITS: Readonly<Record<PinType, string>> = { voltage_millivolt: 'mV', digital_input: '', frequency_hertz: 'Hz' }

const { min: FIRST_PIN, max: LAST_PIN } = clients.io.contract.endpoints.getNotification.parameters.pin
export const pinNumbers: readonly number[] = Array.from({ length: LAST_PIN - FIRST_PIN + 1 }, (_, index) => FIRST_PIN + index)

type StepsBack = ModuleClientOf<'io'>['stepsBack']
/** A pin as last acknowledged in its session. `null`: not set. */
export type PinState = Parameters<StepsBack>[0][number]
/** A request that makes a setting again. */
export type RestoreStep = ReturnType<StepsBack>[number]

/** The pins in the state of an io module. */
export function pinsIn(state: Readonly<Record<string, unknown>>): readonly PinState[] {
  return (state['pins'] ?? []) as readonly PinState[]
}

/** The modes of the pins, by number. */
export function modesIn({ pins }: Readonly<Record<string, unknown>>): ReadonlyMap<number, PinMode> {
  const states = Array.isArray(pins) ? pins.filter(isRecord) : []
  return new Map(states.map(({ pin, mode }) => [Number(pin), PIN_MODES.find((each) => each === mode) ?? 'unknown']))
}

/** The setting of a pin if it is known, and of the kind with this field: `settingWith('period', output)`. */
export function settingWith<Setting extends object, Field extends string>(
  field: Field,
  setting: Setting | null | Unknown,
): Extract<Setting, Readonly<Record<Field, unknown>>> | undefined {
  const isOfKind = setting !== null && setting !== 'unknown' && field in setting
  return isOfKind ? (setting as Extract<Setting, Readonly<Record<Field, unknown>>>) : undefined
}
