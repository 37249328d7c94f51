import { describe, expect, expectTypeOf, it } from 'vitest'
import { Steady } from '../circuit/branch.ts'
import { resistor, source } from '../circuit/elements/index.ts'
import { hang, lostFrames, memoryLoss, reboot } from '../faults/index.ts'
import { MAX_FAULTS } from '../faults/slot-faults.ts'
import { type Takes, untypedMethod } from '../untyped.testkit.ts'
import { toyBench } from './bench.testkit.ts'

describe('BenchPin', () => {
  it('is named by slot and pin, and shows its voltage and the current that the module delivers', () => {
    const { bench, chassis } = toyBench()
    const pin = bench.pin(2, 6)
    expect(pin).toMatchObject({ slot: 2, pin: 6, name: '2/6', volts: 0, amps: 0, connections: [] })
    chassis.wiring.terminal('2/6').drive(new Steady({ volts: 5, ohms: 10 }))
    pin.connect(resistor(490))
    expect(pin.volts).toBeCloseTo(4.9, 9)
    expect(pin.amps).toBeCloseTo(0.01, 9)
  })

  it('can be connected, shorted, wired to pins of other slots, and disconnected', () => {
    const { bench } = toyBench()
    const [pin, other] = [bench.pin(3, 1), bench.pin(7, 2)]
    const sensor = pin.connect(source(24, { ohms: 10_000 }))
    expect(pin.volts).toBeCloseTo(24, 9)
    const wire = pin.wireTo(other)
    expect(other.volts).toBeCloseTo(24, 9)
    const short = other.short()
    expect(pin.volts).toBeLessThan(0.001)
    expect(pin.connections.map(({ id }) => id)).toEqual([sensor.id, wire.id])
    expect(bench.connections.map(({ description }) => description)).toEqual([
      'source of 24 V behind 10000 Ω',
      'wire from 3/1 to 7/2',
      'short to ground',
    ])
    expect(bench.connection(short.id)).toBe(short)
    expect(pin.disconnect()).toBe(2)
    expect(other.connections).toEqual([short])
    expect(() => bench.connection(sensor.id)).toThrow(RangeError)
  })

  it('refuses a wire to itself or to a pin of another device', () => {
    const { bench } = toyBench()
    expect(() => bench.pin(3, 1).wireTo(bench.pin(3, 1))).toThrow(
      new RangeError('terminal 3/1 cannot be wired to itself: name two terminals'),
    )
    expect(() => bench.pin(3, 1).wireTo(toyBench().bench.pin(3, 2))).toThrow(
      new RangeError('pin 3/2 belongs to another device: use two pins of the same bench'),
    )
    expect(bench.connections).toEqual([])
  })

  it('changes the settings of a connected element, with the types of that element', () => {
    const { bench } = toyBench()
    const sensor = bench.pin(3, 1).connect(source(24, { ohms: 1000 }))
    sensor.set({ volts: 5 })
    expect(bench.pin(3, 1).volts).toBeCloseTo(5, 9)
    expectTypeOf<Takes<typeof sensor.set, [{ volts: number }]>>().toEqualTypeOf<true>()
    expectTypeOf<Takes<typeof sensor.set, [{ celsius: number }]>>().toEqualTypeOf<false>()
    expect(() => untypedMethod(sensor, 'set', { celsius: 5 })).toThrow('celsius is unknown: allowed: volts and ohms')
  })

  it('keeps its connections when its module is unplugged', async () => {
    const { bench, chassis } = toyBench()
    await chassis.powerOn()
    const pin = bench.pin(2, 1)
    pin.connect(source(5))
    bench.slot(2).unplug()
    expect([pin.volts, pin.connections.length]).toEqual([expect.closeTo(5, 9), 1])
    chassis.powerOff()
  })

  it('uses the clock of the device for recordings', async () => {
    const { bench, clock } = toyBench()
    const trace = bench.pin(3, 1).record()
    await clock.advance(50)
    expect([trace.sinceMs, trace.untilMs]).toEqual([0, 50])
    trace.stop()
  })

  it.each([
    [8, 1, 'slot is out of range: 0…7, not 8'],
    [-1, 1, 'slot is out of range: 0…7, not -1'],
    [1.5, 1, 'slot must be a whole number: 0…7, not 1.5'],
    [3, 0, 'pin is out of range: 1…6, not 0'],
    [3, 7, 'pin is out of range: 1…6, not 7'],
    [Number.NaN, 1, 'slot is out of range: 0…7, not NaN'],
  ])('refuses %f/%f: %s', (slot, pin, message) => {
    expect(() => toyBench().bench.pin(slot, pin)).toThrow(new RangeError(message))
  })
})

describe('BenchRail', () => {
  it('shows the current of modules and load, and 0 while the device is off', async () => {
    const { bench, chassis } = toyBench()
    const rail = bench.rail('5v0')
    expect([rail.rail, rail.isOn, rail.milliampere]).toEqual(['5v0', false, 0])
    await chassis.powerOn()
    chassis.rails.setDraw(2, { '3v3': 0, '5v0': 100, '12v': 0 })
    rail.loadMilliampere = 300
    expect([rail.isOn, rail.milliampere, rail.loadMilliampere]).toEqual([true, 400, 300])
    chassis.powerOff()
    expect([rail.isOn, rail.milliampere, rail.loadMilliampere]).toEqual([false, 0, 300])
  })

  it('passes a voltage offset to the chassis', () => {
    const { bench, chassis } = toyBench()
    bench.rail('12v').offsetMillivolt = -1500
    expect([bench.rail('12v').offsetMillivolt, chassis.rails.voltageOffset('12v')]).toEqual([-1500, -1500])
  })

  it('refuses values out of range and unknown rails', () => {
    const { bench } = toyBench()
    const rail = bench.rail('3v3')
    expect(() => (rail.loadMilliampere = -1)).toThrow(new RangeError('loadMilliampere is out of range: 0…20000 mA, not -1'))
    expect(() => (rail.loadMilliampere = 20_001)).toThrow('0…20000 mA')
    expect(() => (rail.offsetMillivolt = Number.NaN)).toThrow(
      new RangeError('offsetMillivolt is out of range: -15000…15000 mV, not NaN'),
    )
    expect([rail.loadMilliampere, rail.offsetMillivolt]).toEqual([0, 0])
    expectTypeOf<Takes<typeof bench.rail, ['24v']>>().toEqualTypeOf<false>()
    expect(() => untypedMethod(bench, 'rail', '24v')).toThrow(new RangeError('rail 24v: 3v3, 5v0, 12v'))
  })
})

describe('BenchUsb', () => {
  const stick = { manufacturer: 'Acme', product: 'Stick', serialCode: '1' }

  it('attaches devices to the ports of slots, and detaches them', () => {
    const { usb } = toyBench().bench
    usb.attach(5, stick)
    usb.attach(4, { ...stick, serialCode: '2' })
    expect(usb.devices.map(({ slot, device }) => [slot, device.serialCode])).toEqual([
      [4, '2'],
      [5, '1'],
    ])
    usb.detach(4)
    expect(usb.devices).toEqual([{ slot: 5, device: stick }])
  })

  it('refuses a slot without a port, a taken port, an empty port, and texts that are too long', () => {
    const { usb } = toyBench().bench
    expect(() => usb.attach(3, stick)).toThrow(new RangeError('slot 3 has no USB port: use one of 4, 5'))
    expect(() => usb.detach(3)).toThrow('slot 3 has no USB port')
    expect(() => usb.detach(5)).toThrow(new RangeError('no device is on the USB port of slot 5'))
    usb.attach(5, stick)
    expect(() => usb.attach(5, stick)).toThrow(new RangeError('the USB port of slot 5 is taken: detach its device first'))
    expect(() => usb.attach(4, { ...stick, product: 'x'.repeat(127) })).toThrow(
      new RangeError('product is too long: at most 126 characters'),
    )
  })

  it('connects a host to the port of the computer', () => {
    const { bench, chassis } = toyBench()
    expect(bench.usb.hostConnected).toBe(false)
    bench.usb.hostConnected = true
    expect([bench.usb.hostConnected, chassis.computer.usbHostConnected]).toEqual([true, true])
  })
})

describe('surroundings of the device', () => {
  it('set the ambient temperature and the heat of the computer, within their ranges', () => {
    const { bench, chassis } = toyBench()
    bench.ambientCelsius = 60
    bench.computerWatt = 7.5
    expect([bench.ambientCelsius, bench.computerWatt]).toEqual([60, 7.5])
    expect([chassis.computer.ambientCelsius, chassis.computer.loadWatt]).toEqual([60, 7.5])
    expect(() => (bench.ambientCelsius = 126)).toThrow(new RangeError('ambientCelsius is out of range: -40…125 °C, not 126'))
    expect(() => (bench.ambientCelsius = -41)).toThrow('-40…125 °C')
    expect(() => (bench.computerWatt = -1)).toThrow(new RangeError('computerWatt is out of range: 0…50 W, not -1'))
  })
})

describe('faults of the bench', () => {
  it('are listed in the order of injection, with kind, settings and duration', async () => {
    const { bench, clock } = toyBench()
    await clock.advance(5)
    bench.slot(2).inject(lostFrames(0.3), { forMs: 100 })
    bench.slot(7).inject(hang())
    expect(bench.faults).toMatchObject([
      {
        id: 'f1',
        slot: 2,
        kind: 'lostFrames',
        settings: { share: 0.3 },
        description: '30 % of the frames get lost',
        sinceMs: 5,
        untilMs: 105,
      },
      { id: 'f2', slot: 7, kind: 'hang', settings: {}, sinceMs: 5, untilMs: undefined },
    ])
    await clock.advance(100)
    expect(bench.faults.map(({ kind }) => kind)).toEqual(['hang'])
  })

  it('are cleared one by one, slot by slot, or all; clearFaults returns the count', () => {
    const { bench, clock } = toyBench()
    const first = bench.slot(2).inject(hang(), { forMs: 10 })
    bench.slot(2).inject(hang())
    bench.slot(3).inject(hang())
    first?.clear()
    first?.clear()
    expect([bench.faults.length, clock.pending]).toEqual([2, 0])
    expect([bench.clearFaults(2), bench.clearFaults(2), bench.clearFaults(), bench.clearFaults()]).toEqual([1, 0, 1, 0])
    expect(() => bench.clearFaults(8)).toThrow('slot is out of range: 0…7, not 8')
  })

  it('leave nothing to clear if they are over at once', () => {
    const { bench } = toyBench()
    expect(bench.slot(2).inject(reboot())).toBeUndefined()
    expect(bench.faults).toEqual([])
  })

  it('reject a duration if they are over at once, and do not happen', () => {
    const { bench, chassis } = toyBench()
    const { memory } = chassis.faults.slot(2)
    memory.save({ level: 1 })
    expect(() => bench.slot(2).inject(memoryLoss(), { forMs: 1000 })).toThrow(
      new RangeError('memoryLoss has no duration: leave forMs out'),
    )
    expect(memory.load()).toEqual({ state: 'ok', document: { level: 1 } })
  })

  it('are limited in number and duration', () => {
    const { bench } = toyBench()
    const slot = bench.slot(2)
    for (const forMs of [0, -1, Number.NaN, 604_800_001])
      expect(() => slot.inject(hang(), { forMs })).toThrow(new RangeError(`forMs is out of range: 1 ms to 168 h, not ${forMs}`))
    for (let count = 0; count < MAX_FAULTS; count++) slot.inject(hang())
    expect(() => slot.inject(hang())).toThrow(new RangeError('limit of 100 faults reached: clear some first'))
    bench.clearFaults()
  })
})
