import { describe, expect, it } from 'vitest'
import { stepsBack } from './client-restore.ts'
import type { PinState } from './contract.ts'

const power = { rail: '5_volt', current_milliampere: 50 } as const
const pwm = { prescaler: 0, time_on: 10, period: 100 }
const threshold = { threshold_millivolt: 1500, trigger: 'rising' } as const
const interrupt = { debounce_time_milliseconds: 20, trigger: 'pulse' } as const

function pins(...changes: Partial<PinState>[]): readonly PinState[] {
  return Array.from({ length: 6 }, (_, index) => ({
    pin: index + 1,
    mode: 'analog',
    output: null,
    trigger: null,
    counter: 'disabled',
    power: null,
    ...changes[index],
  }))
}
const all = (change: Partial<PinState>) => pins(...Array.from({ length: 6 }, () => change))
const unknown = all({ mode: 'unknown', output: 'unknown', trigger: 'unknown', counter: 'unknown', power: 'unknown' })
const names = (before: readonly PinState[], now: readonly PinState[]) =>
  stepsBack(before, now).map(({ endpoint, input }) => ('pin' in input ? `${endpoint} ${input.pin}` : endpoint))

describe('stepsBack', () => {
  it.each<[string, Partial<PinState>, readonly string[]]>([
    ['nothing for an analog input', {}, []],
    ['nothing for an unknown pin', { mode: 'unknown', output: 'unknown', trigger: 'unknown', counter: 'unknown' }, []],
    ['the level of an output', { mode: 'output', output: { state: 'high' } }, ['setOutputState 1']],
    ['the setting of a pwm', { mode: 'pwm', output: pwm }, ['setOutputPwm 1']],
    ['mode and threshold', { trigger: threshold }, ['setInputMode 1', 'setAnalogThreshold 1']],
    ['the mode of a digital input', { mode: 'digital' }, ['setInputMode 1']],
    [
      'its interrupt and counter',
      { mode: 'digital', trigger: interrupt, counter: 'enabled' },
      ['setInputMode 1', 'setDigitalInterrupt 1', 'setDigitalCounter 1'],
    ],
  ])('has %s', (_, change, steps) => {
    expect(names(pins(change), unknown)).toEqual(steps)
    expect(stepsBack(pins(change), [])).toHaveLength(steps.length)
  })

  it('sets the power first, and then all pins, as they become analog inputs', () => {
    const before = all({ power, mode: 'output', output: { state: 'low' } })
    const now = all({ mode: 'output', output: { state: 'low' } })
    expect(names(before, now)).toEqual(['setPowerConfiguration', ...[1, 2, 3, 4, 5, 6].map((pin) => `setOutputState ${pin}`)])
  })

  it('leaves out what is set already', () => {
    const before = all({ power, mode: 'output', output: { state: 'low' } })
    expect(names(before, before.with(2, { ...all({ power })[2] } as PinState))).toEqual(['setOutputState 3'])
    expect(names(before, before)).toEqual([])
  })

  it('does not guess a power configuration that is not known whole', () => {
    expect(names(pins({ power }), unknown)).toEqual([])
  })
})
