import { describe, expect, it } from 'vitest'
import { Wiring } from '../wiring.ts'
import { currentSource, diode, type Element, led, pt100, resistor, source, zener } from './index.ts'

/** Current in mA of the exponential curve at a voltage, without the series resistance. */
const forward = (volts: number, at10mA: number, ideality: number): number =>
  (10 * Math.expm1(volts / (ideality * 0.025865))) / Math.expm1(at10mA / (ideality * 0.025865))

const on = (...elements: readonly Element[]): number => {
  const wiring = new Wiring()
  for (const element of elements) wiring.connect('3/1', element)
  return wiring.terminal('3/1').node.voltsAt(0)
}
const at = (volts: number, ohms: number): Element => source({ volts, ohms })

describe('a piecewise-linear part', () => {
  it.each<[string, readonly Element[], number]>([
    ['a diode at 10 mA', [at(5.7, 500), diode()], 0.7],
    ['a diode at 1 mA', [at(0.5 + 0.595_767, 500), diode({ seriesOhms: 0.01 })], 0.595_8],
    ['a reversed diode', [at(-5.7, 500), diode({ reversed: true })], -0.7],
    ['a diode to a supply', [at(11.7, 600), diode({ volts: 5 })], 5.7],
    ['an LED at 10 mA', [at(5, 300), led()], 2],
    ['a Zener diode at 5 mA backwards', [at(10.1, 1000), zener(5.1, { reversed: true })], 5.1],
    ['a current source into 250 Ω', [currentSource(20), resistor(250)], 5],
    ['a current source without a load', [currentSource(4)], 24],
    ['a current source at its highest voltage', [currentSource(20, { maxVolts: 10 }), resistor(990)], 9.9],
    ['a broken current source', [currentSource(0), resistor(250)], 0],
    ['a current source against a higher voltage', [currentSource(20), at(30, 100)], 30],
  ])('gives the voltage of %s', (_name, elements, volts) => expect(on(...elements)).toBeCloseTo(volts, 3))

  it.each([0.3, 0.45, 0.6, 0.75])('a diode follows the exponential curve within 0.5 mV at %d V', (volts) => {
    const milliampere = forward(volts, 0.7, 1.75)
    const seen = on(at(volts + milliampere, 1000), diode({ seriesOhms: 0.01, forwardVolts: 0.7 + 0.0001 }))
    expect(Math.abs(seen - volts)).toBeLessThan(0.0005)
  })
})

/** IEC 60751, in Ω. */
it.each([
  [-200, 18.52],
  [-100, 60.26],
  [0, 100],
  [100, 138.51],
  [400, 247.09],
  [850, 390.48],
])('a PT100 has at %d °C the resistance of the standard', (celsius, ohms) =>
  expect(on(at(1, 100), pt100(celsius))).toBeCloseTo(ohms / (100 + ohms), 4),
)
