import { expect, it } from 'vitest'
import { powerNeed } from './limits-power.ts'

it('powerNeed adds 200 mW of 5 V for each pin on 5 V and 400 mW for each on 12 V to the pins’ current at their rail', () => {
  const config = [
    { rail: '5_volt', currentMilliampere: 300 },
    { rail: '5_volt', currentMilliampere: 0 },
    { rail: '12_volt', currentMilliampere: 500 },
    { rail: '12_volt', currentMilliampere: 0 },
    { rail: '5_volt', currentMilliampere: 10 },
    { rail: '12_volt', currentMilliampere: 1 },
  ] as const
  expect(powerNeed(config, 300)).toEqual({
    power3v3: 300,
    power5v0: 300 * 5 + 200 + 200 + 10 * 5 + 200 + 3 * 400,
    power12v: 501 * 12,
  })
})
