import { coil, resistor, source, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'
import * as wire from './wire.ts'

const ENDS = [
  ['3/1', '5/2'],
  ['5/2', '3/1'],
] as const
const MICROSECOND_MS = 0.001
const PIN_POWER = { config: Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 500 }) as const) }

/** Modules in slots 5 (the bench's own) and 3; pin 1 of slot 3 is wired to pin 2 of slot 5. */
function twoModules(from: string, to: string) {
  const io = new BareIoModule(5)
  const third = io.plug(3)
  third.reset()
  third.start?.()
  io.send(wire.setPowerConfig, PIN_POWER, third)
  io.send(wire.setPowerConfig, PIN_POWER)
  const connection = io.wiring.wire(from, to)
  const third1 = (state: 'high' | 'low') => io.send(wire.setOutputState, { pin: 1, state }, third)
  return { io, third, third1, connection }
}

describe('a wire between pins of two modules', () => {
  /** All readings and events of a drive, a load, two outputs against each other, and an outside voltage. */
  async function story(from: string, to: string, loadOn: string): Promise<unknown> {
    const { io, third, third1 } = twoModules(from, to)
    const seen: unknown[] = []
    const look = () =>
      seen.push(
        io.value(2),
        io.milliampere(2),
        io.send(wire.getValues, {}, third).readings[0],
        io.send(wire.getCurrentValues, {}, third).readings[0],
        io.rails.current('12v'),
      )
    io.threshold(2, 6000, 'rising')
    third1('high')
    look()
    const load = io.wiring.connect(loadOn, resistor({ ohms: 100 }))
    const relay = io.wiring.connect(loadOn, coil({ ohms: 300, henry: 0.6 }))
    await io.clock.advance(3)
    look()
    load.disconnect()
    relay.disconnect()
    third1('low')
    look()
    io.output(2, 'low')
    third1('high')
    look()
    await io.clock.advance(100)
    look()
    io.wiring.connect(loadOn, squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 50 }))
    io.mode(2, 'digital')
    io.counter(2, 'enabled')
    await io.clock.advance(1000)
    look()
    io.wiring.connect(loadOn, source({ volts: 40 }))
    await io.clock.advance(100)
    look()
    // Events at one moment may come in any order.
    return { seen, alerts: io.alerts.map((alert) => JSON.stringify(alert)).sort() }
  }

  it('trips both outputs of a short circuit, also where time passes between any two steps', async () => {
    const { io, third1 } = twoModules('3/1', '5/2')
    const now = io.clock.now.bind(io.clock)
    let steps = 0
    io.clock.now = () => now() + MICROSECOND_MS * steps++
    third1('low')
    io.output(2, 'low')
    third1('high')
    await io.clock.advance(30)
    expect(io.alerts.map(({ highCurrentAlert }) => highCurrentAlert)).toEqual([0b01, 0b10])
  })

  it('is the same in both directions, with the load at either end', async () => {
    const expected = await story('3/1', '5/2', '3/1')
    for (const [from, to] of ENDS) for (const loadOn of ENDS[0]) expect(await story(from, to, loadOn)).toEqual(expected)
  })

  it('is one node: 12.05 V behind 3.1 Ω into 100 Ω are 11.69 V at both, and 117 mA out of the driving one', () => {
    const { io, third, third1 } = twoModules('3/1', '5/2')
    third1('high')
    io.wiring.connect('5/2', resistor({ ohms: 100 }))
    expect(io.value(2)).toEqual(['voltage_millivolt', 11_690])
    expect(io.milliampere(2)).toBe(0)
    expect(io.send(wire.getCurrentValues, {}, third).readings[0]?.value).toBe(117 + 2)
  })

  it('counts once if it is connected twice', () => {
    const { io, third1, connection } = twoModules('3/1', '5/2')
    const second = io.wiring.wire('5/2', '3/1')
    third1('high')
    io.wiring.connect('5/2', resistor({ ohms: 100 }))
    expect(io.value(2)).toEqual(['voltage_millivolt', 11_690])
    connection.disconnect()
    expect(io.value(2)).toEqual(['voltage_millivolt', 11_690])
    second.disconnect()
    expect(io.value(2)).toEqual(['voltage_millivolt', 0])
  })

  it('refuses the second driver at either end: external voltage', () => {
    for (const [from, to] of ENDS) {
      const { io, third1 } = twoModules(from, to)
      third1('high')
      expect(io.statusOf(wire.setOutputState, { pin: 2, state: 'high' })).toBe(wire.OutputStatus.externalVoltage)
    }
  })
})
