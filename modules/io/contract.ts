import type { BodyOf, Contract, ValueOf } from '@slotwire/contract'
import {
  boolean,
  choice,
  integer,
  listOf,
  literal,
  named,
  objectOf,
  rangeText,
  reads,
  unsigned,
  when,
  writes,
} from '@slotwire/contract'
import { ioErrors } from './errors.ts'
import { ioLimits, PIN_COUNT, PWM_CLOCK_HZ, PWM_FREQUENCY_LIMIT_HZ } from './limits.ts'
import { checkPwm } from './rules.ts'

const pin = integer({ ...ioLimits.pin, description: 'number of the pin' })
const rails = Object.keys(ioLimits.currentMilliampere) as (keyof typeof ioLimits.currentMilliampere)[]

const powerConfigurationBody = named(
  'PowerConfiguration',
  objectOf({
    config: listOf(
      named(
        'PinPower',
        objectOf(
          {
            rail: choice(rails, { description: 'supply of the pin' }),
            current_milliampere: integer({
              min: Math.min(...rails.map((rail) => ioLimits.currentMilliampere[rail].min)),
              max: Math.max(...rails.map((rail) => ioLimits.currentMilliampere[rail].max)),
              unit: 'mA',
              range: rails.map((rail) => `${rangeText(ioLimits.currentMilliampere[rail])} on ${rail}`).join(', '),
              description: `highest current; up to ${rails.map((rail) => `${ioLimits.currentMilliampere[rail].max} mA on ${rail}`).join(', ')}`,
            }),
          },
          {
            rules: {
              allOf: rails.map((rail) =>
                when('rail', rail, { properties: { current_milliampere: integer(ioLimits.currentMilliampere[rail]) } }),
              ),
            },
          },
        ),
      ),
      { count: PIN_COUNT, onePer: 'pin', description: 'in the order of the pins' },
    ),
  }),
)

/** The limits of prescaler and period depend on each other; spec IO rule 5. */
const slowEnough = `with a pwm base frequency below ${PWM_FREQUENCY_LIMIT_HZ} Hz`
const pwmBody = objectOf({
  pin,
  prescaler: integer({
    ...ioLimits.prescaler,
    range: `${rangeText(ioLimits.prescaler)}, ${slowEnough}`,
    description: `a tick lasts (prescaler + 1) / ${PWM_CLOCK_HZ} s`,
  }),
  time_on: integer({
    ...ioLimits.pwmTimeOn,
    range: `${rangeText(ioLimits.pwmTimeOn)}, less than period`,
    description: 'ticks per cycle that the pin is high; less than period',
  }),
  period: integer({
    ...ioLimits.pwmPeriod,
    range: `${rangeText(ioLimits.pwmPeriod)}, ${slowEnough}`,
    description: 'ticks per cycle',
  }),
})

/** The io service: six configurable pins; spec "IO service". */
export const ioContract = {
  service: 'io',
  serviceName: 'io-module',
  port: 8002,
  title: 'IO module',
  description: 'Six configurable pins: analog and digital inputs, outputs, pwm.',
  defaultSlots: [3, 5],
  endpoints: {
    setPowerConfiguration: {
      ...writes,
      path: '/power-management',
      body: powerConfigurationBody,
      reply: named(
        'PowerDecision',
        objectOf({
          status: choice(['success', 'denied'], { description: 'whether the power budget of the device allows it' }),
          too_much_power: named(
            'TooMuchPower',
            objectOf(
              {
                rail_3v3_milliwatt: unsigned({ unit: 'mW' }),
                rail_5v0_milliwatt: unsigned({ unit: 'mW' }),
                rail_12v_milliwatt: unsigned({ unit: 'mW' }),
              },
              { description: 'what is missing on each rail' },
            ),
          ),
        }),
      ),
      summary: 'Asks for the power configuration of all pins',
      description: 'If granted, the module restarts: all pins are analog inputs. If denied, nothing changes.',
      spec: 'IO service, rule 6; Power configuration preconditions',
      example: { config: Array.from({ length: PIN_COUNT }, () => ({ rail: '5_volt', current_milliampere: 50 })) },
    },
    setOutputState: {
      ...writes,
      path: '/output/state',
      body: objectOf({ pin, state: choice(['high', 'low']) }),
      summary: 'Drives a pin high or low',
      description: 'Needs a power configuration. On a pin that is an output already only the level changes.',
      errors: [ioErrors.powerConfigurationMissing, ioErrors.externalVoltage],
      spec: 'IO service; IO pin modes; Power configuration preconditions',
      example: { pin: 1, state: 'high' },
    },
    getInputValues: {
      ...reads,
      path: '/input/values',
      reply: named(
        'PinValues',
        objectOf({
          pins: listOf(
            named(
              'PinValue',
              objectOf({
                pin,
                pin_type: choice(['voltage_millivolt', 'digital_input', 'frequency_hertz'], {
                  description: 'what the mode of the pin gives',
                }),
                value: unsigned({ description: 'millivolt, 0 or 1, or Hertz, as pin_type says' }),
              }),
            ),
            { count: PIN_COUNT, onePer: 'pin' },
          ),
        }),
      ),
      caching: 'one-second',
      summary: 'Reads all pins',
      description: 'The voltage of an output is the level at the pin, which depends on load and frequency.',
      spec: 'IO service, rule 7; Pin value',
    },
    setOutputPwm: {
      ...writes,
      path: '/output/pwm',
      body: pwmBody,
      summary: 'Drives a pin with a pwm signal',
      description: 'Needs a power configuration. The base frequency, clock / (prescaler + 1) / period, must be below 1 MHz.',
      errors: [ioErrors.powerConfigurationMissing, ioErrors.externalVoltage],
      spec: 'IO service, rule 5; IO pin modes; Power configuration preconditions',
      example: { pin: 1, prescaler: 47, time_on: 250, period: 1000 },
      check: (body: ValueOf<typeof pwmBody>) => checkPwm(body),
    },
    getInputCurrents: {
      ...reads,
      path: '/input/values/current',
      reply: named(
        'PinCurrents',
        objectOf({
          pins: listOf(
            named('PinCurrent', objectOf({ pin, pin_type: literal('current_milliampere'), value: unsigned({ unit: 'mA' }) })),
            {
              count: PIN_COUNT,
              onePer: 'pin',
            },
          ),
        }),
      ),
      caching: 'one-second',
      summary: 'Reads the current of all pins',
      description:
        'In every mode. It includes the loss of the switching transistor: subtract the reading of the unloaded output.',
      spec: 'IO service, rule 7; Pin value',
    },
    setInputMode: {
      ...writes,
      path: '/input/mode',
      body: objectOf({ pin, mode: choice(['analog', 'digital']) }),
      summary: 'Makes a pin an analog or digital input',
      description: 'The configuration of the pin is reset, its threshold, interrupt and counter included.',
      spec: 'IO service; IO pin modes',
      example: { pin: 2, mode: 'digital' },
    },
    setDigitalInterrupt: {
      ...writes,
      path: '/input/digital/interrupt',
      body: objectOf({
        pin,
        debounce_time_milliseconds: integer({
          ...ioLimits.debounceMs,
          description: 'after a trigger all events are ignored for so long; 20 ms or more are recommended, 250 ms suit buttons',
        }),
        trigger: choice(['disabled', 'rising', 'falling', 'pulse']),
      }),
      summary: 'Watches the level of a digital input',
      description: 'The pin must be in digital mode, unless trigger is disabled. Each event raises custom_voltage_alert.',
      errors: [ioErrors.pinNotDigital],
      spec: 'IO service, rules 2, 3 and 4',
      example: { pin: 2, debounce_time_milliseconds: 20, trigger: 'rising' },
    },
    setDigitalCounter: {
      ...writes,
      path: '/input/digital/counter',
      body: objectOf({ pin, state: choice(['enabled', 'disabled']) }),
      summary: 'Counts the frequency at a digital input',
      description: 'The pin must be in digital mode, unless state is disabled. The frequency is readable with GET input/values.',
      errors: [ioErrors.pinNotDigital],
      spec: 'IO service, rule 3; IO pin modes',
      example: { pin: 2, state: 'enabled' },
    },
    setAnalogThreshold: {
      ...writes,
      path: '/input/analog/threshold',
      body: objectOf({
        pin,
        threshold_millivolt: integer(ioLimits.thresholdMillivolt),
        trigger: choice(['disabled', 'rising', 'falling']),
      }),
      summary: 'Watches the voltage of an analog input',
      description: 'The pin must be in analog mode, unless trigger is disabled. Each event raises custom_voltage_alert.',
      errors: [ioErrors.pinNotAnalog],
      spec: 'IO service, rules 1 and 3',
      example: { pin: 3, threshold_millivolt: 1500, trigger: 'rising' },
    },
    getNotification: {
      ...reads,
      path: '/notification/{pin}',
      parameters: { pin: { ...ioLimits.pin, description: 'number of the pin', example: 2 } },
      reply: named(
        'Notification',
        objectOf({
          under_voltage_alert: boolean({ description: 'the pin is disabled and falls back to analog input' }),
          high_voltage_alert: boolean({ description: 'the pin is disabled and falls back to analog input' }),
          high_current_alert: boolean({ description: 'the pin is disabled and falls back to analog input' }),
          custom_voltage_alert: boolean({
            description: 'an analog threshold or a digital interrupt; the pin stays as configured',
          }),
        }),
      ),
      effect: 'deliver',
      summary: "Reads and clears a pin's pending alerts",
      description:
        'Events merge until they are read; reading them clears those of this pin. Poll it to notice outside errors. An event ' +
        'is usually readable 20 ms after it happened.',
      spec: 'IO service, rules 4 and 8; Events',
    },
  },
} as const satisfies Contract

type Endpoints = typeof ioContract.endpoints
type PinSetting<Name extends keyof Endpoints> = Omit<BodyOf<Endpoints[Name]>, 'pin'>

/** A pin as last acknowledged in its session; docs/guide/events.md, "The state". Settings have the fields of the body that makes them; `null`: none. */
export interface PinState {
  readonly pin: number
  readonly mode: 'analog' | 'digital' | 'output' | 'pwm' | 'unknown'
  readonly output: PinSetting<'setOutputState'> | PinSetting<'setOutputPwm'> | null | 'unknown'
  readonly trigger: PinSetting<'setAnalogThreshold'> | PinSetting<'setDigitalInterrupt'> | null | 'unknown'
  readonly counter: BodyOf<Endpoints['setDigitalCounter']>['state'] | 'unknown'
  readonly power: BodyOf<Endpoints['setPowerConfiguration']>['config'][number] | null | 'unknown'
}
