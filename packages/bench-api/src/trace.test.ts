import { beforeEach, describe, expect, it } from 'vitest'
import { readVcd } from '../../twin/src/waveform/read-vcd.testkit.ts'
import { BenchDevice } from './bench-device.testkit.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

const PINS = ['3/1', '5/4']
const start = (body: object = { pins: PINS }) => device.post('trace/start', body)
/** A waveform as text. */
const read = async (format: 'vcd' | 'csv'): Promise<string> => {
  const { body } = await device.twin.request({ method: 'GET', path: `/slotwire/bench/trace/${format}` })
  return body as string
}

describe('a trace', () => {
  it('has the voltages and levels of its pins over twin time, as VCD and CSV', async () => {
    await device.real.advance(100)
    const fromMs = device.time.now()
    expect(await start()).toMatchObject({ status: 200, body: { status: 'success' } })
    await device.real.advance(20)
    await device.post('connect', { pin: '3/1', to: { source: { volts: 5 } } })
    await device.real.advance(20)
    const { signals, timescale, endNs } = readVcd(await read('vcd'))
    expect([timescale, endNs]).toEqual(['1 ns', Math.round((fromMs + 40) * 1e6)])
    expect([...signals.keys()]).toEqual(['slot3.pin1', 'slot3.pin1_volts', 'slot5.pin4', 'slot5.pin4_volts'])
    expect(signals.get('slot3.pin1')).toEqual([
      [Math.round(fromMs * 1e6), 0],
      [Math.round((fromMs + 20) * 1e6), 1],
    ])
    // 100 Hz for 40 ms.
    expect(signals.get('slot5.pin4')).toHaveLength(8)
    const rows = (await read('csv')).trim().split('\n')
    expect(rows[0]).toBe('seconds,slot3.pin1,slot3.pin1_volts,slot5.pin4,slot5.pin4_volts')
    expect(rows.at(-1)?.split(',').slice(0, 3)).toEqual([((fromMs + 40) / 1000).toFixed(9), '1', '5'])
  })

  it('shows its pins and its time, also at a glance', async () => {
    expect(await device.get('/trace')).toEqual({ pins: [], recording: false })
    const fromMs = device.time.now()
    await start({ pins: [...PINS, ...PINS] })
    await device.real.advance(50)
    const shown = { pins: ['3/1', '5/4'], recording: true, since_ms: fromMs, until_ms: fromMs + 50 }
    expect(await device.get('/trace')).toEqual(shown)
    expect((await device.get())['trace']).toEqual(shown)
  })

  it.each<[string, object, () => Promise<unknown>]>([
    ['after for_ms', { pins: PINS, for_ms: 30 }, () => device.real.advance(0)],
    ['at trace/stop', { pins: PINS }, () => device.real.advance(30).then(() => device.post('trace/stop'))],
  ])('stops %s, and stays readable', async (_, body, stop) => {
    const fromMs = device.time.now()
    await start(body)
    await stop()
    await device.real.advance(1000)
    expect(await device.get('/trace')).toMatchObject({ recording: false, since_ms: fromMs, until_ms: fromMs + 30 })
    expect(readVcd(await read('vcd')).endNs).toBe(Math.round((fromMs + 30) * 1e6))
    expect(await start()).toMatchObject({ status: 200 })
    expect(await device.get('/trace')).toMatchObject({ recording: true, since_ms: device.time.now() })
  })

  it('records beyond the time of the trace before', async () => {
    await start({ pins: PINS, for_ms: 30 })
    await start()
    await device.real.advance(100)
    expect(await device.get('/trace')).toMatchObject({ recording: true })
  })

  it.each([
    [{}, 422, 'pins is missing: an array'],
    [{ pins: [] }, 422, 'pins is empty: name a pin, as in 3/1'],
    [{ pins: [3] }, 422, 'pins[0] must be a string, not a number'],
    [{ pins: ['8/1'] }, 422, 'pins[0] is not allowed: a pin as slot/pin, as in 3/1, not "8/1"'],
    [{ pins: PINS, for_ms: 0 }, 422, 'for_ms is out of range: 0.001 ms to 24 h'],
    [{ pins: PINS, ms: 5 }, 422, 'ms is unknown: allowed: pins and for_ms'],
  ])('refuses %j: %i, %s', async (body, status, message) => {
    const answer = await start(body)
    expect(answer.status).toBe(status)
    expect(answer.message).toContain(message)
  })

  it.each([
    ['GET', 'vcd'],
    ['GET', 'csv'],
    ['POST', 'stop'],
  ] as const)('must be started before %s trace/%s', async (method, end) => {
    expect(await device.ask(method, `/slotwire/bench/trace/${end}`)).toMatchObject({
      status: 400,
      message: 'there is no trace: POST /slotwire/bench/trace/start first',
    })
  })

  it('is refused with more than 20000 values, with a shorter time', async () => {
    await device.post('connect', { pin: '3/1', to: { square_wave: { frequency_hz: 2_000_000, low_volts: 0, high_volts: 5 } } })
    await start()
    await device.real.advance(10)
    expect(await device.ask('GET', '/slotwire/bench/trace/vcd')).toMatchObject({
      status: 400,
      message: 'the voltages change at more than 10000 moments in 10 ms: record for a shorter time, as in "for_ms": 1',
    })
    await start({ pins: PINS, for_ms: 1 })
    await device.real.advance(10)
    expect(readVcd(await read('vcd')).signals.get('slot3.pin1')?.length).toBeGreaterThan(3900)
  })

  it('keeps the last 1000 changes of each pin', async () => {
    const { body } = await device.post('connect', { pin: '3/1', to: { source: { volts: 0 } } })
    await start()
    for (let change = 0; change < 1100; change++) {
      await device.real.advance(1)
      device.twin.bench.connection(String(body['name'])).set({ volts: change % 5 })
    }
    const { since_ms: sinceMs, until_ms: untilMs } = await device.get('/trace')
    expect(Number(untilMs) - Number(sinceMs)).toBe(999)
    expect(
      readVcd(await read('vcd'))
        .signals.get('slot3.pin1_volts')
        ?.at(-1)?.[1],
    ).toBe(3)
  })
})
