import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { it } from 'vitest'
import { ManualClock } from '@slotwire/core'
import { Wiring } from './circuit/wiring.ts'
import { netlist, netsOf, spiceCircuits } from './circuit/network/spice-circuits.testkit.ts'
it('x', async () => {
  const want = process.env.WANT ?? ''
  const [from, to] = (process.env.SPAN ?? '0,0.1').split(',').map(Number)
  const circuit = spiceCircuits.find(({ name }) => name.startsWith(want))!
  writeFileSync('/tmp/circ-x/d.cir', netlist(circuit, 10, '/tmp/circ-x/d.txt'))
  console.log(netlist(circuit, 10, '/tmp/circ-x/d.txt'))
  execFileSync('ngspice', ['-b', '/tmp/circ-x/d.cir'])
  const rows = readFileSync('/tmp/circ-x/d.txt', 'utf8').trim().split('\n').map((l) => l.trim().split(/\s+/).map(Number))
  const clock = new ManualClock()
  const w = new Wiring(clock)
  const nets = netsOf(circuit)
  const pinOf = (n: string) => `3/${nets.indexOf(n) + 1}`
  for (const { kind, nets: own, element } of circuit.parts) {
    const [pin = '', a, b] = own.map(pinOf)
    w.connect(pin, element(), kind === 'relay' ? { contact: [a!, b!] } : { other: a })
  }
  for (const [s, ...v] of rows) {
    const ms = s! * 1000
    await clock.advance(ms - clock.now())
    if (ms < from! || ms > to!) continue
    const node = w.terminal('3/1').node
    console.log(ms.toFixed(4), ...nets.map((n, i) => `${n}: ${w.terminal(pinOf(n)).node.voltsAt(ms).toFixed(5)} ${v[i]!.toFixed(5)}`), node.edgeAfter(ms))
  }
})
