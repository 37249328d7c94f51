import type { CircuitNode } from '../circuit/analysis/circuit-node.ts'
import type { Waveform } from '../circuit/analysis/waveform.ts'
import type { Source } from '../circuit/branch.ts'
import type { Range } from '../circuit/events/zero-crossing.ts'

/** Edges to walk on one interval; for more of them, moments to sample after these edges. */
const EDGES = 2048
const MOMENTS = 128
/** Coils or motors behind fast sources of several periods make each look far ahead slow. */
const MOMENTS_WITH_MEMORY = 16
/** Edges to walk from a sampled moment. */
const EDGES_OF_A_SAMPLE = 3
/** Turns within which a source shows its highest voltage; for noise, among how many one is sought. */
const TURNS_OF_A_PERIOD = 2
const TURNS_OF_NOISE = 128
/** Just before a turn, as a share of the period. */
const JUST_BEFORE = 2 ** -12
/** Halvings of the time between two edges where the voltage turns. */
const HALVINGS = 10

/** Lowest and highest voltage of a node in [`fromMs`, `toMs`). Walks from edge to edge, so that it misses no pulse between two samples. */
export function voltageRange(node: CircuitNode, fromMs: number, toMs: number): Range {
  const seen = new Extremes(node)
  seen.see(node.voltsAt(fromMs))
  // A periodic voltage shows its whole range in one period.
  const endMs = Math.min(toMs, Math.max(fromMs, node.regularFromMs) + node.periodMs())
  const atMs = seen.walk(fromMs, endMs, EDGES)
  if (endMs < toMs) seen.see(node.voltsAt(endMs))
  if (atMs < endMs) sample(node, seen, atMs, endMs)
  return seen.range
}

/** The extremes of a node's voltage, as far as seen. */
class Extremes {
  #lowest = Number.POSITIVE_INFINITY
  #highest = Number.NEGATIVE_INFINITY

  constructor(private readonly node: CircuitNode) {}

  get range(): Range {
    return [this.#lowest, this.#highest]
  }

  see(volts: number): void {
    const clamped = this.node.clamped(volts)
    this.#lowest = Math.min(this.#lowest, clamped)
    this.#highest = Math.max(this.#highest, clamped)
  }

  /** Walks over a number of edges, but not beyond `toMs`; returns where it ended. */
  walk(fromMs: number, toMs: number, count: number): number {
    let atMs = fromMs
    for (let edges = 0; atMs < toMs && edges < count; edges++) {
      const nextMs = Math.min(this.node.edgeAfter(atMs), toMs)
      if (this.node.isStepped) this.see(this.node.voltsAt(atMs))
      else this.#seeAll(this.node.waveformAt(atMs), atMs, nextMs)
      atMs = nextMs
    }
    return atMs
  }

  /** Halves an interval without edges until the voltage only rises or falls, or proven bounds show that nothing new is there. */
  #seeAll(waveform: Waveform, fromMs: number, toMs: number, halvings = HALVINGS): void {
    this.see(waveform.at(fromMs))
    this.see(waveform.at(toMs))
    const [slowest, fastest] = waveform.slopes(fromMs, toMs)
    const [low, high] = waveform.range(fromMs, toMs)
    const isKnown = this.node.clamped(low) >= this.#lowest && this.node.clamped(high) <= this.#highest
    if (isKnown || slowest >= 0 || fastest <= 0 || halvings === 0) return
    const middleMs = (fromMs + toMs) / 2
    this.#seeAll(waveform, fromMs, middleMs, halvings - 1)
    this.#seeAll(waveform, middleMs, toMs, halvings - 1)
  }
}

/**
 * For too many edges: walks over a few edges at many moments, and at the edges of slow sources. Each moment is moved to where the fast
 * sources are near their highest or lowest voltage together. Only shows voltages that occur, and may miss rare ones.
 */
function sample(node: CircuitNode, seen: Extremes, fromMs: number, toMs: number): void {
  const count = node.hasStates ? MOMENTS_WITH_MEMORY : MOMENTS
  const fastMs = (toMs - fromMs) / count
  const fast = node.moving.filter(({ periodMs }) => periodMs > 0 && periodMs <= fastMs).sort((a, b) => b.periodMs - a.periodMs)
  const moments = Array.from({ length: count }, (_, index) => fromMs + ((index + 0.5) / count) * (toMs - fromMs))
  let edgeMs = node.edgeAfter(fromMs, fastMs)
  while (edgeMs < toMs && moments.length < 3 * count) {
    // A slow source may be at its peak at its edge: the fast ones have theirs on either side.
    moments.push(Math.max(fromMs, edgeMs - (fast[0]?.periodMs ?? 0)), edgeMs)
    edgeMs = node.edgeAfter(edgeMs, fastMs)
  }
  const backMs = JUST_BEFORE * (fast.at(-1)?.periodMs ?? 0)
  for (const momentMs of moments) {
    for (const sign of [1, -1]) {
      const peakMs = fast.reduce((atMs, source) => peakNear(source, atMs, sign), momentMs)
      seen.walk(Math.max(fromMs, node.edgeUpTo(peakMs - backMs)), toMs, EDGES_OF_A_SAMPLE)
    }
  }
}

/** The moment within a few turns from now at which the voltage of the source, times a sign, is highest. */
function peakNear(source: Source, fromMs: number, sign: number): number {
  const backMs = JUST_BEFORE * source.periodMs
  let peakMs = fromMs
  let turnMs = fromMs
  for (let turns = source.repeats ? TURNS_OF_A_PERIOD : TURNS_OF_NOISE; turns > 0; turns--) {
    turnMs = source.turnAfter(turnMs)
    for (const atMs of [turnMs - backMs, turnMs]) {
      if (atMs > fromMs && sign * source.theveninAt(atMs).volts > sign * source.theveninAt(peakMs).volts) peakMs = atMs
    }
  }
  return peakMs
}
