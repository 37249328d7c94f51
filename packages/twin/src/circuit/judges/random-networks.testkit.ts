import { ManualClock, seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { stateCount } from '../analysis/reactive.ts'
import { isReactive } from '../branch.ts'
import { elementFrom } from '../circuit.testkit.ts'
import type { Connection } from '../connection.ts'
import type { Element } from '../elements/index.ts'
import { Wiring } from '../wiring.ts'

const PINS = 6
const MOMENTS = 6

interface Link {
  readonly pin: string
  readonly other?: string
  readonly contact?: readonly [string, string]
  /** Undefined for a wire. */
  readonly element?: Element
}

/** Links of random kinds between random pins; the same for the same seed. */
function randomLinks(random: () => number): readonly Link[] {
  // Each period of a wave beside a diode costs a hundred times as much as one without.
  const isSegmented = random() < 0.5
  const highestHz = isSegmented ? 500 : 20_000
  const upTo = (count: number): number => Math.floor(random() * count)
  const between = (low: number, high: number): number => low * (high / low) ** random()
  const pin = (): string => `3/${1 + upTo(PINS)}`
  const wave = () => ({
    frequencyHz: between(0.1, highestHz),
    lowVolts: 5 * random(),
    highVolts: 5 + random(),
    ohms: between(1, 10_000),
  })
  const kinds: readonly (() => readonly [kind: string, settings: Readonly<Record<string, unknown>>])[] = [
    () => ['resistor', { ohms: between(0.01, 1e7), volts: upTo(2) * 5 }],
    () => ['capacitor', { farad: between(1e-10, 0.01), volts: upTo(2) * 5 }],
    () => ['coil', { ohms: between(10, 1000), henry: between(0.001, 1) }],
    () => ['motor', { ohms: between(10, 1000) }],
    () => ['source', { volts: 24 * random() - 12, ohms: between(0.01, 1e5) }],
    () => ['squareWave', { ...wave(), duty: random() }],
    () => ['sineWave', wave()],
    () => ['triangleWave', wave()],
    () => ['noise', { ...wave(), seed: upTo(1000) }],
    () => ['short', {}],
    () => ['button', { pressed: upTo(2) === 1, ohms: between(1, 1000), volts: 5 }],
  ]
  const bends: typeof kinds = [
    () => ['diode', { reversed: upTo(2) === 1 }],
    () => ['led', { forwardVolts: between(1, 4) }],
    () => ['zener', { zenerVolts: between(2, 20), reversed: upTo(2) === 1 }],
    () => ['currentSource', { milliampere: upTo(3) * 10, maxVolts: between(2, 30) }],
    () => ['pt100', { celsius: between(1, 800) }],
    () => [
      'recordedWave',
      { csv: `0,${random()}\n${between(1e-4, 1)},${5 * random()}\n2,0`, repeat: upTo(2) === 1, ohms: between(1, 1000) },
    ],
  ]
  const made = ([kind, settings]: readonly [kind: string, settings: Readonly<Record<string, unknown>>]): Element =>
    elementFrom(kind, settings)
  const oneOf = (list: typeof kinds): Element => made(list[upTo(list.length)]?.() ?? ['open', {}])
  const grounded = Array.from({ length: 1 + upTo(4) }, (): Link => ({ pin: pin(), element: oneOf(kinds) }))
  const bridging = Array.from({ length: 1 + upTo(6) }, (): Link => {
    const element =
      random() < 0.5
        ? elementFrom('resistor', { ohms: between(0.01, 1e7) })
        : elementFrom('capacitor', { farad: between(1e-10, 0.01) })
    return { pin: pin(), other: pin(), element }
  })
  const segmented = Array.from({ length: isSegmented ? 1 + upTo(2) : 0 }, (): Link => {
    const element = oneOf(bends)
    return random() < 0.3 ? { pin: pin(), element } : { pin: pin(), other: pin(), element }
  })
  const moving = Array.from({ length: upTo(2) }, (): Link => {
    const [one, other, third] = [pin(), pin(), pin()]
    if (random() < 0.5) return { pin: one, other, element: elementFrom('encoder', { rpm: between(1, 10_000) - 100 }) }
    return {
      pin: one,
      other: third,
      contact: [other, third],
      element: elementFrom('relay', { ohms: between(50, 500), henry: between(0.01, 1) }),
    }
  })
  const wires = Array.from({ length: upTo(2) }, (): Link => ({ pin: pin(), other: pin() }))
  const apart = [...grounded, ...bridging, ...segmented, ...moving, ...wires].filter(
    ({ pin: one, other, contact }) => one !== other && contact?.[0] !== (contact?.[1] ?? ''),
  )
  let states = 0
  return apart.filter(({ element }) => (states += statesOf(element)) <= MAX_STATES)
}

/** Coils and capacitors of a network; a motor counts twice. */
const MAX_STATES = 8

function statesOf(element: Element | undefined): number {
  const branch = element?.branch
  return branch !== undefined && isReactive(branch) ? stateCount(branch) : 0
}

/** All voltages of a random network at some moments, before and after a link is removed. `order` shuffles the order of connecting. */
async function seenOnNetwork(seed: number, order: number): Promise<readonly number[]> {
  const links = randomLinks(seededRandom(seed))
  const shuffle = seededRandom(order)
  const shuffled = links.map((link, index) => ({ link, index, place: shuffle() })).sort((a, b) => a.place - b.place)
  const clock = new ManualClock()
  const wiring = new Wiring(clock)
  const made = new Map<number, Connection>()
  for (const { link, index } of shuffled) {
    const { pin, other, element, contact } = link
    if (element !== undefined) made.set(index, wiring.connect(pin, element, contact === undefined ? { other } : { contact }))
    else if (other !== undefined) made.set(index, wiring.wire(pin, other))
  }
  const seen: number[] = []
  const times = seededRandom(seed + 1)
  const look = async (): Promise<void> => {
    for (let moment = 0; moment < MOMENTS; moment++) {
      await clock.advance(0.01 * 1e5 ** times())
      const now = clock.now()
      for (let pin = 1; pin <= PINS; pin++) {
        const { node } = wiring.terminal(`3/${pin}`)
        seen.push(
          node.voltsAt(now),
          node.clamped(node.waveformAt(now).at(now)),
          node.mean(now, 2, (volts) => volts),
          ...node.extremes(),
        )
      }
    }
  }
  await look()
  made.get(links.length - 1)?.disconnect()
  await look()
  return seen
}

const LIMIT_MS = 5000

/** Declares a test of random networks with seeds from `first` on. */
export function describeRandomNetworks(count: number, first: number): void {
  describe(`${count} random networks (seeds from ${first} on)`, () => {
    it(
      'have finite voltages, the same in any order of connecting',
      async () => {
        for (let seed = first; seed < first + count; seed++) {
          const seen = await seenOnNetwork(seed, seed)
          expect(seen.every(Number.isFinite), `seed ${seed}`).toBe(true)
          expect(await seenOnNetwork(seed, seed + 1), `seed ${seed}`).toEqual(seen)
        }
      },
      count * LIMIT_MS,
    )
  })
}
