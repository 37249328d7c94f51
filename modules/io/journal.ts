import type { ReplyOf } from '@slotwire/contract'
import { type EndedWriteOf, moduleJournal } from '@slotwire/service'
import { ioContract, type PinState } from './contract.ts'
import { PIN_COUNT } from './limits.ts'

type Writes = (typeof ioContract)['endpoints']
type BodyOf<Name extends keyof Writes> = EndedWriteOf<Writes[Name]>['body']
const UNKNOWN = 'unknown' as const

interface IoState {
  readonly pins: readonly PinState[]
}

/** A change of mode resets the pin; spec "IO pin modes". */
const cleared = { output: null, trigger: null, counter: 'disabled' } as const
const lost = { mode: UNKNOWN, output: UNKNOWN, trigger: UNKNOWN, counter: UNKNOWN } as const
const allPins = (state: Omit<PinState, 'pin'>, powers: readonly PinState['power'][] = []): IoState => ({
  pins: Array.from({ length: PIN_COUNT }, (_, index) => ({ pin: index + 1, ...state, power: powers[index] ?? state.power })),
})
const unknown = allPins({ ...lost, power: UNKNOWN })
const initial = { mode: 'analog', ...cleared, power: null } as const
/** The pin falls back to analog input; spec "Events". */
const DISABLING = ['under_voltage_alert', 'high_voltage_alert', 'high_current_alert']

/** The state with one pin changed. */
function withPin({ pins }: IoState, number: number, change: (pin: PinState) => Partial<PinState>): IoState {
  const pin = pins[number - 1]
  return pin === undefined ? { pins } : { pins: pins.with(number - 1, { ...pin, ...change(pin) }) }
}

/** Reducer of a write to one pin. A write that failed may have changed all but the power of the pin. */
function pinWrite<Body extends { readonly pin: number }>(change: (body: Body, pin: PinState) => Partial<PinState>) {
  return (state: IoState, { body, reply }: { readonly body: Body; readonly reply: unknown }) => ({
    state: withPin(state, body.pin, (pin) => (reply === undefined ? lost : change(body, pin))),
  })
}

/** What the journal shows of an io module: its pins, which no endpoint of the specification can read back. */
export const ioJournal = moduleJournal(ioContract, {
  initial: () => allPins(initial),
  unknown,
  writes: {
    // The module restarts if the power is granted.
    setPowerConfiguration: (_state, { body, reply }: EndedWriteOf<Writes['setPowerConfiguration']>) => {
      if (reply === undefined) return { state: unknown }
      return isGranted(reply) ? { state: allPins(initial, body.config) } : {}
    },
    setInputMode: pinWrite((body: BodyOf<'setInputMode'>) => ({ mode: body.mode, ...cleared })),
    setAnalogThreshold: pinWrite(({ pin: _, ...settings }: BodyOf<'setAnalogThreshold'>, { mode }) => {
      if (settings.trigger !== 'disabled') return { mode: 'analog', ...cleared, trigger: settings }
      return mode === 'analog' ? { trigger: null } : {}
    }),
    setDigitalInterrupt: pinWrite(({ pin: _, ...settings }: BodyOf<'setDigitalInterrupt'>, { mode }) => {
      if (settings.trigger !== 'disabled') return { mode: 'digital', output: null, trigger: settings }
      return mode === 'digital' ? { trigger: null } : {}
    }),
    setDigitalCounter: pinWrite(({ state }: BodyOf<'setDigitalCounter'>) =>
      state === 'enabled' ? { mode: 'digital', output: null, counter: state } : { counter: state },
    ),
    setOutputState: pinWrite(({ state }: BodyOf<'setOutputState'>) => ({ mode: 'output', ...cleared, output: { state } })),
    setOutputPwm: pinWrite(({ pin: _, ...settings }: BodyOf<'setOutputPwm'>) =>
      settings.time_on === 0
        ? { mode: 'output', ...cleared, output: { state: 'low' } }
        : { mode: 'pwm', ...cleared, output: settings },
    ),
  },
  alert: (state, { place, alerts }) =>
    alerts.some((alert) => DISABLING.includes(alert)) ? withPin(state, place, () => ({ mode: 'analog', ...cleared })) : state,
})

function isGranted({ status }: ReplyOf<Writes['setPowerConfiguration']>): boolean {
  return status === 'success'
}
