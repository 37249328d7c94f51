import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

type Body = Readonly<Record<string, unknown>>
type Request = readonly [action: string, body: Body]
/** What a GET shows: of the bench with `/`, of a module else. */
type Shown = readonly [path: string, reply: object]

const show = (path: string): Promise<Body> => (path.startsWith('/') ? device.get(path) : device.read(path))
const CONTACT = ['3/2', '5/6']
const PRINTER = { slot: 5, manufacturer: 'Example', product: 'Label printer', serial_code: 'LP-0042' }
/** One pin with this voltage, at the place of its connection. */
const volts = (pin: string, value: number): Shown => [`/pin/${pin}`, { volts: expect.closeTo(value, 2) as number }]
const source = (pin: string, value: number): Request => ['connect', { pin, to: { source: { volts: value } } }]

/** Requests, the reply to the last one besides the status, and what the device shows then. */
const effects: readonly (readonly [promise: string, requests: readonly Request[], reply: object, shown: readonly Shown[]])[] = [
  [
    'connect shows voltage, current and settings; the input of the module is 1 MΩ to ground',
    [['connect', { pin: '3/1', to: { source: { volts: 24, ohms: 10_000 } } }]],
    { name: 'c4' },
    [
      ['/pin/3/1', { slot: 3, pin: 1, volts: 23.762376, milliampere: -0.023762 }],
      [
        '/pin/3/1',
        {
          connections: [
            {
              name: 'c4',
              pins: ['3/1'],
              kind: 'source',
              description: 'source of 24 V behind 10000 Ω',
              settings: { volts: 24, ohms: 10_000 },
            },
          ],
        },
      ],
      ['io/1.0/3/input/values', { pins: [{ pin: 1, value: 23_760 }, {}, {}, {}, {}, {}] }],
    ],
  ],
  [
    'connect takes an encoder at two pins',
    [source('3/1', 5), ['connect', { pin: '3/3', to: { encoder: { rpm: 60 } }, other: '3/4' }]],
    { name: 'c5' },
    [['/wiring', { connections: [{}, {}, {}, {}, { pins: ['3/3', '3/4'] }] }], volts('3/3', 5)],
  ],
  [
    'disconnect of a pin removes all its connections',
    [source('3/1', 5), ['wire', { pins: ['3/1', '5/6'] }], ['disconnect', { of: '3/1' }]],
    { disconnected: 2 },
    [['/pin/5/6', { volts: 0, connections: [] }]],
  ],
  [
    'disconnect of a name removes one connection',
    [['disconnect', { of: 'c2' }]],
    { disconnected: 1 },
    [['/pin/5/3', { volts: 0, connections: [] }]],
  ],
  ['set changes a setting of an element', [['set', { of: 'c2', volts: 1.5 }]], {}, [volts('5/3', 1.485)]],
  ['unplug empties a slot', [['unplug', { slot: 5 }]], {}, [['io/1.0/', { devices: [{ slot_number: 3 }] }]]],
  [
    'plug fills a slot',
    [['plug', { slot: 7, module: 'io' }]],
    {},
    [['/slots', { slots: [{}, {}, {}, {}, {}, {}, {}, { module: 'io', mode: 'suspend' }] }]],
  ],
  [
    'ambient sets the surroundings',
    [['ambient', { celsius: 60 }]],
    {},
    [['/surroundings', { ambient_celsius: 60, computer_watt: 2 }]],
  ],
  [
    'rail keeps what it does not set',
    [
      ['rail', { rail: '12v', load_milliampere: 500 }],
      ['rail', { rail: '12v', offset_millivolt: -100 }],
    ],
    {},
    [
      [
        '/surroundings',
        { rails: [{ rail: '3v3' }, { rail: '5v0' }, { rail: '12v', on: true, load_milliampere: 500, offset_millivolt: -100 }] },
      ],
    ],
  ],
  [
    'usb_attach fills a port',
    [['usb_attach', PRINTER]],
    {},
    [['/usb', { host_connected: false, devices: [{ slot: 4 }, PRINTER] }]],
  ],
  [
    'usb_detach empties a port',
    [
      ['usb_attach', PRINTER],
      ['usb_detach', { slot: 4 }],
    ],
    {},
    [['/usb', { devices: [PRINTER] }]],
  ],
  ['usb_host connects a host', [['usb_host', { connected: true }]], {}, [['/usb', { host_connected: true }]]],
  ['fault is not listed if it is over at once', [['fault', { slot: 3, reboot: {} }]], {}, [['/faults', { faults: [] }]]],
  [
    'break lists a defect',
    [['break', { slot: 1, defect: 'fan_blocked' }]],
    { name: 'f1' },
    [['/faults', { faults: [{ name: 'f1', slot: 1, kind: 'fan_blocked' }] }]],
  ],
  ...(
    [
      ['3', 2, 1],
      ['all', 3, 0],
      ['f1', 1, 2],
    ] as const
  ).map(
    ([of, cleared, left]) =>
      [
        `clear_faults of ${of} ends them`,
        [...[3, 3, 5].map((slot): Request => ['fault', { slot, hang: {} }]), ['clear_faults', { of }] as Request],
        { cleared },
        [['/faults', { faults: Array.from({ length: left }, () => ({ kind: 'hang' })) }] as Shown],
      ] as const,
  ),
]

describe('POST', () => {
  it.each(effects)('has this effect: %s', async (_, requests, reply, shown) => {
    let last: unknown
    for (const [action, body] of requests) {
      const { status, body: replied } = await device.post(action, body)
      expect({ status, replied }).toMatchObject({ status: 200 })
      last = replied
    }
    expect(last).toEqual({ status: 'success', ...reply })
    for (const [path, expected] of shown) expect(await show(path)).toMatchObject(expected)
  })

  it.each([
    ['source', { volts: 3 }, 3],
    ['square_wave', { frequency_hz: 1, low_volts: 0, high_volts: 4 }, 4],
    ['current_source', { milliampere: 12, max_volts: 10 }, 10],
    ['capacitor', { farad: 1e-6 }, 0],
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
  ])('connect takes a %s between two pins, of two modules', async (kind, settings, expected) => {
    await device.post('short', { pin: '5/6' })
    expect(await device.post('connect', { pin: '3/1', to: { [kind]: settings }, other: '5/6' })).toMatchObject({ status: 200 })
    expect(await device.get('/pin/3/1')).toMatchObject({
      volts: expect.closeTo(expected, 2) as number,
      connections: [{ kind, pins: ['3/1', '5/6'] }],
    })
  })

  it('connect takes a relay with its contact between two other pins', async () => {
    const relay = { ohms: 120, operate_ms: 4, bounces: 0 }
    expect(await device.post('connect', { pin: '3/1', to: { relay }, contact: CONTACT })).toMatchObject({ status: 200 })
    for (const request of [source('3/2', 3), source('3/1', 5)]) await device.post(...request)
    expect(await device.get('/pin/5/6')).toMatchObject({ volts: 0, connections: [{ pins: ['3/1', ...CONTACT] }] })
    await device.real.advance(20)
    expect((await device.get('/pin/5/6'))['volts']).toBeCloseTo(3, 2)
  })

  it('set presses a button for a duration', async () => {
    await device.post('connect', { pin: '3/1', to: { source: { volts: 5, ohms: 1000 } } })
    const { body } = await device.post('connect', { pin: '3/1', to: { button: {} } })
    await device.post('time/pause')
    await device.post('set', { of: body['name'], press_for_ms: 50 })
    await device.post('time/step', { ms: 10 })
    expect((await device.get('/pin/3/1'))['volts']).toBeCloseTo(0, 2)
    await device.post('time/step', { ms: 100 })
    expect((await device.get('/pin/3/1'))['volts']).toBeCloseTo(5, 1)
  })

  it('restart restarts everything except the bench', async () => {
    expect(await device.post('restart')).toMatchObject({ status: 200 })
    await device.real.advance(100)
    expect((await device.ask('GET', '/api/io/1.0/')).status).toBe(502)
    expect((await device.ask('GET', '/slotwire/bench')).status).toBe(200)
    await device.real.advance(5000)
    expect((await device.ask('GET', '/api/io/1.0/')).status).toBe(200)
  })

  it('factory_reset restores factory values, and fails while the module hangs', async () => {
    await device.ask('POST', '/api/bmc/1.0/0/watchdog/sw_shutdown_timeout', { timeout: 90_000 })
    expect(await device.read('bmc/1.0/0/watchdog')).toMatchObject({ shutdown_timeout: 90_000 })
    expect(await device.post('factory_reset', { slot: 0 })).toMatchObject({ status: 200 })
    expect(await device.read('bmc/1.0/0/watchdog')).toMatchObject({ shutdown_timeout: 60_000 })
    await device.post('fault', { slot: 3, hang: {} })
    const reset = device.post('factory_reset', { slot: 3 })
    await device.real.advance(10_000)
    const message = expect.stringMatching(/^the module in slot 3 failed its factory reset: ./) as string
    expect(await reset).toMatchObject({ status: 500, message })
  })

  it('fault lasts for its duration', async () => {
    const fault = { slot: 3, crc_errors: { share: 0.3 }, for_ms: 10_000 }
    expect((await device.post('fault', fault)).body).toEqual({ status: 'success', name: 'f1' })
    const since = device.time.now()
    const description = '30 % of the frames have a wrong bit'
    const times = { since_ms: since, until_ms: since + 10_000 }
    expect(await device.get('/faults')).toEqual({
      faults: [{ name: 'f1', slot: 3, kind: 'crc_errors', description, settings: { share: 0.3 }, ...times }],
    })
    await device.real.advance(10_000)
    expect(await device.get('/faults')).toEqual({ faults: [] })
  })
})
