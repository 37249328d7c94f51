import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decimal, objectOf, reads } from '@slotwire/contract'
import { alternatives, ManualClock, SystemClock } from '@slotwire/core'
import { MAX_SCLK_KHZ, MIN_SCLK_KHZ } from '@slotwire/driver'
import * as firmwares from '@slotwire/modules/firmwares'
import type { ScenarioWorld } from '@slotwire/scenario'
import type { ServedExtension } from '@slotwire/service'
import { FileMemory, resistor, source, type Transfer } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LAYOUT } from './default-device.ts'
import { moduleAt, pinsOf, pinsOn, useTwins } from './twin.testkit.ts'
import { createTwin, type Twin, type TwinOptions } from './twin.ts'

const twinOn = useTwins()
const get = (twin: Twin, path: string) => twin.request({ method: 'GET', path })

describe('createTwin', () => {
  it('makes the default device with its wiring, and changes through its bench take effect', async () => {
    const twin = await twinOn()
    const layout = new Map(DEFAULT_LAYOUT)
    expect(twin.bench.slots.map(({ moduleType }) => moduleType)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((slot) => layout.get(slot)))
    expect(twin.bench.connections.map(({ description }) => description)).toEqual([
      'wire from 5/1 to 5/2',
      'resistor of 10000 Ω to 3.3 V',
      'square wave of 100 Hz, 0/5 V behind 0 Ω, high for 0.5 of the time',
    ])
    twin.bench.pin(3, 1).connect(source(24, { ohms: 10_000 }))
    expect((await pinsOf(twin, 3))[0]).toMatchObject({ value: 23_760 })
  })

  it('makes a world for scenarios', async () => {
    const world: ScenarioWorld = await twinOn()
    expect(await world.request({ method: 'GET', path: '/api/io/' })).toMatchObject({ status: 200 })
  })

  it('plugs the modules of the layout, without wiring', async () => {
    const twin = await twinOn({ layout: { 0: 'bmc', 4: 'io' } })
    expect(twin.chassis.occupiedSlots).toEqual([0, 4])
    expect([twin.bench.connections, twin.bench.usb.devices]).toEqual([[], []])
    expect((await moduleAt(twin, 'io', 4).get('input/values')).status).toBe(200)
    const empty = await twinOn({ layout: {} })
    expect(empty.chassis.occupiedSlots).toEqual([])
    expect(await get(empty, '/api/io/')).toMatchObject({ status: 200, body: { devices: [] } })
  })

  it('begins with a rig: modules, wiring, names and USB devices, before it is switched on', async () => {
    const connect = { name: 'connect', values: { pin: '3/1', to: { source: { volts: 24, ohms: 10_000 } }, as: 'pressure' } }
    const twin = await twinOn({ rig: { device: 'empty', modules: { 3: 'io' }, actions: [connect] } })
    expect(twin.chassis.occupiedSlots).toEqual([3])
    expect((await pinsOf(twin, 3))[0]).toMatchObject({ value: 23_760 })
    expect(twin.bench.connection('pressure').kind).toBe('source')
    const short = { name: 'short', values: { pin: '4/1' }, at: 'rig.yaml:7' }
    const refused = (name: string, values: object) => createTwin({ rig: { actions: [{ name, values }] } })
    await expect(createTwin({ rig: { actions: [short] } })).rejects.toThrow(
      'rig.yaml:7: short: slot 4 is empty: plug a module first',
    )
    await expect(refused('factory_reset', { slot: 3 })).rejects.toThrow(
      'factory_reset needs a device that runs: do it at the bench',
    )
    await expect(refused('shrt', {})).rejects.toThrow('the rig: there is no action shrt')
    await expect(refused('ambient', { celsius: 200 })).rejects.toThrow('ambient: celsius is out of range: -40…125 °C, not 200')
  })

  it.each([
    ['{"lauout":{}}', 'there is no option lauout: did you mean layout?'],
    ['{"layout":{"3":"oi"}}', 'there is no module type oi: did you mean io?'],
    ['{"layout":{"3":"toString"}}', `there is no module type toString: write ${alternatives(Object.keys(firmwares))}`],
    ['{"layout":{"8":"io"}}', 'there is no slot 8: write 0, 1, 2, 3, 4, 5, 6 or 7'],
    ['{"bus":"Timed"}', 'there is no bus Timed: did you mean timed?'],
    ['{"powerMode":"wek"}', 'there is no powerMode wek: did you mean weak?'],
    ['{"services":["bmx"]}', 'there is no service bmx: did you mean bmc?'],
    ['{"queueLimit":-1}', 'queueLimit is out of range: 0…128, not -1'],
    ['{"sclkCapKhz":1}', `sclkCapKhz is out of range: ${MIN_SCLK_KHZ}…${MAX_SCLK_KHZ}, not 1`],
    ['{"clock":5}', 'clock is not a clock: write new ManualClock()'],
    ['{"memory":"x"}', 'memory is not a function: write (slot) => memory of its module'],
  ])('refuses %s', (json, message) =>
    expect(createTwin(JSON.parse(json) as TwinOptions)).rejects.toThrow(new RangeError(`createTwin: ${message}`)),
  )

  it('keeps the type of its clock', async () => {
    const clock = new ManualClock({ startMs: 500 })
    const twin = await createTwin({ clock })
    const same: ManualClock = twin.clock
    expect(same).toBe(clock)
    await twin.close()
  })

  it('uses the system clock by default', async () => {
    const twin = await createTwin()
    expect(twin.clock).toBeInstanceOf(SystemClock)
    await twin.start()
    expect((await fetch(`${await twin.listen()}/api/io/1.0/3/input/values`)).status).toBe(200)
    await twin.close()
  })

  it('answers 502 until it is switched on, and can be switched on only once', async () => {
    const twin = await createTwin({ clock: new ManualClock() })
    expect(await get(twin, '/api/io/')).toMatchObject({ status: 502 })
    await twin.start()
    expect(await get(twin, '/api/io/')).toMatchObject({ status: 200 })
    await expect(twin.start()).rejects.toThrow('the device is switched on already')
    await twin.close()
    await expect(get(twin, '/api/io/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await twin.close()
  })

  it('passes options to its service', async () => {
    const twin = await twinOn({ services: ['io'], powerMode: 'strict' })
    expect(await get(twin, '/api/bmc/')).toMatchObject({ status: 404 })
    expect(await get(twin, '/api/io/')).toMatchObject({ status: 200 })
  })

  it('serves extensions, which get the twin and are created for every service', async () => {
    const calls: string[] = []
    const extensions = (twin: Twin): readonly ServedExtension[] => {
      const number = calls.push('made')
      const pin = {
        ...reads,
        spec: 'an extension',
        path: '/slotwire/pin',
        summary: 'Reads a pin',
        reply: objectOf({ volts: decimal() }),
      }
      return [
        {
          contract: { name: 'pins', description: 'Reads pins.', endpoints: { pin } },
          handlers: { pin: () => ({ volts: twin.bench.pin(3, 1).volts }) },
          close: () => calls.push(`closed ${number}`),
        },
      ]
    }
    const twin = await twinOn({ extensions })
    twin.bench.pin(3, 1).connect(source(5))
    expect((await get(twin, '/slotwire/pin')).body).toEqual({ volts: expect.closeTo(5, 6) as number })
    await twin.killService()
    await twin.startService()
    expect((await get(twin, '/slotwire/pin')).status).toBe(200)
    expect(calls).toEqual(['made', 'closed 1', 'made'])
  })

  it('numbers each start of its service, so that an id of the one before is not taken for its own', async () => {
    const twin = await twinOn()
    const next = async () => (await get(twin, '/slotwire/history')).body
    expect(await next()).toMatchObject({ next: expect.stringMatching(/^1-/) as string })
    await twin.killService()
    await twin.startService()
    expect(await next()).toMatchObject({ next: expect.stringMatching(/^2-/) as string })
  })

  it('keeps saved data of modules if it has a memory, otherwise none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slotwire twin '))
    const memory = (slot: number) => new FileMemory(join(folder, `slot-${slot}.json`))
    const timeoutOf = async (twin: Twin) => (await moduleAt(twin, 'bmc', 0).read('watchdog'))['timeout']
    const saved = async (options: TwinOptions): Promise<void> => {
      const twin = await twinOn(options)
      await moduleAt(twin, 'bmc', 0).set('watchdog', { timeout: 60_000 })
      await moduleAt(twin, 'bmc', 0).read('watchdog/save')
      await twin.close()
    }
    await saved({ memory })
    await saved({})
    expect(readdirSync(folder)).toContain('slot-0.json')
    expect([await timeoutOf(await twinOn({ memory })), await timeoutOf(await twinOn())]).toEqual([60_000, 0])
    await rm(folder, { recursive: true })
  })

  it.each([-1, 1.5, 2 ** 32])('refuses the seed %f', (seed) =>
    expect(createTwin({ seed })).rejects.toThrow(`0…4294967295, not ${seed}`),
  )
})

describe('Twin.request', () => {
  it('returns status, headers and the body, parsed if it is JSON', async () => {
    const twin = await twinOn()
    const { status, headers, body } = await twin.request({
      method: 'POST',
      path: '/api/io/1.0/3/input/mode',
      body: { pin: 1, mode: 'digital' },
      headers: { accept: 'application/json' },
    })
    expect([status, headers['content-type'], body]).toEqual([200, 'application/json', { status: 'success' }])
    expect((await get(twin, '/slotwire/metrics')).body).toMatch(/^# HELP /)
    expect(await twin.request({ method: 'POST', path: '/api/io/1.0/3/input/mode', body: {} })).toMatchObject({ status: 422 })
  })

  it('is checked like a request at the loopback door', async () => {
    const twin = await twinOn()
    expect(await get(twin, '/api/io/1.0/9/input/values')).toMatchObject({ status: 404, body: { status: 'error', code: 404 } })
  })
})

describe('Twin.listen', () => {
  it('uses 127.0.0.1 and a free port by default', async () => {
    const twin = await twinOn()
    expect(await twin.listen()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const six = await twin.listen({ host: '::1' })
    expect(six).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${six}/api/io/`)).status).toBe(200)
  })

  it.each(['0.0.0.0', '192.168.1.5', '::', 'localhost', ''])('refuses "%s", which other machines could reach', async (host) => {
    const twin = await twinOn()
    await expect(twin.listen({ host })).rejects.toThrow(
      new RangeError(`host is ${host}: use an address of this machine, 127.0.0.1 or ::1`),
    )
  })
})

describe('the same seed and the same steps', () => {
  async function recorded(seed: number): Promise<readonly string[]> {
    const lines: string[] = []
    const note = ({ atMs, slot, host, module }: Transfer): void => {
      lines.push([atMs, slot, Buffer.from(host).toString('hex'), Buffer.from(module).toString('hex')].join(' '))
    }
    const twin = await twinOn({ seed, onTransfer: note })
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('5_volt', 100))
    await io.set('output/state', { pin: 2, state: 'high' })
    await twin.clock.advance(1000)
    twin.bench.pin(3, 2).connect(resistor(10))
    await twin.clock.advance(1000)
    await twin.killService()
    await twin.clock.advance(500)
    await twin.startService()
    await twin.clock.advance(1000)
    return lines
  }

  it('give the same bytes at the same times, also with a killed service', async () => {
    const [one, same, other] = [await recorded(7), await recorded(7), await recorded(8)]
    expect(one.length).toBeGreaterThan(100)
    expect(same).toEqual(one)
    expect(other).not.toEqual(one)
  })
})
