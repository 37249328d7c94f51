import { ManualClock, type Random, seededRandom } from '@slotwire/core'
import { PinTrace, type TraceSample } from '../../bench/pin-trace.ts'
import { CLAMP_VOLTS } from '../analysis/circuit-node.ts'
import { type Source, Steady } from '../branch.ts'
import { coil, type Element, motor, noise, resistor, sineWave, source, squareWave, triangleWave } from '../elements/index.ts'
import { Alternation, alternate } from '../wave/wave.ts'
import { Wiring } from '../wiring.ts'
import type { Drive, Load, LoadState } from './simulation.testkit.ts'
import { simulated } from './simulation.testkit.ts'

/** Length of a run in steps. Waves turn at even steps, and voltages are compared at odd ones. */
const STEPS = 60_000
const MOMENTS = 12
/** Steps for which a sine is a straight line, as a share of its period. */
const STRAIGHT_SHARE = 1 / 256
const INPUT_OHMS = 1_000_000
const FULL_TURN_DEGREES = 360
const MS_PER_SECOND = 1000
const REST: LoadState = { amps: 0, emf: 0 }

/** Something on the pin, for the twin and for the simulation. */
interface Part {
  readonly element: Element
  readonly drive?: Drive
  readonly load?: Load
}

interface Circuit {
  readonly stepMs: number
  readonly parts: readonly Part[]
  readonly driver: { readonly branch: Source; readonly drive: Drive }
  /** One part is removed at this step. */
  readonly changeStep: number
  readonly removed: Part | undefined
  readonly moments: readonly number[]
}

/** Of each moment the pin's voltage and the voltage across the driver's resistance; the ranges before and after the change. */
export interface Seen {
  readonly volts: readonly number[]
  readonly drops: readonly number[]
  readonly ranges: readonly (readonly [lowest: number, highest: number])[]
}

export function randomCircuit(seed: number): Circuit {
  const random = seededRandom(seed)
  const stepMs = pick(random, [0.0005, 0.005, 0.05])
  const many = (most: number, least: number, make: (random: Random, stepMs: number) => Part): Part[] =>
    Array.from({ length: whole(random, least, most) }, () => make(random, stepMs))
  const parts = [...many(4, 1, anyWave), ...many(3, 0, anyLoad), ...many(3, 1, anyStill)]
  return {
    stepMs,
    parts,
    driver: anyDriver(random, stepMs),
    changeStep: 2 * whole(random, STEPS / 8, STEPS / 3),
    removed: pick(random, parts),
    moments: Array.from({ length: MOMENTS }, () => 2 * whole(random, 0, STEPS / 2 - 1) + 1).sort((a, b) => a - b),
  }
}

export function describeCircuit({ stepMs, parts, removed, changeStep }: Circuit): string {
  const all = parts.map(({ element }) => element.description).join('; ')
  return `${all}; without ${removed?.element.description} from ${changeStep * stepMs} ms on`
}

/** Whether a coil or a motor may remember noise or a changing resistance for longer than the twin follows it, beside another wave. */
export function isApproximated({ parts, driver }: Circuit): boolean {
  const isRough = driver.branch instanceof Alternation || parts.some(({ element }) => element.kind === 'noise')
  return isRough && parts.some(({ load }) => load !== undefined)
}

/** Runs a circuit on the twin. `order` is the seed of the order of connecting. */
export async function seenByTwin({ stepMs, parts, driver, changeStep, removed, moments }: Circuit, order: number): Promise<Seen> {
  const clock = new ManualClock()
  const wiring = new Wiring(clock)
  const terminal = wiring.terminal('3/1')
  const random = seededRandom(order)
  const acts = parts.map((part) => ({ at: random(), act: () => [part, wiring.connect('3/1', part.element)] as const }))
  const drivesFirst = random() < 0.5
  if (drivesFirst) terminal.drive(driver.branch)
  const connections = new Map(acts.sort((a, b) => a.at - b.at).map(({ act }) => act()))
  if (!drivesFirst) terminal.drive(driver.branch)
  const trace = new PinTrace(terminal, clock, {})
  const seen = { volts: new Array<number>(), drops: new Array<number>() }
  const look = (from: number, to: number): void => {
    for (const step of moments.filter((each) => each >= from && each < to)) {
      seen.volts.push(terminal.voltsAt(step * stepMs))
      seen.drops.push(terminal.ampsAt(step * stepMs) * driver.branch.theveninAt(step * stepMs).ohms)
    }
  }
  look(0, changeStep)
  await clock.advance(changeStep * stepMs)
  if (removed !== undefined) connections.get(removed)?.disconnect()
  look(changeStep, STEPS)
  await clock.advance((STEPS - changeStep) * stepMs)
  const rangeOf = (from: number, to: number): readonly [number, number] => {
    const [sample] = trace.samples(from, to, 1) as [TraceSample]
    return [sample.lowVolts, sample.highVolts]
  }
  return { ...seen, ranges: [rangeOf(0, changeStep * stepMs), rangeOf(changeStep * stepMs, clock.now())] }
}

/** The same by simulation. */
export function seenBySimulation({ stepMs, parts, driver, changeStep, removed, moments }: Circuit): Seen {
  const run = (present: readonly Part[], fromStep: number, untilStep: number, states: ReadonlyMap<Part, LoadState>) => {
    const loaded = present.filter(({ load }) => load !== undefined)
    const found = simulated({
      drives: [driver.drive, ...present.flatMap(({ drive }) => drive ?? [])],
      loads: loaded.flatMap(({ load }) => load ?? []),
      stepMs,
      fromStep,
      untilStep,
      stops: moments,
      states: loaded.map((part) => states.get(part) ?? REST),
    })
    const all = [...found.ranges.values()].flat()
    const range = [Math.min(...all), Math.max(...all)].map(clamped) as [number, number]
    return { at: found.at, range, states: new Map(loaded.map((part, index) => [part, found.states[index] ?? REST])) }
  }
  const before = run(parts, 0, changeStep, new Map())
  const left = parts.filter((part) => part !== removed)
  const after = run(left, changeStep, STEPS, before.states)
  const at = moments.map((step) => (step < changeStep ? before : after).at.get(step) ?? { volts: Number.NaN, drop: Number.NaN })
  const volts = at.map((each) => clamped(each.volts))
  return {
    volts,
    drops: at.map((each, index) => each.volts + each.drop - (volts[index] ?? 0)),
    ranges: [before.range, after.range],
  }
}

function clamped(volts: number): number {
  return Math.min(Math.max(volts, -CLAMP_VOLTS), CLAMP_VOLTS)
}

function whole(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[whole(random, 0, items.length - 1)] as Item
}

/** A number between two bounds, equally often in each decade. */
function spread(random: Random, least: number, most: number): number {
  return Number((least * (most / least) ** random()).toPrecision(3))
}

function anyWave(random: Random, stepMs: number): Part {
  const period = 2 * whole(random, 20, pick(random, [100, 1000, 10_000]))
  const lowVolts = whole(random, -100, 50) / 10
  const swing = whole(random, 5, 150) / 10
  const ohms = spread(random, 10, 10_000)
  const lead = 2 * whole(random, 0, period / 2 - 1)
  const rise = 2 * whole(random, 1, period / 2 - 1)
  const of = { frequencyHz: MS_PER_SECOND / (period * stepMs), lowVolts, highVolts: lowVolts + swing, ohms }
  const phased = { ...of, phaseDegrees: (lead / period) * FULL_TURN_DEGREES }
  const turnAfter = turnsOf(period, lead, [0, rise])
  const drive = (share: (from: number, to: number) => readonly [number, number], more: Partial<Drive> = {}): Drive => ({
    ohms: () => ohms,
    volts: (from, to) => {
      const [first, last] = share(from, to)
      return [lowVolts + swing * first, lowVolts + swing * last]
    },
    turnAfter,
    longest: STEPS,
    ...more,
  })
  const into = (step: number): number => (step + lead) % period
  switch (pick(random, ['square', 'sine', 'triangle', 'noise'] as const)) {
    case 'square': {
      const level = (from: number): number => Number(into(from) < rise)
      return {
        element: squareWave({ ...phased, duty: rise / period }),
        drive: drive((from) => [level(from), level(from)]),
      }
    }
    case 'sine': {
      const share = (step: number): number => 0.5 + 0.5 * Math.sin((2 * Math.PI * into(step)) / period)
      const longest = Math.max(1, Math.floor(period * STRAIGHT_SHARE))
      return {
        element: sineWave(phased),
        drive: drive((from, to) => [share(from), share(to)], { longest, turnAfter: () => STEPS * 2 }),
      }
    }
    case 'triangle': {
      const share = (from: number, step: number): number => {
        const steps = into(from) + step - from
        return into(from) < rise ? steps / rise : (period - steps) / (period - rise)
      }
      return {
        element: triangleWave({ ...phased, duty: rise / period }),
        drive: drive((from, to) => [share(from, from), share(from, to)]),
      }
    }
    case 'noise': {
      const element = noise({ ...of, seed: whole(random, 0, 1_000_000) })
      // Its random values are taken from the element; everything between and around them is computed here.
      const { branch } = element as { branch: Source }
      const values = Array.from(
        { length: STEPS / period + 2 },
        (_, cell) => branch.theveninAt((cell + 1e-9) * period * stepMs).volts,
      )
      const share = (cell: number, step: number): number => {
        const [from = 0, to = 0] = [values[cell], values[cell + 1]]
        return (from + (to - from) * (step / period - cell) - lowVolts) / swing
      }
      const cellOf = (step: number): number => Math.floor(step / period)
      return {
        element,
        drive: drive((from, to) => [share(cellOf(from), from), share(cellOf(from), to)], { turnAfter: turnsOf(period, 0, [0]) }),
      }
    }
  }
}

/** The next turn of a wave after a step: at these steps of each period, which began `lead` steps before step 0. */
function turnsOf(period: number, lead: number, turns: readonly number[]): (step: number) => number {
  return (step) => {
    const into = (step + lead) % period
    return Math.min(...turns.map((turn) => step + (turn > into ? turn - into : turn - into + period)))
  }
}

function anyStill(random: Random): Part {
  const of = { volts: pick(random, [0, 3.3, 5, 12, -5]), ohms: spread(random, 10, 100_000) }
  return { element: random() < 0.5 ? resistor(of) : source(of), drive: steady(of) }
}

function steady({ volts, ohms }: { volts: number; ohms: number }): Drive {
  return { ohms: () => ohms, volts: () => [volts, volts], turnAfter: () => STEPS * 2, longest: STEPS }
}

/** The module's side: an input, an output, or a pwm with another resistance in either part. */
function anyDriver(random: Random, stepMs: number): Circuit['driver'] {
  const high = pick(random, [
    { volts: 12.05, ohms: 3.1 },
    { volts: 5.15, ohms: 19 / 6 },
  ])
  const low = { volts: 0, ohms: 1 }
  const still = pick(random, [undefined, undefined, { volts: 0, ohms: INPUT_OHMS }, high, low])
  if (still !== undefined) return { branch: new Steady(still), drive: steady(still) }
  const period = 2 * whole(random, 20, 500)
  const rise = 2 * whole(random, 1, period / 2 - 1)
  const theveninAt = (step: number): typeof low => (step % period < rise ? high : low)
  return {
    branch: alternate({ startMs: 0, periodMs: period * stepMs, highMs: rise * stepMs }, high, low),
    drive: {
      ohms: (from) => theveninAt(from).ohms,
      volts: (from) => [theveninAt(from).volts, theveninAt(from).volts],
      turnAfter: turnsOf(period, 0, [0, rise]),
      longest: STEPS,
    },
  }
}

/** A coil or a motor with a time constant between a few steps and the whole run. */
function anyLoad(random: Random, stepMs: number): Part {
  const ohms = spread(random, 10, 1000)
  const volts = pick(random, [0, 0, 0, 5])
  const ms = spread(random, 5, STEPS) * stepMs
  if (random() < 0.6) {
    const suppression = spread(random, 2, 1000)
    const henry = Math.min(Math.max(1e-6, (ms / MS_PER_SECOND) * ohms), 1000)
    const acrossOhms = suppression * ohms
    return {
      element: coil({ ohms, henry, volts, suppression }),
      load: { volts, henry, acrossOhms, windingOhms: 1 / (1 / ohms - 1 / acrossOhms) },
    }
  }
  const startUpMs = Math.max(1, ms)
  const startUpMultiple = spread(random, 1.5, 10)
  const henry = pick(random, [0, 0.002, 0.1])
  const acrossOhms = henry === 0 ? Number.POSITIVE_INFINITY : 1000 * ohms
  const windingOhms = 1 / (startUpMultiple / ohms - 1 / acrossOhms)
  const frictionOhms = 1 / (1 / ohms - 1 / acrossOhms) - windingOhms
  const farad = (startUpMs / MS_PER_SECOND) * (1 / windingOhms + 1 / frictionOhms)
  return {
    element: motor({ ohms, startUpMs, startUpMultiple, henry, volts }),
    load: { volts, henry, acrossOhms, windingOhms, rotor: { frictionOhms, farad } },
  }
}
