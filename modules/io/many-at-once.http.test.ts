import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins, pinOf } from './pin-story.testkit.ts'

const WRITERS = 50

describeDevice('fifty writers at once on one slot', (device) => {
  const io = device.module('io', 5)

  it('never mix: a write of several exchanges has the slot to itself', async () => {
    const before = device.bus.exchanges(5).length
    const resets = Array.from({ length: 10 }, () => io.post('reset', { reset: 'yes' }))
    const modes = Array.from({ length: 10 }, (_, index) =>
      io.post('input/mode', { pin: 1, mode: index % 2 ? 'digital' : 'analog' }),
    )
    const answers = await Promise.all([...resets, ...modes])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const text = device.bus.exchanges(5).slice(before).join(' ')
    // MODE_SUSPEND is followed by UPDATE_DESCRIPTOR, always.
    expect(text.match(/010302/g)).toHaveLength(10)
    expect(text.match(/010302 010309/g)).toHaveLength(10)
  })
})

describeDevice(
  'fifty writers and fifty readers at once on a timed bus',
  (device) => {
    const io = device.module('io', 5)

    it('are all answered when they write the power configuration', async () => {
      const bodies = Array.from({ length: WRITERS }, (_, index) => allPins('5_volt', index))
      const answers = await device.until(Promise.all(bodies.map((body) => io.post('power-management', body))), 60_000)
      expect(new Set(answers.map(({ status, body }) => `${status} ${String(body?.['status'])}`))).toEqual(
        new Set(['200 success']),
      )
      // 6 × (49 mA × 5 V + 200 mW): the last one's.
      expect(await device.until(io.read('descriptor'))).toMatchObject({ max_power_5v0: 2670 })
    })

    it('are all answered, and the last write wins', async () => {
      const modes = Array.from({ length: WRITERS }, (_, index) => (index % 2 === 0 ? 'analog' : 'digital'))
      const writes = modes.map((mode) => io.post('input/mode', { pin: 6, mode }))
      const reads = modes.map(() => io.get('input/values'))
      const answers = await device.until(Promise.all([...writes, ...reads]))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect((await device.until(pinOf(io, 6))).pin_type).toBe('digital_input')
    })
  },
  { bus: 'timed' },
)

describeDevice(
  'a full queue',
  (device) => {
    const io = device.module('io', 5)

    it('answers 503 with Retry-After to requests above its bound, and serves the others', async () => {
      device.bus.hold(5)
      const writes = Array.from({ length: 8 }, () => io.post('input/mode', { pin: 1, mode: 'digital' }))
      await device.advance(1)
      const others = [device.module('io', 3).get('input/values'), io.get('notification/1'), device.get('/api/io/')]
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200])
      device.bus.release(5)
      const answers = await Promise.all(writes)
      // One on the bus, five that wait.
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 503, 503])
      const refused = answers[6]
      expect(refused?.headers).toMatchObject({
        'retry-after': '1',
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
      expect(refused?.body).toEqual({
        status: 'error',
        code: 503,
        message: 'slot 5 has 5 requests waiting already: try again later',
      })
      await io.set('input/mode', { pin: 1, mode: 'analog' })
    })
  },
  { queueLimit: 5 },
)

describeDevice('a module that hangs', (device) => {
  const io = device.module('io', 5)
  const other = device.module('io', 3)

  it('fails its own requests with 500, and no other slot', async () => {
    device.bus.hang(5)
    const hung = [io.get('input/values'), io.post('input/mode', { pin: 1, mode: 'digital' })]
    await device.advance(1)
    for (const module of [other, device.module('bmc', 0), device.module('power', 1)]) {
      expect((await module.get('descriptor')).status).toBe(200)
    }
    await other.set('input/mode', { pin: 1, mode: 'digital' })
    expect((await pinOf(other, 1)).pin_type).toBe('digital_input')
    const [first, second] = await device.until(Promise.all(hung))
    // The first was being executed when the module hung; the second was waiting.
    expect([first?.status, second?.status]).toEqual([500, 500])
    expect(first?.body).toEqual({
      status: 'error',
      code: 500,
      message: 'the module in slot 5 does not answer any more: the request may have been executed',
    })
    expect(second?.body?.['message']).toBe('the module in slot 5 does not answer any more: the request was not sent')
    await other.set('input/mode', { pin: 1, mode: 'analog' })
    expect(await io.session()).toBeUndefined()
    expect((await io.get('input/values')).status).toBe(404)
  })

  it('returns the power that it was granted half-way', async () => {
    const config = Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 200 }))
    device.bus.hang(5)
    const asked = io.post('power-management', { config })
    expect((await device.until(asked)).status).toBe(500)
    expect((await other.post('power-management', { config })).body).toMatchObject({ status: 'success' })
  })
})
