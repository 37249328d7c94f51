import { elementFrom } from '../circuit.testkit.ts'
import type { Element } from '../elements/index.ts'

/** A part of a circuit on its nets, as an element of the twin and in the words of SPICE. Described once, so both are the same. */
export interface Part {
  readonly kind: string
  readonly nets: readonly string[]
  readonly element: () => Element
  /** Lines of a netlist between its nets; names in it begin with `id`. Ground is 0. */
  readonly spice: (id: string, nets: readonly string[]) => readonly string[]
}

type Settings = Readonly<Record<string, unknown>>
/** A part that is put on nets: one and ground, two, or three of a relay. */
export type PartOn = ((...nets: string[]) => Part) & { readonly kind: string }

function part(
  kind: string,
  settings: Settings,
  spice: (id: string, a: string, b: string, c: string) => readonly string[],
): PartOn {
  const on = (...nets: string[]): Part => ({
    kind,
    nets,
    element: () => elementFrom(kind, settings),
    spice: (id, [a = '0', b = '0', c = '0']) => spice(id, a, b, c),
  })
  return Object.assign(on, { kind })
}

const MS = 1e-3
const SUPPRESSION = 50
const MOTOR_LOSSES = 1000
const THERMAL_VOLTS = 0.025865
const SWITCH_DELAY_MS = 2

/** A voltage from `a` to `b` behind a resistance. */
const behind = (id: string, a: string, b: string, ohms: number, waveform: string) => [
  `R${id} ${a} ${id}v ${ohms}`,
  `V${id} ${id}v ${b} ${waveform}`,
]

export const source = (volts: number, ohms: number) =>
  part('source', { volts, ohms }, (id, a, b) => behind(id, a, b, ohms, `${volts}`))
export const square = (hertz: number, highVolts: number, duty: number, ohms: number) =>
  part('squareWave', { frequencyHz: hertz, lowVolts: 0, highVolts, duty, ohms }, (id, a, b) =>
    behind(id, a, b, ohms, `PULSE(0 ${highVolts} 0 1n 1n ${duty / hertz - 1e-9} ${1 / hertz})`),
  )
export const sine = (hertz: number, amplitudeVolts: number, offsetVolts: number, ohms: number) =>
  part('sineWave', { frequencyHz: hertz, amplitudeVolts, offsetVolts, ohms }, (id, a, b) =>
    behind(id, a, b, ohms, `SIN(${offsetVolts} ${amplitudeVolts} ${hertz})`),
  )
export const triangle = (hertz: number, highVolts: number, ohms: number) =>
  part('triangleWave', { frequencyHz: hertz, lowVolts: 0, highVolts, ohms }, (id, a, b) =>
    behind(id, a, b, ohms, `PULSE(0 ${highVolts} 0 ${0.5 / hertz} ${0.5 / hertz} 1e-12 ${1 / hertz})`),
  )
/** The random voltages are those of the twin; SPICE judges what the circuit makes of them. */
export const noise = (hertz: number, highVolts: number, ohms: number) => {
  const settings = { frequencyHz: hertz, lowVolts: 0, highVolts, ohms, seed: 7 }
  return part('noise', settings, (id, a, b) => {
    const { branch } = elementFrom('noise', settings)
    const voltsAt = (ms: number): number =>
      branch !== undefined && 'theveninAt' in branch ? branch.theveninAt(ms).volts : Number.NaN
    const points = Array.from({ length: 40 }, (_, index) => (index * 1000) / hertz)
    return behind(id, a, b, ohms, `PWL(${points.map((ms) => `${ms * MS} ${voltsAt(ms)}`).join(' ')})`)
  })
}
export const recorded = (samples: readonly (readonly [ms: number, volts: number])[], ohms: number) =>
  part('recordedWave', { csv: samples.map(([ms, volts]) => `${ms * MS},${volts}`).join('\n'), repeat: false, ohms }, (id, a, b) =>
    // SPICE takes no two samples of one moment.
    behind(id, a, b, ohms, `PWL(${samples.map(([ms, volts], index) => `${ms * MS + index * 1e-9} ${volts}`).join(' ')})`),
  )
export const potentiometer = (ohms: number, highVolts: number, position: number) =>
  part('potentiometer', { ohms, highVolts, position }, (id, a) => [
    `R${id}h ${a} ${id}v ${ohms * (1 - position)}`,
    `R${id}l ${a} 0 ${ohms * position}`,
    `V${id} ${id}v 0 ${highVolts}`,
  ])
export const currentSource = (milliampere: number, maxVolts = 24) =>
  part('currentSource', { milliampere, maxVolts }, (id, a, b) => {
    const across = b === '0' ? `v(${a})` : `(v(${a})-v(${b}))`
    // Without any capacitance SPICE finds no first step at its knee.
    return [`C${id} ${a} ${b} 1p IC=0`, `B${id} ${b} ${a} I=max(0, min(${milliampere * MS}, (${maxVolts}-${across})/10))`]
  })
/** Its outputs are at both nets, a quarter of a period apart. */
export const encoder = (hertz: number, ohms: number) =>
  part('encoder', { rpm: hertz * 0.6, lines: 100, ohms }, (id, a, b) => {
    const output = (delay: number): string => `PULSE(0 5 ${delay / hertz} 1n 1n ${0.5 / hertz - 1e-9} ${1 / hertz})`
    return [...behind(`${id}a`, a, '0', ohms, output(0)), ...behind(`${id}b`, b, '0', ohms, output(0.25))]
  })

const ohmic = (kind: string, settings: Settings, ohms: number) => part(kind, settings, (id, a, b) => [`R${id} ${a} ${b} ${ohms}`])
export const resistor = (ohms: number) => ohmic('resistor', { ohms }, ohms)
export const pullUp = (ohms: number, volts: number) =>
  part('resistor', { ohms, volts }, (id, a) => behind(id, a, '0', ohms, `${volts}`))
/** Between two nets it is a resistor of 0 Ω, which has as much. */
export const short: PartOn = Object.assign(
  (...nets: string[]): Part => ({
    ...(nets.length > 1 ? ohmic('resistor', { ohms: 0 }, 0.001) : ohmic('short', {}, 0.001))(...nets),
    kind: 'short',
  }),
  { kind: 'short' },
)
export const pressed = (ohms: number) => ohmic('button', { ohms, pressed: true }, ohms)
/** IEC 60751 has 138.51 Ω at 100 °C, and 60.26 Ω at −100 °C. */
export const pt100 = (celsius: 100 | -100) => ohmic('pt100', { celsius }, celsius === 100 ? 138.5055 : 60.2558)
export const ntc = (celsius: number) => ohmic('ntc', { celsius }, 10_000 * Math.exp(3380 * (1 / (celsius + 273.15) - 1 / 298.15)))
export const capacitor = (farad: number) =>
  part('capacitor', { farad }, (id, a, b) => [`R${id} ${a} ${id}c 0.1`, `C${id} ${id}c ${b} ${farad} IC=0`])
const winding = (id: string, a: string, b: string, ohms: number, henry: number) => [
  `R${id} ${a} ${id}l ${1 / (1 / ohms - 1 / (SUPPRESSION * ohms))}`,
  `L${id} ${id}l ${b} ${henry} IC=0`,
  `R${id}s ${a} ${b} ${SUPPRESSION * ohms}`,
]
export const coil = (ohms: number, henry: number) =>
  part('coil', { ohms, henry, suppression: SUPPRESSION }, (id, a, b) => winding(id, a, b, ohms, henry))
/** With five times its current at first, for 200 ms, and 2 mH. */
export const motor = (ohms: number) =>
  part('motor', { ohms }, (id, a, b) => {
    const windingOhms = 1 / (5 / ohms - 1 / (MOTOR_LOSSES * ohms))
    const frictionOhms = 1 / (1 / ohms - 1 / (MOTOR_LOSSES * ohms)) - windingOhms
    return [
      `R${id} ${a} ${id}l ${windingOhms}`,
      `L${id} ${id}l ${id}r 0.002 IC=0`,
      `C${id} ${id}r ${b} ${0.2 * (1 / windingOhms + 1 / frictionOhms)} IC=0`,
      `R${id}f ${id}r ${b} ${frictionOhms}`,
      `R${id}s ${a} ${b} ${MOTOR_LOSSES * ohms}`,
    ]
  })

const junction = (forwardVolts: number, ideality: number, seriesOhms: number, more = '') => {
  const saturation = 0.01 / Math.expm1((forwardVolts - 0.01 * seriesOhms) / (ideality * THERMAL_VOLTS))
  return `D(IS=${saturation} N=${ideality} RS=${seriesOhms} ${more})`
}
const junctionPart = (kind: string, settings: Settings, model: string) =>
  part(kind, settings, (id, a, b) => [`D${id} ${a} ${b} M${id}`, `.model M${id} ${model}`])
export const diode = junctionPart('diode', {}, junction(0.7, 1.75, 0.5))
export const led = junctionPart('led', {}, junction(2, 2, 5))
export const zener = (volts: number) =>
  junctionPart('zener', { zenerVolts: volts }, junction(0.7, 1.2, 2, `BV=${volts - 0.005 * 2} IBV=5m NBV=1`))

/** Its coil is at the first net, its contact between the other two. A line delays the switch of SPICE, which has hysteresis only. */
export const relay = (ohms: number, henry: number) => {
  const settings = {
    ohms,
    henry,
    suppression: SUPPRESSION,
    pullInVolts: 3,
    releaseVolts: 1,
    operateMs: SWITCH_DELAY_MS,
    releaseMs: SWITCH_DELAY_MS,
    bounces: 0,
  }
  return part('relay', settings, (id, a, b, c) => [
    ...winding(id, a, `${id}m`, ohms, henry),
    `V${id}m ${id}m 0 0`,
    // The winding alone: without what flows across it.
    `B${id}i ${id}i 0 V=i(V${id}m)*${ohms}-v(${a})/${SUPPRESSION}`,
    `V${id}n ${id}n 0 1`,
    `S${id}h ${id}n ${id}h ${id}i 0 MH${id}`,
    `.model MH${id} SW(VT=2 VH=1 RON=1m ROFF=1G)`,
    `R${id}h ${id}h 0 1k`,
    `E${id} ${id}e 0 ${id}h 0 1`,
    `R${id}e ${id}e ${id}t 50`,
    `T${id} ${id}t 0 ${id}o 0 Z0=50 TD=${SWITCH_DELAY_MS * MS}`,
    `R${id}o ${id}o 0 50`,
    `S${id}k ${b} ${c} ${id}o 0 MK${id}`,
    `.model MK${id} SW(VT=0.25 VH=0 RON=0.1 ROFF=1T)`,
  ])
}
