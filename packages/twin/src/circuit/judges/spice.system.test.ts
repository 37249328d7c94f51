import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ManualClock } from '@slotwire/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../../../../tools/setup/describe-with.mjs'
import { type CircuitNode, CLAMP_VOLTS } from '../analysis/circuit-node.ts'
import { CrossingSearch } from '../events/crossing-search.ts'
import { isBeyond, type Side } from '../events/zero-crossing.ts'
import { Wiring } from '../wiring.ts'
import { allPairs, netlist, netsOf, pairsOf, type SpiceCircuit, spiceCircuits } from './spice-circuits.testkit.ts'

const UNTIL_MS = 10
/** Largest difference, as a share of the circuit's largest voltage. */
const DIFFERENCE = 0.001
const EVENT_MS = 0.05
/** SPICE needs this long for the edge of a wave. */
const AROUND_EDGE_MS = 0.0075
const LIMIT_MS = 20_000

let folder: string
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'spice-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Rows of the time in ms and the voltages, every 5 µs; voltages as the input of a pin shows them. */
async function simulated(ngspice: string, circuit: SpiceCircuit): Promise<readonly (readonly number[])[]> {
  const file = join(folder, 'circuit.cir')
  const data = join(folder, 'volts.txt')
  await rm(data, { force: true })
  await writeFile(file, netlist(circuit, UNTIL_MS, data))
  await promisify(execFile)(ngspice, ['-b', file], { timeout: LIMIT_MS, cwd: folder })
  const lines = (await readFile(data, 'utf8')).trim().split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([seconds = 0, ...volts]) => [
      seconds * 1000,
      ...volts.map((each) => Math.min(Math.max(each, -CLAMP_VOLTS), CLAMP_VOLTS)),
    ])
}

/** A node and when it began. */
interface Phase {
  readonly sinceMs: number
  readonly node: CircuitNode
}

/** The nodes of each net, one after the other, over the whole time. */
async function computed(circuit: SpiceCircuit): Promise<readonly (readonly Phase[])[]> {
  const clock = new ManualClock()
  const wiring = new Wiring(clock)
  const nets = netsOf(circuit)
  const pinOf = (net: string): string => `3/${nets.indexOf(net) + 1}`
  for (const { kind, nets: own, element } of circuit.parts) {
    const [pin = '', ...others] = own.map(pinOf)
    const [first, second] = others
    const contact = kind === 'relay' && first !== undefined && second !== undefined ? ([first, second] as const) : undefined
    wiring.connect(pin, element(), contact === undefined ? { other: first } : { contact })
  }
  const phases = nets.map((net) => {
    const terminal = wiring.terminal(pinOf(net))
    const found = [{ sinceMs: 0, node: terminal.node }]
    terminal.onChange(() => found.push({ sinceMs: clock.now(), node: terminal.node }))
    return found
  })
  await clock.advance(UNTIL_MS)
  return phases
}

function nodeAt(phases: readonly Phase[], atMs: number): CircuitNode {
  const found = phases.findLast(({ sinceMs }) => sinceMs <= atMs) ?? phases[0]
  if (found === undefined) throw new Error('a net has a node')
  return found.node
}

describeWith('ngspice', 'the twin computes what ngspice computes', (ngspice) => {
  it('has each pair of parts in at least one circuit', () => {
    const found = new Set(spiceCircuits.flatMap(({ parts }) => pairsOf(parts)))
    expect(allPairs.filter((pair) => !found.has(pair))).toEqual([])
    expect(spiceCircuits.length).toBeGreaterThanOrEqual(40)
  })

  it.each(spiceCircuits.map((circuit) => [circuit.name, circuit] as const))(
    '%s',
    async (_name, circuit) => {
      const nets = netsOf(circuit)
      const [phases, all] = await Promise.all([computed(circuit), simulated(ngspice, circuit)])
      const rows = all.slice(2)
      expect(rows.length).toBeGreaterThan(1900)
      const largest = Math.max(...rows.flatMap(([, ...volts]) => volts.map(Math.abs)))
      for (const [index, ofNet] of phases.entries()) {
        let worst = 0
        let worstMs = 0
        for (const [atMs = 0, ...volts] of rows) {
          const node = nodeAt(ofNet, atMs)
          if (node.moving.some((wave) => wave.turnAfter(atMs - AROUND_EDGE_MS) <= atMs + AROUND_EDGE_MS)) continue
          const difference = Math.abs(node.voltsAt(atMs) - (volts[index] ?? Number.NaN))
          if (difference > worst) worstMs = atMs
          worst = Math.max(worst, difference)
        }
        expect(worst / largest, `${nets[index]}, at ${worstMs} ms`).toBeLessThan(DIFFERENCE)
        expectSameCrossing(ofNet, rows, index + 1, nets[index] ?? '')
      }
    },
    2 * LIMIT_MS,
  )
})

/** Both see the first crossing of the middle of the voltages at the same moment. */
function expectSameCrossing(phases: readonly Phase[], rows: readonly (readonly number[])[], column: number, net: string) {
  const volts = rows.map((row) => row[column] ?? Number.NaN)
  const level = (Math.min(...volts) + Math.max(...volts)) / 2
  const side = (volts[0] ?? 0) > level ? 'below' : 'above'
  const found = volts.findIndex((value) => isBeyond(value, level, side))
  if (found < 0 || Math.max(...volts) - Math.min(...volts) < 1e-3) return
  const atMs = crossingOf(phases, rows[0]?.[0] ?? 0, level, side)
  expect(Math.abs(atMs - (rows[found]?.[0] ?? 0)), `crossing at ${net}`).toBeLessThan(EVENT_MS)
}

function crossingOf(phases: readonly Phase[], fromMs: number, level: number, side: Side): number {
  for (const [index, { node, sinceMs }] of phases.entries()) {
    const untilMs = phases[index + 1]?.sinceMs ?? UNTIL_MS
    let atMs = Math.max(fromMs, sinceMs)
    if (atMs < untilMs && isBeyond(node.voltsAt(atMs), level, side)) return atMs
    while (atMs < untilMs) {
      const moment = new CrossingSearch(node, atMs).next(level, side, untilMs)
      if (moment.found && moment.atMs <= untilMs) return moment.atMs
      atMs = moment.found ? untilMs : moment.atMs
    }
  }
  return Number.POSITIVE_INFINITY
}
