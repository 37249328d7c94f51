import { seededRandom } from '@slotwire/core'
import type { Part, PartOn } from './spice-parts.testkit.ts'
import * as parts from './spice-parts.testkit.ts'

export interface SpiceCircuit {
  readonly name: string
  readonly parts: readonly Part[]
}

const { capacitor, coil, currentSource, diode, encoder, led, motor, noise, ntc, potentiometer, pressed, pt100, pullUp } = parts
const { recorded, relay, resistor, short, sine, source, square, triangle, zener } = parts

/** What drives a net. */
const feeds: readonly PartOn[] = [
  source(5, 100),
  square(1000, 5, 0.3, 10),
  sine(400, 2, 2.5, 100),
  triangle(500, 5, 50),
  noise(2000, 5, 100),
  recorded(
    [
      [0, 0],
      [1.5, 4],
      [1.5, 1],
      [4, 5],
      [6, 2],
    ],
    100,
  ),
  potentiometer(1000, 5, 0.25),
  currentSource(12),
]
/** What is between two nets, or from a net to ground. */
const others: readonly PartOn[] = [
  resistor(4700),
  capacitor(2.2e-7),
  coil(120, 0.2),
  motor(60),
  ntc(60),
  pt100(100),
  diode,
  led,
  zener(3.3),
  pressed(10),
  short,
]
/** Parts with an output or a contact on nets of their own. */
const encoding = encoder(1000, 100)
const relaying = relay(120, 0.2)

/** All kinds of parts: each pair of them is in a circuit. */
export const kinds: readonly string[] = [...feeds, ...others, encoding, relaying].map(({ kind }) => kind)

/** A circuit of a few parts on the nets a, b and c. */
type Draft = readonly Part[]

/** A random circuit: what drives it, and two links with loads. A seed gives always the same one. */
function draft(random: () => number): Draft {
  const of = (list: readonly PartOn[]): PartOn => list[Math.floor(random() * list.length)] as PartOn
  const some: Part[] = [of(feeds)('a'), of(others)('a', 'b'), of(others)('b')]
  const way = random()
  if (way < 0.3) some.push(encoding('a', 'c'), of(others)('b', 'c'), of(others)('c'))
  else if (way < 0.6) some.push(relaying('a', 'b', 'c'), of(others)('c'), of(feeds)('c'))
  else if (way < 0.7) some.push(relaying('a', 'b', 'c'), encoding('b', 'c'), of(others)('c'))
  else some.push(of(others)('b', 'c'), of(others)('c'), of(feeds)('c'))
  return some
}

export function pairsOf(draftParts: Draft): readonly string[] {
  const found = [...new Set(draftParts.map(({ kind }) => kind))].sort()
  return found.flatMap((one, index) => found.slice(index + 1).map((other) => `${one}, ${other}`))
}

/** All pairs of different kinds. */
export const allPairs: readonly string[] = pairsOf(kinds.map((kind) => ({ kind }) as Part))

const DRAFTS = 300
/** With most other seeds SPICE finds no step in one of the circuits. */
const SEED = 7
/** SPICE finds no step where a diode blocks the current of a coil that nothing else takes. */
const bleeder = resistor(2200)

/** Circuits that have each pair of parts at least once: of many drafts always the one with the most new pairs. */
function covering(): readonly SpiceCircuit[] {
  const random = seededRandom(SEED)
  const missing = new Set(allPairs)
  const circuits: SpiceCircuit[] = []
  while (missing.size > 0) {
    const drafts = Array.from({ length: DRAFTS }, () => draft(random))
    const gains = drafts.map((each) => pairsOf(each).filter((pair) => missing.has(pair)).length)
    const best = drafts[gains.indexOf(Math.max(...gains))] ?? []
    for (const pair of pairsOf(best)) missing.delete(pair)
    if (Math.max(...gains) > 0) circuits.push({ name: nameOf(best), parts: [...best, bleeder('b'), bleeder('c')] })
  }
  return circuits
}

function nameOf(some: Draft): string {
  return some.map(({ kind, nets }) => `${kind} ${nets.join('-')}`).join(', ')
}

/** Circuits that people build. */
const known: readonly SpiceCircuit[] = [
  { name: 'divider', parts: [source(12, 1)('a'), resistor(10_000)('a', 'b'), resistor(2200)('b')] },
  { name: 'pull-up behind a diode', parts: [square(1000, 5, 0.5, 10)('a'), diode('b', 'a'), pullUp(4700, 3.3)('b')] },
  {
    name: 'two low-passes in a row',
    parts: [
      square(1000, 5, 0.5, 3)('a'),
      resistor(1000)('a', 'b'),
      capacitor(1e-6)('b'),
      resistor(10_000)('b', 'c'),
      capacitor(1e-7)('c'),
    ],
  },
  {
    name: 'three low-passes in a row',
    parts: [
      square(250, 5, 0.5, 3)('a'),
      ...['ab', 'bc', 'cd'].flatMap(([from = '', to = '']) => [resistor(1000)(from, to), capacitor(1e-7)(to)]),
    ],
  },
  {
    name: 'bridge with a capacitor',
    parts: [
      sine(300, 5, 0, 1)('a'),
      resistor(1000)('a', 'b'),
      resistor(2000)('a', 'c'),
      resistor(3000)('b'),
      resistor(1000)('c'),
      capacitor(1e-6)('b', 'c'),
    ],
  },
  {
    name: 'bridge with a PT100',
    parts: [
      source(5, 1)('a'),
      resistor(1000)('a', 'b'),
      resistor(1000)('a', 'c'),
      pt100(-100)('b'),
      resistor(100)('c'),
      capacitor(1e-7)('b', 'c'),
    ],
  },
  {
    name: 'pi filter',
    parts: [
      square(2000, 12, 0.4, 50)('a'),
      capacitor(1e-6)('a'),
      resistor(100)('a', 'b'),
      capacitor(1e-6)('b'),
      resistor(1000)('b'),
    ],
  },
  {
    name: 'resonance',
    parts: [square(100, 5, 0.5, 10)('a'), capacitor(1e-6)('a', 'b'), coil(20, 0.1)('b'), resistor(10_000)('b')],
  },
  { name: 'half-wave rectifier', parts: [sine(400, 5, 0, 10)('a'), diode('a', 'b'), resistor(470)('b')] },
  { name: 'peak rectifier', parts: [sine(400, 5, 0, 10)('a'), diode('a', 'b'), resistor(4700)('b'), capacitor(1e-6)('b')] },
  {
    name: 'full-wave rectifier',
    parts: [
      sine(200, 8, 0, 10)('a', 'b'),
      diode('a', 'c'),
      diode('b', 'c'),
      diode('d', 'a'),
      diode('d', 'b'),
      resistor(470)('c', 'd'),
      resistor(10)('d'),
    ],
  },
  {
    name: 'voltage doubler',
    parts: [
      square(1000, 5, 0.5, 10)('a'),
      capacitor(1e-6)('a', 'b'),
      diode('d', 'b'),
      short('d'),
      diode('b', 'c'),
      capacitor(1e-6)('c'),
      resistor(10_000)('c'),
    ],
  },
  {
    name: 'freewheel diode',
    parts: [square(100, 12, 0.5, 10)('a'), diode('a', 'b'), coil(120, 0.2)('b'), short('c'), diode('c', 'b')],
  },
  { name: 'regulator', parts: [triangle(200, 12, 10)('a'), resistor(470)('a', 'b'), short('c'), zener(5.1)('c', 'b')] },
  { name: 'LED on an output', parts: [square(200, 5, 0.5, 3)('a'), resistor(330)('a', 'b'), led('b')] },
  { name: 'current loop', parts: [currentSource(12)('a'), resistor(250)('a'), capacitor(1e-6)('a')] },
  { name: 'current loop at its limit', parts: [currentSource(20, 10)('a'), resistor(1000)('a', 'b'), sine(100, 5, 0, 10)('b')] },
  { name: 'source between two nets', parts: [source(3, 10)('a', 'b'), square(500, 5, 0.5, 10)('b'), resistor(1000)('a')] },
  {
    name: 'wave between two nets',
    parts: [triangle(500, 2, 10)('a', 'b'), sine(300, 2, 0, 10)('b'), resistor(1000)('a'), capacitor(1e-7)('a', 'b')],
  },
  {
    name: 'relay on a square wave',
    parts: [square(80, 5, 0.5, 1)('a'), relay(120, 0.05)('a', 'b', 'c'), source(12, 100)('b'), resistor(1000)('c')],
  },
]

/** Circuits from a textbook. */
const textbook: readonly SpiceCircuit[] = [
  { name: 'differentiator', parts: [square(500, 5, 0.5, 10)('a'), capacitor(1e-7)('a', 'b'), resistor(1000)('b')] },
  { name: 'series resonant circuit', parts: [square(200, 5, 0.5, 10)('a'), coil(10, 0.01)('a', 'b'), capacitor(1e-6)('b')] },
  {
    name: 'parallel resonant circuit',
    parts: [sine(1000, 5, 0, 10)('a'), resistor(1000)('a', 'b'), coil(5, 0.025)('b'), capacitor(1e-6)('b')],
  },
  {
    name: 'Wheatstone bridge',
    parts: [
      ...[source(10, 1)('a'), resistor(1000)('a', 'b'), resistor(1500)('b')],
      ...[resistor(2200)('a', 'c'), resistor(3000)('c'), resistor(470)('b', 'c')],
    ],
  },
  {
    name: 'clamper',
    parts: [square(1000, 5, 0.5, 10)('a'), capacitor(1e-6)('a', 'b'), short('c'), diode('c', 'b'), resistor(100_000)('b')],
  },
  { name: 'biased clipper', parts: [sine(500, 5, 0, 10)('a'), resistor(1000)('a', 'b'), diode('b', 'c'), source(2, 1)('c')] },
  {
    name: 'two Zener diodes against each other',
    // Without the last resistor, c floats at each zero crossing: the twin's diodes leak less than those of SPICE.
    parts: [
      ...[sine(300, 10, 0, 10)('a'), resistor(1000)('a', 'b'), zener(3.3)('b', 'c'), zener(5.1)('d', 'c')],
      ...[short('d'), resistor(22_000)('c')],
    ],
  },
  {
    name: 'output filter of a converter',
    parts: [square(2000, 12, 0.4, 1)('a'), coil(2, 0.01)('a', 'b'), capacitor(1e-5)('b'), resistor(50)('b')],
  },
  {
    name: 'twin-T notch filter',
    parts: [
      ...[sine(159, 5, 0, 10)('a'), resistor(10_000)('a', 'b'), resistor(10_000)('b', 'c'), capacitor(2e-7)('b')],
      ...[capacitor(1e-7)('a', 'd'), capacitor(1e-7)('d', 'c'), resistor(5000)('d'), resistor(100_000)('c')],
    ],
  },
  {
    name: 'diode OR of two waves',
    parts: [sine(200, 5, 0, 10)('a'), diode('a', 'c'), triangle(300, 5, 10)('b'), diode('b', 'c'), resistor(1000)('c')],
  },
]

/** The circuits that the twin and SPICE both compute. */
export const spiceCircuits: readonly SpiceCircuit[] = [...known, ...textbook, ...covering()]

/** Nets of a circuit, in their order. */
export function netsOf({ parts: all }: SpiceCircuit): readonly string[] {
  return [...new Set(all.flatMap(({ nets }) => nets))].sort()
}

/** The netlist of a circuit from 0 to `untilMs`, with the voltages of its nets every 5 µs in `file`. */
export function netlist(circuit: SpiceCircuit, untilMs: number, file: string): string {
  const nets = netsOf(circuit)
  return [
    `* ${circuit.name}`,
    ...circuit.parts.flatMap(({ nets: own, spice }, index) => spice(`p${index}`, own)),
    // Each node of a network leaks as much.
    ...nets.map((net) => `Rleak${net} ${net} 0 1G`),
    '.options reltol=1e-6 vntol=1e-8 abstol=1e-12 gmin=1e-11 itl4=500 method=gear',
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
