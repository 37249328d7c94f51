import { describe, expect, it } from 'vitest'
import * as firmwares from '../../modules/firmwares.ts'
import { allPins, pinOf } from '../../modules/io/pin-story.testkit.ts'
import { describeDevice } from './device.testkit.ts'
import { asked, LEASES, lease, leaseHeader, outcome, send } from './lease.testkit.ts'

const HIGH = { pin: 6, state: 'high' }
const ENDS_THE_WORK_OF_ALL = [
  ['bmc', 'hard_reset', { reset: 'yes' }],
  ['bmc', 'watchdog/shutdown', { shutdown: 'start' }],
  ['bmc', 'usb_bootloader', { enabled: false }],
  ['bmc', 'usbhub/reset', { reset: 'yes' }],
  ['power', 'limits', { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 }],
] as const

describeDevice('a lease', (device) => {
  const io = device.module('io', 5)
  const mode = (headers = {}, slot = 5) => send(device, `/api/io/1.0/${slot}/input/mode`, { pin: 1, mode: 'digital' }, headers)
  const listed = async () => (await device.get(LEASES)).body?.['leases']

  it('makes its holder the only writer of its slots until it is given back, and shows no secret', async () => {
    const { number, secret, header } = await lease(device)
    const refused = await mode()
    expect([outcome(refused), refused.body?.['message']]).toEqual([
      '423 leased',
      'slot 5 is leased to "line 3" for 10 s: send the secret of the lease in Slotwire-Lease, or wait',
    ])
    expect([outcome(await mode(header)), outcome(await mode({}, 3)), outcome(await mode(header, 3))]).toEqual([
      '200',
      '200',
      '200',
    ])
    expect(await listed()).toEqual([
      { number, slots: [5], holder: 'line 3', on_lapse: 'keep', expires_at: expect.any(String) as string, seconds_left: 10 },
    ])
    expect(JSON.stringify(await listed())).not.toContain(secret)
    expect((await device.service.inject('/slotwire/metrics')).body).toContain('\nslotwire_leases 1\n')
    expect(outcome(await send(device, `${LEASES}/${number}`, undefined, header, 'DELETE'))).toBe('200')
    expect([outcome(await mode()), outcome(await mode(header)), await listed()]).toEqual(['200', '423 lease-expired', []])
  })

  it('ends when its time is over, unless it is renewed', async () => {
    const { number, header } = await lease(device)
    await device.advance(9000)
    const renewed = await send(device, `${LEASES}/${number}`, undefined, header, 'PUT')
    expect([renewed.status, Object.keys(renewed.body ?? {})]).toEqual([200, ['number', 'expires_at']])
    await device.advance(9999)
    expect(outcome(await mode())).toBe('423 leased')
    expect(outcome(await send(device, `${LEASES}/${number}`, { ttl_seconds: 5 }, header, 'PUT'))).toBe('200')
    await device.advance(4999)
    expect(outcome(await mode(header))).toBe('200')
    await device.advance(1)
    expect([outcome(await mode()), outcome(await mode(header))]).toEqual(['200', '423 lease-expired'])
    expect(outcome(await send(device, `${LEASES}/${number}`, undefined, header, 'PUT'))).toBe('423 lease-expired')
  })

  it.each([
    ['an empty slot', { slots: [7] }, '404 lease-slot-empty'],
    ['a slot that no device has', { slots: [8] }, '422 invalid-field'],
    ['no slot', { slots: [] }, '422 invalid-field'],
    ['a slot twice', { slots: [5, 5] }, '422 invalid-field'],
    ['too short a time', { ttl_seconds: 4 }, '422 invalid-field'],
    ['too long a time', { ttl_seconds: 3601 }, '422 invalid-field'],
    ['no name', { holder: ' ' }, '422 invalid-field'],
    ['a name of 65 characters', { holder: 'x'.repeat(65) }, '422 invalid-field'],
    ['a name with a control character', { holder: 'a\u001bb' }, '422 invalid-field'],
    ['another state', { on_lapse: 'off' }, '422 invalid-field'],
    ['an unknown field', { secret: 'x' }, '422 invalid-field'],
  ])('is refused for %s', async (_what, more, expected) => {
    expect(outcome(await send(device, LEASES, { ...asked, ...more }))).toBe(expected)
    expect(await listed()).toEqual([])
  })

  it('needs its secret to be renewed or given back', async () => {
    const { number } = await lease(device)
    for (const method of ['PUT', 'DELETE'] as const) {
      const outcomes = [{}, leaseHeader('swl_wrong')].map((headers) =>
        send(device, `${LEASES}/${number}`, undefined, headers, method),
      )
      expect((await Promise.all(outcomes)).map(outcome)).toEqual(['400 lease-secret-missing', '423 lease-expired'])
    }
    expect(outcome(await mode())).toBe('423 leased')
  })

  it('is not granted twice for a slot, except with force: then the former holder is out at once', async () => {
    const former = await lease(device, { slots: [3, 5] })
    expect(outcome(await send(device, LEASES, { ...asked, slots: [5] }))).toBe('423 leased')
    const { header } = await lease(device, { force: true })
    expect([outcome(await mode(former.header)), outcome(await mode(header))]).toEqual(['423 leased', '200'])
    expect([outcome(await mode(former.header, 3)), outcome(await mode({}, 3))]).toEqual(['200', '423 leased'])
  })

  it.each(ENDS_THE_WORK_OF_ALL)('protects its slots from %s %s of another', async (service, path, body) => {
    const url = `/api/${service}/1.0/${service === 'bmc' ? 0 : 1}/${path}`
    const { header } = await lease(device)
    const second = await lease(device, { slots: [3] })
    expect(outcome(await send(device, url, body))).toBe('423 leased')
    expect(outcome(await send(device, url, body, header))).toBe('423 leased')
    expect(outcome(await send(device, url, body, leaseHeader(`${header['slotwire-lease']}, ${second.secret}`)))).toBe('200')
  })

  it('never stops what feeds the watchdog, or reads', async () => {
    await device.module('bmc', 0).set('watchdog', { timeout: 10_000 })
    await lease(device, { slots: [0, 5] })
    const feed = '/api/bmc/1.0/0/watchdog/alive'
    for (const path of [feed, `${io.path}/notification/1`, `${io.path}/input/values`])
      expect((await device.get(path)).status).toBe(200)
    expect((await device.get(feed, leaseHeader('swl_old'))).status).toBe(200)
    expect(outcome(await device.get('/api/bmc/1.0/0/watchdog/save'))).toBe('423 leased')
  })

  it('comes before If-Match', async () => {
    const { header } = await lease(device)
    const match = { 'if-match': '"B"' }
    expect([outcome(await mode(match)), outcome(await mode({ ...match, ...header }))]).toEqual([
      '423 leased',
      '412 session-changed',
    ])
  })

  it('outlasts its module and a restart of the device', async () => {
    const { header } = await lease(device, { ttl_seconds: 60 })
    device.chassis.unplug(5)
    await device.advance(500)
    device.chassis.plug(5, firmwares.io)
    await device.advance(2000)
    expect([outcome(await mode()), outcome(await mode(header))]).toEqual(['423 leased', '200'])
    device.chassis.restartDevice('test')
    await device.advance(8000)
    expect([outcome(await mode()), outcome(await mode(header))]).toEqual(['423 leased', '200'])
  })

  it('stops a write that waited when it was granted, and is granted when the running write has ended', async () => {
    device.bus.hold(5)
    const running = mode()
    const waiting = mode()
    let isGranted = false
    const granting = lease(device).finally(() => (isGranted = true))
    await device.advance(50)
    expect(isGranted).toBe(false)
    device.bus.release(5)
    await device.advance(50)
    expect([outcome(await running), outcome(await waiting)]).toEqual(['200', '423 leased'])
    expect(outcome(await mode((await granting).header))).toBe('200')
  })

  it('is judged again at the power gate: a write that waited there is refused', async () => {
    device.bus.hold(3)
    const first = device.module('io', 3).post('power-management', allPins('5_volt', 10))
    const second = io.post('power-management', allPins('5_volt', 10))
    await device.advance(10)
    const granting = lease(device)
    await device.advance(10)
    device.bus.release(3)
    await device.advance(100)
    expect([outcome(await first), outcome(await second)]).toEqual(['200', '423 leased'])
    await granting
  })

  describe.each(['safe', 'keep'] as const)('with on_lapse %s', (on_lapse) => {
    const drive = async (header: object) => {
      for (const [path, body] of [
        ['power-management', allPins('5_volt', 100)],
        ['output/state', HIGH],
      ] as const) {
        expect(outcome(await send(device, `${io.path}/${path}`, body, { ...header }))).toBe('200')
      }
    }
    const isHigh = async () => (await pinOf(io, 6)).value > 4900

    it(`${on_lapse === 'safe' ? 'switches outputs off within 200 ms' : 'keeps outputs'} when it expires`, async () => {
      const { header } = await lease(device, { on_lapse })
      await drive(header)
      await device.advance(9999)
      expect(await isHigh()).toBe(true)
      await device.advance(200)
      expect(await isHigh()).toBe(on_lapse === 'keep')
    })

    it('keeps outputs when it is given back or taken over', async () => {
      const { number, header } = await lease(device, { on_lapse })
      await drive(header)
      const other = await lease(device, { on_lapse, force: true })
      await device.advance(500)
      expect(await isHigh()).toBe(true)
      expect(outcome(await send(device, `${LEASES}/${number}`, undefined, header, 'DELETE'))).toBe('423 lease-expired')
      expect(outcome(await send(device, `${LEASES}/${other.number}`, undefined, other.header, 'DELETE'))).toBe('200')
      await device.advance(500)
      expect(await isHigh()).toBe(true)
    })
  })

  it('gives up a module that hangs when it lapses to the safe state: no heartbeat, so it falls to SUSPEND', async () => {
    const session = await io.session()
    await lease(device, { on_lapse: 'safe' })
    await device.advance(9900)
    device.bus.hang(5)
    const waiting = io.get('input/values')
    await device.advance(100 + 150)
    expect([outcome(await waiting), await io.session()]).toEqual(['500 module-hung', undefined])
    device.bus.release(5)
    await device.advance(3000)
    expect(await io.session()).not.toBe(session)
    expect(outcome(await mode())).toBe('200')
  })

  it('leaves a leased slot alone when all is switched off, and ends with force', async () => {
    const off = async (body: object, headers = {}) => (await send(device, '/slotwire/off', body, headers)).body?.['modules']
    const isOff = (slot: number) => ({ slot, service: 'io', result: 'off' })
    await send(device, `${io.path}/power-management`, allPins('5_volt', 100))
    await send(device, `${io.path}/output/state`, HIGH)
    const { header } = await lease(device, { on_lapse: 'safe' })
    expect(await off({})).toEqual([isOff(3), { slot: 5, service: 'io', result: 'leased', holder: 'line 3' }])
    expect((await pinOf(io, 6)).value).toBeGreaterThan(4900)
    expect(await off({}, header)).toEqual([isOff(3), isOff(5)])
    expect([(await pinOf(io, 6)).value < 100, await listed()]).toEqual([true, [expect.objectContaining({ slots: [5] })]])
    expect([await off({ force: true }), await listed()]).toEqual([[isOff(3), isOff(5)], []])
    expect(outcome(await mode(header))).toBe('423 lease-expired')
  })

  it('does not wait for a module that does not answer when all is switched off, and names it until it leaves', async () => {
    const off = () => send(device, '/slotwire/off', {})
    const other = device.module('io', 3)
    await send(device, `${other.path}/power-management`, allPins('5_volt', 100))
    await send(device, `${other.path}/output/state`, HIGH)
    device.bus.hang(5)
    const running = off()
    await device.advance(150)
    expect((await pinOf(other, 6)).value).toBeLessThan(100)
    await device.advance(300)
    // The module is given up, and has not yet fallen to its initial state.
    let isAnswered = false
    const second = off().finally(() => {
      isAnswered = true
    })
    await device.advance(300)
    expect(isAnswered).toBe(false)
    await device.advance(2000)
    expect((await second).body?.['modules']).toContainEqual({ slot: 5, service: 'io', result: 'silent' })
    const silent = { slot: 5, service: 'io', result: 'silent' }
    expect((await running).body?.['modules']).toEqual([{ slot: 3, service: 'io', result: 'off' }, silent])
    await device.advance(2000)
    expect((await off()).body?.['modules']).toContainEqual(silent)
  })
})
