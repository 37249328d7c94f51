import type { StateDocument } from '@slotwire/contract'
import { listen } from '@slotwire/edge'
import type { Caller } from '@slotwire/service'
import { lostFrames } from '@slotwire/twin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { moduleAt, pinsOf, pinsOn, type TestTwin, until, useTwins } from '../../../device/src/twin/twin.testkit.ts'
import { recordsOf } from './records.testkit.ts'

const twinOf = useTwins()

const UNKNOWN_PIN = { mode: 'unknown', output: 'unknown', trigger: 'unknown', counter: 'unknown', power: 'unknown' }
const ANALOG = { mode: 'analog', output: null, trigger: null, counter: 'disabled' }
const INITIAL_PIN = { ...ANALOG, power: null }
const POWER = { rail: '5_volt', current_milliampere: 100 }
const all = (pin: object): object[] => Array.from({ length: 6 }, (_, index) => ({ pin: index + 1, ...pin }))

async function stateOf(twin: TestTwin): Promise<StateDocument> {
  const { status, body } = await twin.request({ method: 'GET', path: '/slotwire/state' })
  expect(status).toBe(200)
  return body as StateDocument
}

async function moduleStateOf(twin: TestTwin, slot: number): Promise<Readonly<Record<string, unknown>> | undefined> {
  return (await stateOf(twin)).modules.find((module) => module.slot === slot)?.state
}

const sinceOf = async (twin: TestTwin) => (await stateOf(twin)).modules.find(({ slot }) => slot === 3)?.since
const pinsIn = async (twin: TestTwin): Promise<unknown> => (await moduleStateOf(twin, 3))?.['pins']

/** The default device, without module types that someone adds. */
const layout = { 0: 'bmc', 1: 'power', 3: 'io', 5: 'io' } as const

describe('GET /slotwire/state', () => {
  it('has every usable module with its sessions, and the last record', async () => {
    const twin = await twinOf({ layout })
    const { boot, last, driver_session, modules, leases } = await stateOf(twin)
    expect({ boot, last, driver_session, leases }).toEqual({
      boot: 1,
      last: '1-4',
      driver_session: twin.rack.driverSession,
      leases: [],
    })
    expect(modules.map(({ slot, service, type }) => [slot, service, type])).toEqual([
      [0, 'bmc', 'modules.noreya.tech/bmc'],
      [1, 'power', 'modules.noreya.tech/power'],
      [3, 'io', 'modules.noreya.tech/io'],
      [5, 'io', 'modules.noreya.tech/io'],
    ])
    expect(modules[2]?.session).toBe(await moduleAt(twin, 'io', 3).session())
  })

  it('is answered while the device restarts, without modules', async () => {
    const twin = await twinOf()
    twin.bench.restart()
    await twin.clock.advance(100)
    expect((await moduleAt(twin, 'io', 3).get('input/values')).status).toBe(502)
    expect((await stateOf(twin)).modules).toEqual([])
  })

  it('has no body for HEAD, and no other method', async () => {
    const url = `${await (await twinOf()).listen()}/slotwire/state`
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([200, '', 'application/json'])
    const post = await fetch(url, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it.each([
    ['one without a limit', {}, [0, 1, 3, 5]],
    ['one with a token for io', { sees: (path: string) => path.startsWith('/api/io/') }, [3, 5]],
    ['one with a token for no module', { sees: () => false }, []],
  ])('has the modules that the caller may see: %s', async (_, seen, expected) => {
    const twin = await twinOf({ layout })
    const caller: Caller = { door: 'network', address: '192.0.2.7', readOnly: true, ...seen }
    const { address } = await listen(twin.service, { host: '127.0.0.1', port: 0 }, { checkAccess: () => ({ caller }) })
    const { modules } = (await (await fetch(`http://127.0.0.1:${address.port}/slotwire/state`)).json()) as StateDocument
    expect(modules.map(({ slot }) => slot)).toEqual(expected)
  })
})

describe('the state of a pin', () => {
  it('is initial in each new session, and after a reset', async () => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    expect(await pinsIn(twin)).toEqual(all(INITIAL_PIN))
    await io.set('input/mode', { pin: 1, mode: 'digital' })
    expect(await pinsIn(twin)).toEqual(all(INITIAL_PIN).with(0, { pin: 1, ...INITIAL_PIN, mode: 'digital' }))
    await io.set('reset', { reset: 'yes' })
    expect(await pinsIn(twin)).toEqual(all(INITIAL_PIN))
    const since = await sinceOf(twin)
    expect(since).toBe(recordsOf(twin, 'module').find(({ slot }) => slot === 3)?.at)
    await io.set('input/mode', { pin: 1, mode: 'digital' })
    twin.clock.skip(2000)
    await twin.clock.advance(1000)
    expect(await pinsIn(twin)).toEqual(all(INITIAL_PIN))
    expect(await sinceOf(twin)).toBe(
      recordsOf(twin, 'module').findLast(({ event, slot }) => event === 'session' && slot === 3)?.at,
    )
    twin.bench.slot(3).unplug()
    twin.bench.slot(3).plug('io')
    await twin.clock.advance(1000)
    expect(await pinsIn(twin)).toEqual(all(INITIAL_PIN))
  })

  it.each([
    ['input/mode', { mode: 'analog' }, ANALOG],
    ['input/mode', { mode: 'digital' }, { ...ANALOG, mode: 'digital' }],
    [
      'input/analog/threshold',
      { threshold_millivolt: 1000, trigger: 'rising' },
      { ...ANALOG, trigger: { threshold_millivolt: 1000, trigger: 'rising' } },
    ],
    ['input/analog/threshold', { threshold_millivolt: 1000, trigger: 'disabled' }, ANALOG],
    ['input/digital/interrupt', { debounce_time_milliseconds: 20, trigger: 'rising' }, ANALOG],
    ['output/state', { state: 'high' }, { ...ANALOG, mode: 'output', output: { state: 'high' } }],
    [
      'output/pwm',
      { prescaler: 47, time_on: 250, period: 1000 },
      { ...ANALOG, mode: 'pwm', output: { prescaler: 47, time_on: 250, period: 1000 } },
    ],
    ['output/pwm', { prescaler: 47, time_on: 0, period: 1000 }, { ...ANALOG, mode: 'output', output: { state: 'low' } }],
  ])('follows POST %s %j', async (path, body, expected) => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('5_volt', 100))
    await io.post(path, { pin: 2, ...body })
    expect(await pinsIn(twin)).toEqual(all({ ...ANALOG, power: POWER }).with(1, { pin: 2, ...expected, power: POWER }))
  })

  it('has interrupt and counter of a digital input at once', async () => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    const trigger = { debounce_time_milliseconds: 20, trigger: 'pulse' }
    await io.set('input/mode', { pin: 1, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 1, state: 'enabled' })
    await io.set('input/digital/interrupt', { pin: 1, ...trigger })
    const expected = { pin: 1, mode: 'digital', output: null, trigger, counter: 'enabled', power: null }
    expect(await pinsIn(twin)).toEqual([expected, ...all(INITIAL_PIN).slice(1)])
  })

  it('is an analog input after an alert that disabled it, and not after another', async () => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('5_volt', 100))
    const threshold = { threshold_millivolt: 1000, trigger: 'rising' }
    await io.set('input/analog/threshold', { pin: 1, ...threshold })
    await io.set('output/state', { pin: 2, state: 'high' })
    twin.bench.pin(3, 1).wireTo(twin.bench.pin(3, 2))
    await twin.clock.advance(100)
    const rest = all({ ...ANALOG, power: POWER })
    const watched = { pin: 1, ...ANALOG, trigger: threshold, power: POWER }
    const driven = { pin: 2, ...ANALOG, mode: 'output', output: { state: 'high' }, power: POWER }
    expect(await pinsIn(twin)).toEqual([watched, driven, ...rest.slice(2)])
    twin.bench.pin(3, 2).short()
    await twin.clock.advance(100)
    expect(await pinsIn(twin)).toEqual([watched, ...rest.slice(1)])
  })

  it('is unknown after a write that failed on its way, and as before after one that the module refused', async () => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    await io.set('reset', { reset: 'yes' })
    expect((await io.post('output/state', { pin: 1, state: 'high' })).status).toBe(400)
    expect(await pinsIn(twin)).toEqual(all(INITIAL_PIN))
    twin.bench.slot(3).inject(lostFrames({ share: 1 }), { forMs: 1200 })
    expect((await until(twin, io.post('input/mode', { pin: 1, mode: 'digital' }))).status).toBe(500)
    expect(await pinsIn(twin)).toEqual(all(INITIAL_PIN).with(0, { pin: 1, ...UNKNOWN_PIN, power: null }))
  })

  it('follows writes in the order in which the module gets them', async () => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    await Promise.all([
      io.post('power-management', pinsOn('5_volt', 100)),
      io.post('output/state', { pin: 1, state: 'low' }),
      io.post('reset', { reset: 'yes' }),
      io.post('power-management', pinsOn('5_volt', 100)),
      io.post('output/state', { pin: 1, state: 'high' }),
    ])
    const high = { pin: 1, ...ANALOG, mode: 'output', output: { state: 'high' }, power: POWER }
    expect(await pinsIn(twin)).toEqual(all({ ...ANALOG, power: POWER }).with(0, high))
  })

  it('is unknown after a reset that failed: the module may have done it', async () => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    twin.bench.slot(3).inject(lostFrames({ share: 1 }), { forMs: 1200 })
    expect((await until(twin, io.post('reset', { reset: 'yes' }))).status).toBe(500)
    expect(await pinsIn(twin)).toEqual(all(UNKNOWN_PIN))
  })

  it('keeps the power after a denial', async () => {
    const twin = await twinOf()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('5_volt', 100))
    await io.set('output/state', { pin: 1, state: 'low' })
    await io.post('power-management', pinsOn('12_volt', 500))
    const low = { pin: 1, ...ANALOG, mode: 'output', output: { state: 'low' }, power: POWER }
    expect(await pinsIn(twin)).toEqual(all({ ...ANALOG, power: POWER }).with(0, low))
  })
})

it('the state of power and bmc is read a second after the start, and follows writes', async () => {
  const twin = await twinOf()
  const limits = { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 }
  const initial = { limits, fan: { fan_forced: false, fan_mode: 0 }, fan_rpm: { measurement_enabled: false } }
  expect(await moduleStateOf(twin, 1)).toMatchObject(initial)
  expect(await moduleStateOf(twin, 0)).toMatchObject({ watchdog: 'unknown', usb_hub: 'unknown' })
  await twin.clock.advance(1000)
  expect(await moduleStateOf(twin, 1)).toMatchObject(initial)
  const bmc = moduleAt(twin, 'bmc', 0)
  const usb_hub = await bmc.read('usbhub')
  const known = { watchdog: { timeout: 0 }, shutdown_timeout: 60_000, usb_hub, usb_bootloader: { enabled: false } }
  expect(await moduleStateOf(twin, 0)).toEqual({ ...known, usb_hub_saved: {} })

  await bmc.set('watchdog', { timeout: 60_000 })
  await bmc.set('watchdog/sw_shutdown_timeout', { timeout: 50_000 })
  await bmc.set('usb_bootloader', { enabled: false })
  await bmc.set('usbhub/slot/4', { state: false })
  const set = { watchdog: { timeout: 60_000 }, shutdown_timeout: 50_000, usb_bootloader: { enabled: false } }
  expect(await moduleStateOf(twin, 0)).toEqual({ ...set, usb_hub, usb_hub_saved: { port_slot_4: 'disabled' } })
  await bmc.set('usbhub/reset', { reset: 'yes' })
  expect(await moduleStateOf(twin, 0)).toEqual({ ...set, usb_hub: 'unknown', usb_hub_saved: {} })
  await twin.clock.advance(10_000)
  const applied = { ...usb_hub, port_slot_4: 'disabled' }
  expect(await moduleStateOf(twin, 0)).toEqual({ ...set, usb_hub: applied, usb_hub_saved: {} })
  await bmc.set('usbhub/slot/5', { state: false })
  twin.bench.restart()
  await twin.clock.advance(15_000)
  expect(await moduleStateOf(twin, 0)).toMatchObject({ usb_hub: { ...applied, port_slot_5: 'disabled' }, usb_hub_saved: {} })

  const power = moduleAt(twin, 'power', 1)
  await power.set('limits', { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 })
  await power.set('fan', { fan_forced: true, fan_mode: 60 })
  await power.set('fan/rpm', { measurement_enabled: true })
  expect(await moduleStateOf(twin, 1)).toMatchObject({
    limits: { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 },
    fan: { fan_forced: true, fan_mode: 60 },
    fan_rpm: { measurement_enabled: true },
  })
})

describe('the state of generated writes', () => {
  // Few pins, so that writes and shorts meet.
  const pin = fc.integer({ min: 1, max: 2 })
  const write = (path: string, body: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
    fc.record({ pin, ...body }).map((made) => [path, made] as const)
  const writes = fc.oneof(
    write('input/mode', { mode: fc.constantFrom('analog', 'digital') }),
    write('input/digital/counter', { state: fc.constantFrom('enabled', 'disabled') }),
    write('output/state', { state: fc.constantFrom('high', 'low') }),
    write('output/pwm', { prescaler: fc.constant(47), time_on: fc.constantFrom(0, 500), period: fc.constant(1000) }),
    write('input/analog/threshold', {
      threshold_millivolt: fc.constant(1000),
      trigger: fc.constantFrom('disabled', 'rising', 'falling'),
    }),
    fc.constant(['power-management', pinsOn('5_volt', 10)] as const),
    fc.constant(['power-management', pinsOn('12_volt', 500)] as const),
    fc.constant(['reset', { reset: 'yes' }] as const),
    pin.map((number) => ['short', { pin: number }] as const),
  )

  it('is what the module does', async () =>
    fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 5, maxLength: 30, size: 'max' }), async (steps) => {
        const twin = await twinOf()
        const io = moduleAt(twin, 'io', 3)
        await io.set('power-management', pinsOn('5_volt', 10))
        for (const [path, body] of steps) {
          if (path !== 'short') await io.post(path, body)
          else {
            const short = twin.bench.pin(3, (body as { pin: number }).pin).short()
            await twin.clock.advance(30)
            short.disconnect()
          }
        }
        const readings = await pinsOf(twin, 3)
        const pins = (await pinsIn(twin)) as readonly { mode: string; output: { state?: string } | null; counter: string }[]
        const isDigital = ({ mode }: { mode: string }): boolean => mode === 'digital'
        expect(pins.map((each) => typeOf(isDigital(each), each.counter))).toEqual(readings.map(({ pin_type }) => pin_type))
        const high = pins.flatMap(({ output }, index) => (output?.state === 'high' ? [index] : []))
        const quiet = pins.flatMap(({ mode, output }, index) => (mode === 'pwm' || output?.state === 'high' ? [] : [index]))
        for (const index of high) expect(readings[index]?.value).toBeGreaterThan(4000)
        for (const index of quiet) expect(readings[index]?.value).toBe(0)
      }),
      { numRuns: cases(40) },
    ))

  function typeOf(isDigital: boolean, counter: string): string {
    if (!isDigital) return 'voltage_millivolt'
    return counter === 'enabled' ? 'frequency_hertz' : 'digital_input'
  }
})
