import { type Element, elementFrom } from '../elements/index.ts'

/** A part of a circuit: two nets, or one and ground, and the same part as an element and in the words of SPICE. */
export interface Part {
  readonly nets: readonly [from: string, to?: string]
  readonly element: () => Element
  /** Lines of a netlist between `a` and `b`; names in it begin with `id`. */
  readonly spice: (id: string, a: string, b: string) => readonly string[]
}

export interface SpiceCircuit {
  readonly name: string
  readonly parts: readonly Part[]
}

type Nets = Part['nets']
const part =
  (kind: string, settings: Readonly<Record<string, unknown>>, spice: Part['spice']) =>
  (...nets: Nets): Part => ({ nets, element: () => elementFrom(kind, settings), spice })

const SUPPRESSION = 1000

const r = (ohms: number, volts = 0) =>
  part('resistor', { ohms, ...(volts === 0 ? {} : { volts }) }, (id, a, b) =>
    volts === 0 ? [`R${id} ${a} ${b} ${ohms}`] : [`R${id} ${a} ${id}v ${ohms}`, `V${id} ${id}v 0 ${volts}`],
  )
const c = (farad: number) =>
  part('capacitor', { farad }, (id, a, b) => [`R${id} ${a} ${id}c 0.1`, `C${id} ${id}c ${b} ${farad} IC=0`])
const coil = (ohms: number, henry: number) =>
  part('coil', { ohms, henry }, (id, a, b) => [
    `R${id} ${a} ${id}l ${1 / (1 / ohms - 1 / (SUPPRESSION * ohms))}`,
    `L${id} ${id}l ${b} ${henry} IC=0`,
    `R${id}s ${a} ${b} ${SUPPRESSION * ohms}`,
  ])
const pot = (ohms: number, highVolts: number, position: number) =>
  part('potentiometer', { ohms, highVolts, position }, (id, a) => [
    `R${id}h ${a} ${id}v ${ohms * (1 - position)}`,
    `R${id}l ${a} 0 ${ohms * position}`,
    `V${id} ${id}v 0 ${highVolts}`,
  ])
const behind = (id: string, a: string, ohms: number, law: string): readonly string[] => [
  `R${id} ${a} ${id}v ${ohms}`,
  `V${id} ${id}v 0 ${law}`,
]
const source = (volts: number, ohms: number) => part('source', { volts, ohms }, (id, a) => behind(id, a, ohms, `${volts}`))
const square = (hertz: number, highVolts: number, duty: number, ohms: number) =>
  part('squareWave', { frequencyHz: hertz, lowVolts: 0, highVolts, duty, ohms }, (id, a) =>
    behind(id, a, ohms, `PULSE(0 ${highVolts} 0 1n 1n ${duty / hertz - 1e-9} ${1 / hertz})`),
  )
const sine = (hertz: number, amplitudeVolts: number, offsetVolts: number, ohms: number) =>
  part('sineWave', { frequencyHz: hertz, amplitudeVolts, offsetVolts, ohms }, (id, a) =>
    behind(id, a, ohms, `SIN(${offsetVolts} ${amplitudeVolts} ${hertz})`),
  )
const triangle = (hertz: number, highVolts: number, ohms: number) =>
  part('triangleWave', { frequencyHz: hertz, lowVolts: 0, highVolts, ohms }, (id, a) =>
    behind(id, a, ohms, `PULSE(0 ${highVolts} 0 ${0.5 / hertz} ${0.5 / hertz} 1e-12 ${1 / hertz})`),
  )

const VT = 0.025865
const saturation = (forwardVolts: number, ideality: number, seriesOhms: number): number =>
  0.01 / Math.expm1((forwardVolts - 0.01 * seriesOhms) / (ideality * VT))
const diode = (forwardVolts = 0.7, ideality = 1.75, seriesOhms = 0.5) =>
  part('diode', { forwardVolts, ideality, seriesOhms }, (id, a, b) => [
    `D${id} ${a} ${b} M${id}`,
    `.model M${id} D(IS=${saturation(forwardVolts, ideality, seriesOhms)} N=${ideality} RS=${seriesOhms})`,
  ])
const zener = (zenerVolts: number) =>
  part('zener', { zenerVolts }, (id, a, b) => [
    `D${id} ${a} ${b} M${id}`,
    `.model M${id} D(IS=${saturation(0.7, 1.2, 2)} N=1.2 RS=2 BV=${zenerVolts - 0.01} IBV=5m)`,
  ])
const loop = (milliampere: number, maxVolts = 24) =>
  part('currentSource', { milliampere, maxVolts }, (id, a, b) => [
    `B${id} ${b} ${a} I=max(0, min(${milliampere / 1000}, (${maxVolts}-(v(${a})-${b === '0' ? '0' : `v(${b})`}))/10))`,
  ])

const drives = {
  source: source(5, 100),
  square: square(1000, 5, 0.3, 10),
  sine: sine(400, 2, 2.5, 100),
  triangle: triangle(500, 5, 50),
}
const links = { resistor: r(10_000), capacitor: c(1e-6), 'small resistor': r(47) }
const loads = {
  resistor: r(4700),
  'pull-up': r(10_000, 3.3),
  capacitor: c(2.2e-7),
  coil: coil(120, 0.2),
  potentiometer: pot(10_000, 5, 0.25),
}

/** Each drive with each link and each load. */
const pairs = Object.entries(drives).flatMap(([drive, driving]) =>
  Object.entries(links).flatMap(([link, linking]) =>
    Object.entries(loads).map(([load, loading]) => ({
      name: `${drive}, ${link}, ${load}`,
      parts: [driving('a'), linking('a', 'b'), loading('b')],
    })),
  ),
)

/** The circuits that the twin and SPICE both compute. */
export const spiceCircuits: readonly SpiceCircuit[] = [
  { name: 'Z diode and resistor', parts: [source(5, 10)('a'), r(470)('a', 'b'), diode()('b')] },
  { name: 'Z sine rectifier', parts: [sine(400, 5, 0, 10)('a'), diode()('a', 'b'), r(470)('b')] },
  { name: 'Z peak rectifier', parts: [sine(400, 5, 0, 10)('a'), diode()('a', 'b'), r(4700)('b'), c(1e-6)('b')] },
  { name: 'Z peak rectifier square', parts: [square(1000, 5, 0.3, 10)('a'), diode()('a', 'b'), r(4700)('b'), c(1e-6)('b')] },
  { name: 'Z freewheel', parts: [square(100, 12, 0.5, 10)('a'), diode()('a', 'b'), coil(120, 0.2)('b'), diode()('c', 'b'), r(0.01)('c')] },
  { name: 'Z bridge', parts: [sine(200, 10, 0, 10)('a'), diode()('a', 'b'), diode()('c', 'b'), r(0.01)('c'), r(1000)('b'), c(1e-6)('b')] },
  { name: 'Z zener', parts: [triangle(200, 12, 10)('a'), r(470)('a', 'b'), r(0.01)('c'), zener(5.1)('c', 'b')] },
  { name: 'Z led', parts: [square(200, 5, 0.5, 10)('a'), r(330)('a', 'b'), diode(2, 2, 5)('b')] },
  { name: 'Z loop', parts: [loop(12)('a'), r(250)('a'), c(1e-6)('a')] },
  { name: 'Z loop diode', parts: [loop(12)('a'), diode()('a','b'), c(1e-6)('b'), r(4700)('b')] },
  ...pairs,
  { name: 'divider', parts: [source(12, 1)('a'), r(10_000)('a', 'b'), r(2200)('b')] },
  {
    name: 'two low-passes in a row',
    parts: [square(1000, 5, 0.5, 3)('a'), r(1000)('a', 'b'), c(1e-6)('b'), r(10_000)('b', 'c'), c(1e-7)('c')],
  },
  {
    name: 'three low-passes in a row',
    parts: [
      square(250, 5, 0.5, 3)('a'),
      r(1000)('a', 'b'),
      c(1e-7)('b'),
      r(1000)('b', 'c'),
      c(1e-7)('c'),
      r(1000)('c', 'd'),
      c(1e-7)('d'),
    ],
  },
  {
    name: 'bridge with a capacitor',
    parts: [sine(300, 5, 0, 1)('a'), r(1000)('a', 'b'), r(2000)('a', 'c'), r(3000)('b'), r(1000)('c'), c(1e-6)('b', 'c')],
  },
  {
    name: 'bridge of resistors',
    parts: [triangle(300, 5, 1)('a'), r(1000)('a', 'b'), r(2000)('a', 'c'), r(3000)('b'), r(1000)('c'), r(500)('b', 'c')],
  },
  { name: 'pi filter', parts: [square(2000, 12, 0.4, 50)('a'), c(1e-6)('a'), r(100)('a', 'b'), c(1e-6)('b'), r(1000)('b')] },
  {
    name: 'two drives',
    parts: [square(1000, 5, 0.5, 100)('a'), sine(500, 1, 1, 100)('b'), r(1000)('a', 'b'), c(4.7e-7)('a', 'b')],
  },
  { name: 'resonance', parts: [square(100, 5, 0.5, 10)('a'), c(1e-6)('a', 'b'), coil(20, 0.1)('b'), r(10_000)('b')] },
  { name: 'capacitors in a row', parts: [square(1000, 5, 0.5, 10)('a'), c(1e-7)('a', 'b'), c(3.3e-7)('b'), r(100_000)('b')] },
]

/** The netlist of a circuit from 0 to `untilMs`, with the voltages of these nets every 5 µs in `file`. */
export function netlist({ name, parts }: SpiceCircuit, nets: readonly string[], untilMs: number, file: string): string {
  return [
    `* ${name}`,
    ...parts.flatMap(({ nets: [a, b = '0'], spice }, index) => spice(`p${index}`, a, b)),
    '.options reltol=1e-6 vntol=1e-9 abstol=1e-13 method=gear',
    `.tran 5u ${untilMs}m 0 1u UIC`,
    '.control',
    'run',
    'linearize',
    'set wr_singlescale',
    `wrdata ${file} ${nets.map((net) => `v(${net})`).join(' ')}`,
    'quit',
    '.endc',
    '.end',
    '',
  ].join('\n')
}
