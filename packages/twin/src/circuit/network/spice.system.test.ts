import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../../../../tools/setup/describe-with.mjs'
import { NodeWalk } from '../node/node-walk.ts'
import { Wiring } from '../wiring.ts'
import { netlist, type SpiceCircuit, spiceCircuits } from './spice-circuits.testkit.ts'

const UNTIL_MS = 10
/** Largest difference, as a share of the circuit's largest voltage. */
const DIFFERENCE = 0.001
const EVENT_MS = 0.05
/** SPICE needs this long for the edge of a wave. */
const AROUND_EDGE_MS = 0.0075
const LIMIT_MS = 20_000

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spice-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Rows of the time in ms and the voltages, every 5 µs. */
async function simulated(
  ngspice: string,
  circuit: SpiceCircuit,
  nets: readonly string[],
): Promise<readonly (readonly number[])[]> {
  const file = join(folder, 'circuit.cir')
  const data = join(folder, 'volts.txt')
  await rm(data, { force: true })
  await writeFile(file, netlist(circuit, nets, UNTIL_MS, data))
  await promisify(execFile)(ngspice, ['-b', file], { timeout: LIMIT_MS, cwd: folder })
  const lines = (await readFile(data, 'utf8')).trim().split('\n')
  return lines.map((line) => line.trim().split(/\s+/).map(Number)).map(([seconds = 0, ...volts]) => [seconds * 1000, ...volts])
}

function wired({ parts }: SpiceCircuit, nets: readonly string[]) {
  const wiring = new Wiring()
  const pinOf = (net: string): string => `3/${nets.indexOf(net) + 1}`
  for (const {
    nets: [from, to],
    element,
  } of parts)
    wiring.connect(pinOf(from), element(), { other: to === undefined ? undefined : pinOf(to) })
  return nets.map((net) => wiring.terminal(pinOf(net)).node)
}

describeWith('ngspice', 'the twin computes what ngspice computes', (ngspice) => {
  it.each(spiceCircuits.map((circuit) => [circuit.name, circuit] as const))(
    '%s',
    async (_name, circuit) => {
      const nets = [...new Set(circuit.parts.flatMap((part) => part.nets.filter((net) => net !== undefined)))].sort()
      const nodes = wired(circuit, nets)
      const rows = (await simulated(ngspice, circuit, nets)).slice(2)
      expect(rows.length).toBeGreaterThan(1900)
      const largest = Math.max(...rows.flatMap(([, ...volts]) => volts.map(Math.abs)))
      for (const [index, node] of nodes.entries()) {
        let worst = 0
        for (const [atMs = 0, ...volts] of rows) {
          if (node.edgeAfter(atMs - AROUND_EDGE_MS) <= atMs + AROUND_EDGE_MS && node.moving.length > 0) continue
          worst = Math.max(worst, Math.abs(node.voltsAt(atMs) - (volts[index] ?? Number.NaN)))
        }
        expect(worst / largest, `${nets[index]}`).toBeLessThan(DIFFERENCE)
        expectSameCrossing(node, rows, index + 1, nets[index] ?? '')
      }
    },
    2 * LIMIT_MS,
  )
})

/** Both see the first crossing of the middle of the voltages at the same moment. */
function expectSameCrossing(
  node: ReturnType<typeof wired>[number],
  rows: readonly (readonly number[])[],
  column: number,
  net: string,
) {
  const volts = rows.map((row) => row[column] ?? Number.NaN)
  const level = (Math.min(...volts) + Math.max(...volts)) / 2
  const side = (volts[0] ?? 0) > level ? 'below' : 'above'
  const found = volts.findIndex((value) => (side === 'above' ? value > level : value < level))
  if (found < 0 || Math.max(...volts) - Math.min(...volts) < 1e-6) return
  const moment = new NodeWalk(node, rows[0]?.[0] ?? 0).next(level, side, UNTIL_MS)
  expect(moment.found, `crossing at ${net}`).toBe(true)
  expect(Math.abs(moment.atMs - (rows[found]?.[0] ?? 0)), `crossing at ${net}`).toBeLessThan(EVENT_MS)
}
