import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

const io = 'io/1.0/3'

describe('pins', () => {
  it('show their connections, voltage and current', async () => {
    expect(await device.post('connect', { pin: '3/1', to: { source: { volts: 24, ohms: 10_000 } } })).toMatchObject({
      status: 200,
      body: { status: 'success', name: 'c4' },
    })
    // The input of the module is 1 MΩ to ground: 24 V × 1000 / 1010.
    expect(await device.get('/pin/3/1')).toEqual({
      slot: 3,
      pin: 1,
      volts: 23.762376,
      milliampere: -0.023762,
      connections: [
        {
          name: 'c4',
          pins: ['3/1'],
          kind: 'source',
          description: 'source of 24 V behind 10000 Ω',
          settings: { volts: 24, ohms: 10_000 },
        },
      ],
    })
    const { pins } = await device.read(`${io}/input/values`)
    expect(pins).toMatchObject([{ pin: 1, value: 23_760 }, {}, {}, {}, {}, {}])
  })

  it('can be wired together and disconnected', async () => {
    await device.post('connect', { pin: '3/1', to: { source: { volts: 5 } } })
    expect(await device.post('wire', { pins: ['3/1', '5/6'] })).toMatchObject({ status: 200, body: { name: 'c5' } })
    expect(await device.get('/pin/5/6')).toMatchObject({ volts: 5, connections: [{ kind: 'wire', pins: ['3/1', '5/6'] }] })
    expect(await device.post('disconnect', { of: '3/1' })).toMatchObject({ body: { status: 'success', disconnected: 2 } })
    expect(await device.get('/pin/5/6')).toMatchObject({ volts: 0, connections: [] })
  })

  it('take a resistor between two pins, and a capacitor', async () => {
    await device.post('connect', { pin: '3/1', to: { source: { volts: 12 } } })
    const other = '3/2'
    expect(await device.post('connect', { pin: '3/1', to: { resistor: { ohms: 1000 } }, other })).toMatchObject({
      status: 200,
      body: { name: 'c5' },
    })
    await device.post('connect', { pin: '3/2', to: { resistor: { ohms: 2000 } } })
    // The input of the module is 1 MΩ to ground: 2000 Ω beside it are 1996 Ω. The source has 1 mΩ.
    expect(await device.get('/pin/3/2')).toMatchObject({
      volts: 7.994662,
      connections: [{ kind: 'resistor', pins: ['3/1', '3/2'], description: 'resistor of 1000 Ω from 3/1 to 3/2' }, {}],
    })
    expect(await device.post('connect', { pin: '3/2', to: { capacitor: { farad: 1e-6 } }, other: '5/6' })).toMatchObject({
      status: 200,
    })
    expect(await device.post('disconnect', { of: '3/1' })).toMatchObject({ body: { disconnected: 2 } })
  })

  it.each([
    ['source', { volts: 3 }, 3],
    ['square_wave', { frequency_hz: 1, low_volts: 0, high_volts: 4 }, 4],
    ['current_source', { milliampere: 12, max_volts: 10 }, 10],
    ['resistor', { ohms: 0 }, 0],
    ['pt100', { celsius: 0 }, 0],
    ['ntc', { celsius: 25 }, 0],
    ['coil', { ohms: 100, henry: 1 }, 0],
    ['motor', { ohms: 100 }, 0],
    ['button', { pressed: true }, 0],
    ['diode', {}, 0],
    ['led', {}, 0],
    ['zener', { zener_volts: 5 }, 0],
    ['recorded_wave', { csv: '0,2\n1,2' }, 2],
  ])('take a %s between two pins, of two modules', async (kind, settings, volts) => {
    await device.post('short', { pin: '5/6' })
    const body = { pin: '3/1', to: { [kind]: settings }, other: '5/6' }
    expect(await device.post('connect', body)).toMatchObject({ status: 200 })
    const seen = await device.get('/pin/3/1')
    expect(seen['volts']).toBeCloseTo(volts, 2)
    expect(seen['connections']).toMatchObject([{ kind, pins: ['3/1', '5/6'] }])
  })

  it('take a relay with its contact between two other pins, and an encoder at two pins', async () => {
    const contact = ['3/2', '5/6']
    expect(
      await device.post('connect', { pin: '3/1', to: { relay: { ohms: 120, operate_ms: 4, bounces: 0 } }, contact }),
    ).toMatchObject({ status: 200 })
    await device.post('connect', { pin: '3/2', to: { source: { volts: 3 } } })
    await device.post('connect', { pin: '3/1', to: { source: { volts: 5 } } })
    expect((await device.get('/pin/5/6'))['volts']).toBe(0)
    await device.real.advance(20)
    expect((await device.get('/pin/5/6'))['volts']).toBeCloseTo(3, 2)
    expect(await device.post('connect', { pin: '3/3', to: { encoder: { rpm: 60 } }, other: '3/4' })).toMatchObject({
      status: 200,
    })
    expect((await device.get('/pin/3/3'))['volts']).toBeCloseTo(5, 2)
    const { connections } = (await device.get('/wiring')) as { connections: { pins: string[] }[] }
    expect(connections.slice(-4).map(({ pins }) => pins)).toEqual([['3/1', '3/2', '5/6'], ['3/2'], ['3/1'], ['3/3', '3/4']])
  })

  it('show the wiring of the default device', async () => {
    expect(await device.get('/wiring')).toMatchObject({
      connections: [
        { name: 'c1', kind: 'wire', pins: ['5/1', '5/2'], settings: {} },
        { name: 'c2', kind: 'resistor', pins: ['5/3'], settings: { ohms: 10_000, volts: 3.3 } },
        { name: 'c3', kind: 'square_wave', settings: { frequency_hz: 100, low_volts: 0, high_volts: 5, duty: 0.5 } },
      ],
    })
  })

  it.each([
    ['short', { pin: '3/7' }, 422, 'pin is not allowed: a pin as slot/pin, as in 3/1, not "3/7"'],
    ['connect', { pin: '3/1', to: { sorce: {} } }, 422, 'to.sorce is unknown: did you mean source?'],
    ['short', { pin: '4/1' }, 400, 'slot 4 is empty: plug a module first'],
    ['wire', { pins: ['3/1', '4/1'] }, 400, 'slot 4 is empty: plug a module first'],
    ['short', { pin: '3/1', ohms: 1 }, 422, 'ohms is unknown: allowed: pin and as'],
    ['connect', { pin: '3/1', to: { resistor: { ohms: 1 } }, other: '3/1' }, 422, 'other is pin 3/1 itself: name another pin'],
    [
      'connect',
      { pin: '3/1', to: { resistor: { ohms: 1, volts: 5 } }, other: '3/2' },
      422,
      'volts is 5, but the other end is a pin: 0 or omitted',
    ],
    ['connect', { pin: '3/1', to: { relay: { ohms: 120 } } }, 422, 'relay needs contact: the two pins that it connects'],
    [
      'connect',
      { pin: '3/1', to: { relay: { ohms: 120 } }, contact: ['3/2', '3/2'] },
      422,
      'contact is pin 3/2 twice: name two pins',
    ],
    [
      'connect',
      { pin: '3/1', to: { relay: { ohms: 120, pull_in_volts: 1 } }, contact: ['3/2', '3/4'] },
      422,
      'release_volts is 1, not below pull_in_volts, 1: lower it',
    ],
    ['connect', { pin: '3/1', to: { encoder: { rpm: 1 } } }, 422, 'encoder needs other: the pin of its second output'],
    ['connect', { pin: '3/1', to: { led: { forward_volts: 0 } } }, 422, 'to.led.forward_volts is out of range: 0.2…10 V, not 0'],
    ['connect', { pin: '3/1', to: { pt100: { celsius: 900 } } }, 422, 'to.pt100.celsius is out of range: -200…850 °C, not 900'],
    [
      'connect',
      { pin: '3/1', to: { current_source: { milliampere: 101 } } },
      422,
      'to.current_source.milliampere is out of range: 0…100 mA, not 101',
    ],
    [
      'connect',
      { pin: '3/1', to: { recorded_wave: { csv: '0,1\n1,x' } } },
      422,
      'csv has 1,x in line 2: write a time, at most 1000000 s, and in column 1 a voltage, -1000…1000 V, as in 0.5,3.3',
    ],
    [
      'connect',
      { pin: '3/1', to: { recorded_wave: { csv: '0,1\n2,2\n1,3' } } },
      422,
      'csv goes back in time in line 3: sort its lines by time',
    ],
    ['connect', { pin: '3/1', to: { source: {} } }, 422, 'to.source.volts is missing: a number from -1000 to 1000 V'],
    ['connect', { pin: '3/1', to: { source: { volts: '24' } } }, 422, 'to.source.volts must be a number, not "24": -1000…1000 V'],
    ['connect', { pin: '3/1', to: { source: { volts: 1001 } } }, 422, 'to.source.volts is out of range: -1000…1000 V, not 1001'],
    ['connect', { pin: '3/1', to: { source: { volt: 24 } } }, 422, 'to.source.volt is unknown: did you mean volts?'],
    ['wire', { pins: ['3/1', '3/1'] }, 422, 'pins is pin 3/1 twice: name two pins'],
    [
      'connect',
      { pin: '3/1', to: { square_wave: { low_volts: 0, high_volts: 5 } } },
      422,
      'to.square_wave.frequency_hz is missing: a number from 0.000001 to 10000000 Hz',
    ],
    [
      'connect',
      { pin: '3/1', to: { square_wave: { frequency_hz: 1 } } },
      422,
      'to.square_wave.low_volts is missing: a number from -1000 to 1000 V, or give amplitude_volts',
    ],
    [
      'connect',
      { pin: '3/1', to: { sine_wave: { frequency_hz: 1, low_volts: 0, high_volts: 5, amplitude_volts: 2 } } },
      422,
      'to.sine_wave.low_volts and amplitude_volts exclude each other: give low_volts and high_volts, or amplitude_volts',
    ],
    [
      'connect',
      { pin: '3/1', to: { button: { press_for_ms: 10 } } },
      422,
      'to.button.press_for_ms is unknown: allowed: volts, ohms, bounces, bounce_ms, seed and pressed',
    ],
  ])('refuse %s with %j: %i, %s', async (path, body, status, message) => {
    expect(await device.post(path, body)).toMatchObject({ status, message })
  })
})

describe('a connection', () => {
  it('changes its settings', async () => {
    expect(await device.post('set', { of: 'c2', volts: 1.5 })).toMatchObject({ status: 200 })
    expect((await device.get('/pin/5/3'))['volts']).toBeCloseTo(1.5 / 1.01, 3)
  })

  it('can be removed', async () => {
    expect(await device.post('disconnect', { of: 'c2' })).toMatchObject({ status: 200, body: { status: 'success' } })
    expect(await device.get('/pin/5/3')).toMatchObject({ volts: 0, connections: [] })
    expect(await device.post('disconnect', { of: 'c2' })).toMatchObject({
      status: 404,
      message: 'connection c2 does not exist: GET /slotwire/bench/wiring lists all connections',
    })
  })

  it.each([
    [{ duty: 0.5 }, 'duty is unknown: allowed: ohms and volts'],
    [{ ohms: -1 }, 'ohms is out of range: 0…1000000000 Ω, not -1'],
    [{ pressed: 1 }, 'pressed must be true or false, not a number'],
    [{ low_volts: 1, amplitude_volts: 2 }, 'amplitude_volts and low_volts exclude each other: give one of them'],
    [{ pressed: false, press_for_ms: 2 }, 'press_for_ms and pressed exclude each other when pressed is false: give one of them'],
  ])('refuses %j and stays unchanged', async (body, message) => {
    expect(await device.post('set', { of: 'c2', ...body })).toMatchObject({ status: 422, message })
    expect(await device.get('/wiring')).toMatchObject({ connections: [{}, { settings: { ohms: 10_000, volts: 3.3 } }, {}] })
  })

  it('is refused above the limit of 1000', async () => {
    for (let number = 4; number <= 1000; number++) device.twin.bench.pin(3, 1).short()
    expect(await device.post('short', { pin: '3/2' })).toMatchObject({
      status: 400,
      message: 'limit of 1000 connections reached: disconnect some first',
    })
  })
})

describe('a button', () => {
  it('is pressed for a duration', async () => {
    await device.post('connect', { pin: '3/1', to: { source: { volts: 5, ohms: 1000 } } })
    const { body } = await device.post('connect', { pin: '3/1', to: { button: {} } })
    await device.post('time/pause')
    await device.post('set', { of: body['name'], press_for_ms: 50 })
    await device.post('time/step', { ms: 10 })
    expect((await device.get('/pin/3/1'))['volts']).toBeCloseTo(0, 2)
    await device.post('time/step', { ms: 100 })
    expect((await device.get('/pin/3/1'))['volts']).toBeCloseTo(5, 1)
  })
})

const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 100 }))

describe('a short circuit', () => {
  it('raises an alert on a driven pin, which falls back to analog', async () => {
    await device.ask('POST', `/api/${io}/power-management`, { config })
    await device.ask('POST', `/api/${io}/output/state`, { pin: 2, state: 'high' })
    expect((await device.get('/pin/3/2'))['volts']).toBeGreaterThan(5)
    await device.post('short', { pin: '3/2' })
    await device.real.advance(30)
    expect(await device.read(`${io}/notification/2`)).toMatchObject({ high_current_alert: true })
    const threshold = { pin: 2, threshold_millivolt: 2500, trigger: 'rising' }
    expect(await device.ask('POST', `/api/${io}/input/analog/threshold`, threshold)).toMatchObject({ status: 200 })
  })

  it('raises an alert on a pin that gets more than 25 V by it', async () => {
    await device.post('connect', { pin: '3/1', to: { source: { volts: 30, ohms: 1000 } } })
    await device.real.advance(30)
    expect(await device.read(`${io}/notification/2`)).toMatchObject({ high_voltage_alert: false })
    await device.post('wire', { pins: ['3/2', '3/1'] })
    await device.real.advance(30)
    expect(await device.read(`${io}/notification/2`)).toMatchObject({ high_voltage_alert: true })
  })
})
