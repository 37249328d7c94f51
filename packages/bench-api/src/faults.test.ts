import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

const readings = () => device.ask('GET', '/api/io/1.0/3/input/values')

describe('a fault', () => {
  it('lasts for its duration', async () => {
    expect(await device.post('fault', { slot: 3, crc_errors: { share: 0.3 }, for_ms: 10_000 })).toMatchObject({
      status: 200,
      body: { status: 'success', name: 'f1' },
    })
    const { now_ms: since } = await device.get('/time')
    expect(await device.get('/faults')).toEqual({
      faults: [
        {
          name: 'f1',
          slot: 3,
          kind: 'crc_errors',
          description: '30 % of the frames have a wrong bit',
          settings: { share: 0.3 },
          since_ms: since,
          until_ms: Number(since) + 10_000,
        },
      ],
    })
    await device.real.advance(10_000)
    expect(await device.get('/faults')).toEqual({ faults: [] })
  })

  it('affects API requests to its slot only, until it is cleared', async () => {
    await device.post('fault', { slot: 3, lost_frames: { share: 1 } })
    const lost = readings()
    await device.real.advance(30_000)
    expect((await lost).status).toBe(500)
    expect((await device.ask('GET', '/api/io/1.0/5/input/values')).status).toBe(200)
    expect(await device.post('clear_faults', { of: 'f1' })).toMatchObject({ status: 200 })
    await device.real.advance(30_000)
    expect((await readings()).status).toBe(200)
  })

  it('is not listed if it is over at once', async () => {
    const { status, body } = await device.post('fault', { slot: 3, reboot: {} })
    expect({ status, body }).toEqual({ status: 200, body: { status: 'success' } })
    expect(await device.get('/faults')).toEqual({ faults: [] })
  })

  it('is cleared with all others of its slot, or with all', async () => {
    for (const slot of [3, 3, 5]) await device.post('fault', { slot, hang: {} })
    expect((await device.post('clear_faults', { of: '3' })).body).toEqual({ status: 'success', cleared: 2 })
    expect(await device.get('/faults')).toMatchObject({ faults: [{ name: 'f3', slot: 5 }] })
    expect((await device.post('clear_faults', { of: 'all' })).body).toEqual({ status: 'success', cleared: 1 })
    expect((await device.post('clear_faults', { of: 'all' })).body).toEqual({ status: 'success', cleared: 0 })
  })

  it.each([
    ['fault', { slot: 3, crc_errors: {} }, 422, 'crc_errors.share is missing: a number from 0 to 1'],
    ['fault', { slot: 3, crc_errors: { share: 30 } }, 422, 'crc_errors.share is out of range: 0…1, not 30'],
    ['fault', { slot: 3, crc_errors: { share: 0.3 }, for: '10s' }, 422, 'for is unknown: did you mean for_ms?'],
    ['fault', { slot: 3, hang: {}, for_ms: 1e12 }, 422, 'for_ms is out of range: 1…604800000 ms, not 1000000000000'],
    ['fault', { slot: 3, reboot: {}, for_ms: 10 }, 422, 'for_ms and reboot exclude each other: give one of them'],
    ['fault', { slot: 3, hangs: {} }, 422, 'hangs is unknown: did you mean hang?'],
    ['fault', { slot: 8, hang: {} }, 422, 'slot is out of range: 0…7, not 8'],
    ['clear_faults', { of: 'f7' }, 404, 'fault f7 does not exist: GET /slotwire/bench/faults lists all faults'],
  ])('%s refuses %j: %i, %s', async (path, body, status, message) => {
    expect(await device.post(path, body)).toMatchObject({ status, message })
  })

  it('is refused above the limit of 100', async () => {
    for (let number = 1; number <= 100; number++) await device.post('fault', { slot: 3, hang: {} })
    expect(await device.post('fault', { slot: 3, hang: {} })).toMatchObject({
      status: 400,
      message: 'limit of 100 faults reached: clear some first',
    })
  })
})
