import { expect, it } from 'vitest'
import type { Thevenin } from '../branch.ts'
import { Steady } from '../branch.ts'
import type { Element } from '../elements/index.ts'
import { button, ntc, potentiometer, resistor, short, sineWave, source, squareWave, triangleWave } from '../elements/index.ts'
import { Wiring } from '../wiring.ts'

/** The driver stages of an io pin; twin.md "io pins". */
const input: Thevenin = { volts: 0, ohms: 1_000_000 }
const high5: Thevenin = { volts: 5.15, ohms: (5.15 - 4.2) / 0.3 }
const high12: Thevenin = { volts: 12.05, ohms: (12.05 - 10.5) / 0.5 }
const low: Thevenin = { volts: 0, ohms: 1 }

interface Circuit {
  readonly what: string
  readonly pin: Thevenin
  readonly outside: readonly Element[]
  readonly atMs?: number
  /** Computed by hand. */
  readonly volts: number
  /** Current out of the pin, in milliampere. */
  readonly milliampere: number
}

const circuits: readonly Circuit[] = [
  { what: 'an open input', pin: input, outside: [], volts: 0, milliampere: 0 },
  // 24 × 1000/1010
  {
    what: 'a 24 V sensor behind 10 kΩ',
    pin: input,
    outside: [source({ volts: 24, ohms: 10_000 })],
    volts: 23.762376,
    milliampere: -0.023762,
  },
  // 10 V × (1 kΩ ∥ 1 MΩ = 999.001 Ω) / (9 kΩ + 999.001 Ω)
  {
    what: 'a divider of 9 kΩ and 1 kΩ on 10 V',
    pin: input,
    outside: [resistor({ ohms: 9000, volts: 10 }), resistor({ ohms: 1000 })],
    volts: 0.999101,
    milliampere: -0.000999,
  },
  // (12/2000 + 5/3000 − 3/6000) / (1/2000 + 1/3000 + 1/6000 + 1e-6) = 0.0071667 / 0.001001
  {
    what: 'three sources that meet: 12 V behind 2 kΩ, 5 V behind 3 kΩ, −3 V behind 6 kΩ',
    pin: input,
    outside: [source({ volts: 12, ohms: 2000 }), source({ volts: 5, ohms: 3000 }), source({ volts: -3, ohms: 6000 })],
    volts: 7.159507,
    milliampere: -0.00716,
  },
  // 3 V × 0.25 behind 10 kΩ × 0.25 × 0.75 = 1875 Ω
  {
    what: 'a potentiometer of 10 kΩ on 3 V at a quarter',
    pin: input,
    outside: [potentiometer({ ohms: 10_000, highVolts: 3, position: 0.25 })],
    volts: 0.748596,
    milliampere: -0.000749,
  },
  // 10 kΩ at 25 °C against 10 kΩ, both on 3.3 V: 1.65 V behind 5 kΩ
  {
    what: 'an NTC at 25 °C to 3.3 V over 10 kΩ',
    pin: input,
    outside: [ntc({ celsius: 25, volts: 3.3 }), resistor({ ohms: 10_000 })],
    volts: 1.641791,
    milliampere: -0.001642,
  },
  { what: '5 V with 300 mA: 14 Ω', pin: high5, outside: [resistor({ ohms: 14 })], volts: 4.2, milliampere: 300 },
  { what: '12 V with 500 mA: 21 Ω', pin: high12, outside: [resistor({ ohms: 21 })], volts: 10.5, milliampere: 500 },
  // 14 Ω ∥ 14 Ω = 7 Ω: 5.15 × 7 / (7 + 19/6)
  {
    what: '5 V with twice that load',
    pin: high5,
    outside: [resistor({ ohms: 14 }), resistor({ ohms: 14 })],
    volts: 3.545902,
    milliampere: 506.557,
  },
  { what: '5 V shorted: 5.15 V / 19/6 Ω', pin: high5, outside: [short()], volts: 0.001626, milliampere: 1625.8 },
  // 24 V behind 239 Ω into 1 Ω
  {
    what: 'a low output that sinks 24 V behind 239 Ω',
    pin: low,
    outside: [source({ volts: 24, ohms: 239 })],
    volts: 0.1,
    milliampere: -100,
  },
  // The other pin high at 12 V: (12.05/3.1 + 5.15/(19/6)) / (1/3.1 + 6/19)
  {
    what: 'a 5 V output against a 12 V output',
    pin: high5,
    outside: [source({ volts: 12.05, ohms: 3.1 })],
    volts: 8.636702,
    milliampere: -1101.06,
  },
  {
    what: 'a button to ground on 5 V over 10 kΩ, released',
    pin: input,
    outside: [resistor({ ohms: 10_000, volts: 5 }), button({})],
    volts: 4.950495,
    milliampere: -0.00495,
  },
  // A period of 360 ms: a degree is a millisecond. 5 + 5 × sin 30° = 7.5
  {
    what: 'a sine of 5 V ± 5 V behind 10 kΩ at 30°',
    pin: input,
    outside: [sineWave({ frequencyHz: 1000 / 360, lowVolts: 0, highVolts: 10, ohms: 10_000 })],
    atMs: 30,
    volts: 7.425743,
    milliampere: -0.007426,
  },
  // Rising for 50 ms from 0 to 8 V: 2 V at 12.5 ms
  {
    what: 'a triangle of 10 Hz from 0 to 8 V at an eighth of its period',
    pin: input,
    outside: [triangleWave({ frequencyHz: 10, lowVolts: 0, highVolts: 8 })],
    atMs: 12.5,
    volts: 2,
    milliampere: -0.002,
  },
  // High for 3 of 10 ms, against 5 V behind the same: half of both
  {
    what: 'a square wave of 6 V behind 1 kΩ against 2 V behind 1 kΩ, low',
    pin: { ...input, ohms: 1e12 },
    outside: [
      squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 6, ohms: 1000, duty: 0.3 }),
      source({ volts: 2, ohms: 1000 }),
    ],
    atMs: 4,
    volts: 1,
    milliampere: 0,
  },
]

it.each(circuits)(
  'CircuitNode agrees with a calculation by hand $what: $volts V and $milliampere mA',
  ({ pin, outside, atMs = 0, volts, milliampere }) => {
    const wiring = new Wiring()
    const terminal = wiring.terminal('5/1')
    terminal.drive(new Steady(pin))
    for (const element of outside) wiring.connect('5/1', element)
    expect(terminal.voltsAt(atMs)).toBeCloseTo(volts, 5)
    expect(Math.abs(terminal.ampsAt(atMs) * 1000 - milliampere)).toBeLessThanOrEqual(Math.max(1e-6, Math.abs(milliampere) * 1e-3))
  },
)
