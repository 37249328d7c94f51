import { createTwin } from '@slotwire/device/twin'
import { endlessWait, hang } from '@slotwire/twin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { moduleAt, pinsOn, type TestTwin, until, useTwins } from '../../../device/src/twin/twin.testkit.ts'
import { comparable, recordsOf } from './records.testkit.ts'

const twinOf = useTwins()
const kindsOf = (twin: TestTwin, kind: string): readonly object[] => comparable(recordsOf(twin, kind))
/** Fields of the records of a module. */
const at = (kind: string, slot: number, service: string) => ({ kind, slot, service })
const io = at('module', 3, 'io')
const ALERT = at('alert', 3, 'io')

describe('records of modules and the device', () => {
  it('are made when a module arrives, leaves, hangs and has a new session', async () => {
    const twin = await twinOf({ layout: { 3: 'io' } })
    const slot = twin.bench.slot(3)
    const module = { ...io, type: 'modules.noreya.tech/io' }
    const arrived = { ...module, event: 'arrived', serial_code: expect.stringMatching(/^0003-/) as string }
    slot.unplug()
    slot.plug('io')
    await twin.clock.advance(1000)
    for (const fault of [hang(), endlessWait({ waitMs: 300 })]) {
      slot.inject(fault, { forMs: 3000 })
      await twin.clock.advance(8000)
    }
    twin.clock.skip(2000)
    await twin.clock.advance(1000)
    const events = ['arrived', 'left', 'arrived', 'hung', 'arrived', 'hung', 'arrived', 'session']
    expect(kindsOf(twin, 'module')).toEqual(events.map((event) => (event === 'arrived' ? arrived : { ...module, event })))
  })

  it('are made when the device restarts and is back, with the new driver session', async () => {
    const twin = await twinOf({ layout: { 3: 'io' } })
    const before = twin.rack.driverSession
    twin.bench.restart()
    await twin.clock.advance(5000)
    expect(kindsOf(twin, 'device')).toEqual([
      { kind: 'device', state: 'restarting' },
      { kind: 'device', state: 'up', driver_session: twin.rack.driverSession },
    ])
    expect(twin.rack.driverSession).not.toBe(before)
    expect(recordsOf(twin, 'module').map(({ event }) => event)).toEqual(['arrived', 'left', 'arrived'])
  })

  it('have the number of the next start after the service was killed', async () => {
    const twin = await twinOf({ layout: { 3: 'io' }, boot: 7 })
    expect(recordsOf(twin)[0]).toMatchObject({ id: '7-1', twin_ms: 0 })
    await twin.killService()
    await until(twin, twin.startService())
    expect(recordsOf(twin)[0]).toMatchObject({ id: '8-1' })
  })
})

describe('records of alerts', () => {
  it('are one for each pin and notification of the module, with the flags of the reply, however many clients read them', async () => {
    const twin = await twinOf()
    const module = moduleAt(twin, 'io', 3)
    await module.set('power-management', pinsOn('5_volt', 100))
    for (const pin of [1, 2]) await module.set('output/state', { pin, state: 'high' })
    for (const pin of [1, 2]) twin.bench.pin(3, pin).short()
    await twin.clock.advance(300)
    const alerts = ['under_voltage_alert', 'high_current_alert']
    expect(kindsOf(twin, 'alert')).toEqual([
      { ...ALERT, pin: 1, alerts },
      { ...ALERT, pin: 2, alerts },
    ])
    await module.read('notification/1')
    expect(recordsOf(twin, 'alert')).toHaveLength(2)
    await module.set('output/state', { pin: 2, state: 'high' })
    await twin.clock.advance(100)
    expect(kindsOf(twin, 'alert').slice(2)).toEqual([{ ...ALERT, pin: 2, alerts }])
  })

  it('have the time of the twin, also with the default clock', async () => {
    const twin = await createTwin({ layout: {} })
    onTestFinished(() => twin.close())
    await twin.start()
    await twin.request({ method: 'POST', path: '/nowhere', body: {} })
    expect(recordsOf(twin)).toMatchObject([{ kind: 'write', twin_ms: expect.any(Number) as number }])
  })
})

it('records of power are made for a grant that is applied and for a denial, with the missing milliwatt', async () => {
  const twin = await twinOf()
  const module = moduleAt(twin, 'io', 3)
  await module.set('power-management', pinsOn('5_volt', 100))
  const { body } = await module.post('power-management', pinsOn('12_volt', 500))
  expect(kindsOf(twin, 'power')).toEqual([
    { ...at('power', 3, 'io'), event: 'granted' },
    { ...at('power', 3, 'io'), event: 'denied', missing: (body as { too_much_power: object }).too_much_power },
  ])
})

describe('records of the watchdog', () => {
  const watchdog = at('watchdog', 0, 'bmc')
  const set = { ...watchdog, event: 'set', timeout: 1000 }

  it.each([
    ['fed in time', 700, []],
    ['fed late', 800, [{ ...watchdog, event: 'fed_late', timeout: 1000, after_milliseconds: 800 }]],
  ])('show that it was set, %s, and fired', async (_, waitMs, late) => {
    const twin = await twinOf()
    const bmc = moduleAt(twin, 'bmc', 0)
    await bmc.set('watchdog', { timeout: 1000 })
    await twin.clock.advance(waitMs)
    await bmc.read('watchdog/alive')
    await twin.clock.advance(6000)
    expect(kindsOf(twin, 'watchdog')).toEqual([set, ...late, { ...watchdog, event: 'fired', timeout: 1000 }])
  })

  it('do not show a restart for another reason as fired', async () => {
    const twin = await twinOf()
    const bmc = moduleAt(twin, 'bmc', 0)
    await bmc.set('watchdog', { timeout: 1000 })
    await bmc.set('hard_reset', { reset: 'yes' })
    await twin.clock.advance(6000)
    expect(recordsOf(twin, 'device')).toHaveLength(2)
    expect(kindsOf(twin, 'watchdog')).toEqual([set])
  })
})

it('records of USB show what a write changed', async () => {
  const twin = await twinOf()
  const bmc = moduleAt(twin, 'bmc', 0)
  await bmc.set('usbhub', { state: true })
  await bmc.set('usbhub/slot/4', { state: false })
  await bmc.post('usbhub/slot/0', { state: false })
  await bmc.set('usbhub/reset', { reset: 'yes' })
  await bmc.set('usb_bootloader', { enabled: true, timeout: 1000 })
  expect(kindsOf(twin, 'usb')).toEqual(
    [
      { event: 'hub', enabled: true },
      { event: 'port', port_slot: 4, enabled: false },
      { event: 'applied' },
      { event: 'bootloader', enabled: true, timeout: 1000 },
    ].map((fields) => ({ ...at('usb', 0, 'bmc'), ...fields })),
  )
})

describe('records of protection', () => {
  const overCurrent = { ...at('protection', 1, 'power'), counter: 'ocp_cnt_12v', from: 0, to: 1 }

  /** Loads the 12 V rail beyond its limit for a moment. */
  async function overload(twin: TestTwin): Promise<void> {
    await moduleAt(twin, 'power', 1).set('limits', { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 500 })
    twin.chassis.rails.setDraw(6, { '3v3': 0, '5v0': 0, '12v': 600 })
    await twin.clock.advance(100)
    twin.chassis.rails.setDraw(6, { '3v3': 0, '5v0': 0, '12v': 0 })
  }

  it.each([
    ['ten seconds', false, 10_000],
    ['a second while a client follows the journal', true, 1000],
  ])('show a counter that rose within %s, once', async (_, isFollowed, withinMs) => {
    const twin = await twinOf()
    if (isFollowed) onTestFinished(twin.journal.subscribe(() => undefined))
    await twin.clock.advance(10_100)
    await overload(twin)
    await twin.clock.advance(withinMs - 300)
    expect(recordsOf(twin, 'protection')).toEqual([])
    await twin.clock.advance(200)
    expect(kindsOf(twin, 'protection')).toEqual([overCurrent])
    await twin.clock.advance(30_000)
    expect(kindsOf(twin, 'protection')).toEqual([overCurrent])
  })

  it('show a counter at once that a client read', async () => {
    const twin = await twinOf()
    await twin.clock.advance(1000)
    await overload(twin)
    await moduleAt(twin, 'power', 1).read('protectionlog')
    expect(kindsOf(twin, 'protection')).toEqual([overCurrent])
  })

  it('survive a restart of the device that the protection caused', async () => {
    const twin = await twinOf()
    await twin.clock.advance(1000)
    await moduleAt(twin, 'power', 1).set('limits', { limit_3v3: 5949, limit_5v0: 1001, limit_12v: 2399 })
    twin.chassis.rails.setDraw(6, { '3v3': 0, '5v0': 1500, '12v': 0 })
    await twin.clock.advance(100)
    twin.chassis.rails.setDraw(6, { '3v3': 0, '5v0': 0, '12v': 0 })
    await twin.clock.advance(6000)
    expect(kindsOf(twin, 'protection')).toEqual([{ ...overCurrent, counter: 'ocp_cnt_5v0' }])
  })
})

describe('records of writes', () => {
  const refused = async (twin: TestTwin, path: string, body: object): Promise<object | undefined> => {
    await twin.request({ method: 'POST', path, body })
    return kindsOf(twin, 'write').at(-1)
  }

  it('contain endpoint, module, status and the accepted body', async () => {
    const twin = await twinOf()
    await moduleAt(twin, 'io', 3).post('output/state', { pin: 1, state: 'high' })
    const [write] = recordsOf(twin, 'write')
    expect(Object.keys(write ?? {}).slice(5)).toEqual('slot service session method path endpoint status body'.split(' '))
    const path = '/api/io/1.0/3/output/state'
    const body = { pin: 1, state: 'high' }
    expect(write).toMatchObject({ ...at('write', 3, 'io'), method: 'POST', path, endpoint: 'setOutputState', status: 400, body })
    expect(write?.session).toBe(await moduleAt(twin, 'io', 3).session())
  })

  it.each([
    ['an invalid body', '/api/io/1.0/3/output/state', { service: 'io', slot: 3, endpoint: 'setOutputState', status: 422 }],
    ['an empty slot', '/api/bmc/1.0/9/hard_reset', { service: 'bmc', endpoint: 'hardReset', status: 404 }],
    ['no endpoint', '/api//bmc/1.0/0/secret?a=b', { service: 'bmc', status: 404 }],
    ['no service', '/nowhere', { status: 404 }],
  ])('show a refused write without its body: %s', async (_, path, expected) => {
    const twin = await twinOf()
    const record = await refused(twin, path, { password: 'hunter2' })
    expect(record).toEqual({ kind: 'write', method: 'POST', path: path.replace(/\?.*/, ''), ...expected })
  })

  it('are short, whatever the path', async () => {
    const record = await refused(await twinOf(), `/${'x'.repeat(5000)}`, {})
    expect(JSON.stringify(record).length).toBeLessThan(300)
  })
})
