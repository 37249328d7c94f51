import { ClientError, type Transport } from '@slotwire/client'
import type { Twin } from '@slotwire/device/twin'
import { source, wrongClass } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { connected, FIFTY_MILLIAMPERE, onlySpecification, servedTwin } from './client.testkit.ts'

describe('connect', () => {
  it('finds the modules by service, slot and serial number', async () => {
    const { url } = await servedTwin()
    const device = await connected(url)
    expect(device.modules.map(({ slot, service }) => `${slot} ${service}`)).toEqual(['0 bmc', '1 power', '3 io', '5 io'])
    expect(await device.power().stats()).toMatchObject({ voltage_3v3: expect.any(Number) as unknown })
    const { serial_code: serial, vendor_product_id: type } = await device.io(5).descriptor()
    expect((await device.find('io', { serial, type })).slot).toBe(5)
    expect(() => device.io()).toThrow('the device must have one io module: it has io in slot 3, 5')
    expect(() => device.io(4)).toThrow('the device must have io in slot 4: it has io in slot 3, 5')
    await expect(device.find('io', { serial: 'none' })).rejects.toThrow('0 io modules fit {"serial":"none"}, 1 must')
  })

  it('finds a module by its serial number while another one does not answer', async () => {
    const { twin, url } = await servedTwin()
    const device = await connected(url)
    const { serial_code: serial, vendor_product_id: type } = await device.io(5).descriptor()
    twin.bench.slot(3).unplug()
    expect((await device.find('io', { serial })).slot).toBe(5)
    await expect(device.find('io', { type })).rejects.toMatchObject({ kind: 'not-found', status: 404 })
    await expect(device.find('io', { serial: 'none' })).rejects.toMatchObject({ status: 404 })
  })

  it('drives a pin', async () => {
    const { url } = await servedTwin()
    const io = (await connected(url)).io(3)
    await io.reset()
    await io.power(FIFTY_MILLIAMPERE)
    await io.pin(1).output('high')
    expect(await io.pin(1).value()).toMatchObject({ pin: 1, pin_type: 'voltage_millivolt' })
    expect(await io.pin(2).pwm({ frequencyHz: 1000, duty: 0.25 })).toEqual({ prescaler: 0, time_on: 12_000, period: 48_000 })
    const misspelt = { frequency: 1000, duty: 0.25 } as unknown as { frequencyHz: number; duty: number }
    await expect(io.pin(2).pwm(misspelt)).rejects.toThrow('frequency is unknown: did you mean frequencyHz?')
    expect(await io.pin(1).current()).toBeGreaterThanOrEqual(0)
  })

  it('talks to a twin in the same process without a socket', async () => {
    const { twin } = await servedTwin()
    const device = await connected(twin)
    await device.io(3).pin(1).mode('digital')
    expect(await device.state()).toMatchObject({ modules: expect.any(Array) as unknown })
    const pin = device.io(3).pin(2)
    const alerts = pin.alerts()
    await alerts.ready
    await pin.threshold({ threshold_millivolt: 1000, trigger: 'rising' })
    twin.bench.pin(3, 2).connect(source(5))
    expect(await alerts.next()).toMatchObject({ value: { slot: 3, pin: 2, alerts: ['custom_voltage_alert'] } })
  })

  it.each([
    ['127.0.0.1:8080', 'it must begin with http:// or https://'],
    ['http://[fe80::1%25eth0]', 'no URL can name a network interface (%…): use a host name'],
    ['ftp://dev', 'it must begin with http:// or https://'],
    ['http://token:secret@dev', 'give the token in the options'],
    ['http://dev/?a=1', 'leave out ? and #'],
  ])('refuses the address %s', (address, reason) => expect(connected(address)).rejects.toThrow(reason))
})

describe('a call', () => {
  it.each([
    ['a pin', { pin: 7, mode: 'analog' }, 'pin is out of range: 1…6'],
    ['a word', { pin: 1, mode: 'output' }, 'mode is not allowed: analog or digital'],
    ['a missing field', { pin: 1 }, 'mode is missing'],
    ['a field', { pin: 1, mode: 'analog', modus: 1 }, 'modus is unknown'],
  ])('refuses %s in the words of the server, before anything is sent', async (_, body, reason) => {
    const { url } = await servedTwin()
    const answer = await fetch(`${url}/api/io/1.0/3/input/mode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const said = ((await answer.json()) as { message: string }).message
    expect(said).toContain(reason)
    const device = await connected(url)
    const error = await device
      .io(3)
      .call('setInputMode', body as never)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ kind: 'invalid', status: undefined, message: `POST /api/io/1.0/3/input/mode: ${said}` })
  })

  it('rejects a denied power configuration, with what is missing', async () => {
    const { url } = await servedTwin()
    const device = await connected(url)
    const config = Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 500 }) as const)
    await expect(device.io(5).power(config)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/\d+ mW on 12v/) as unknown,
    })
  })
})

describe('power with keep', () => {
  const HUNDRED = FIFTY_MILLIAMPERE.map((power) => ({ ...power, current_milliampere: 100 }))
  /** A module with something set on each kind of pin; `after` is called with each request that was answered. */
  async function setUp(
    after: (path: string, twin: Twin) => Promise<void> | void = () => undefined,
    instead: (path: string) => Response | undefined = () => undefined,
  ) {
    const { twin, url } = await servedTwin()
    const transport: Transport = async (path, init) => {
      const answer = instead(path) ?? (await fetch(url + path, init))
      await after(`${init.method} ${path}`, twin)
      return answer
    }
    const device = await connected(url, { transport })
    const io = device.io(3)
    await io.power(FIFTY_MILLIAMPERE)
    await io.pin(1).output('high')
    await io.pin(2).pwm({ frequencyHz: 1000, duty: 0.25 })
    await io.pin(3).threshold({ threshold_millivolt: 3000, trigger: 'rising' })
    await io.pin(4).mode('digital')
    await io.pin(4).interrupt({ debounce_time_milliseconds: 20, trigger: 'pulse' })
    await io.pin(5).mode('digital')
    await io.pin(5).counter('enabled')
    const state = async () => JSON.stringify((await device.state()).modules.find(({ slot }) => slot === 3)?.state)
    return { twin, device, io, state, before: await state() }
  }

  it('sets all pins again, inputs before outputs, and gives its lease back', async () => {
    const requests: string[] = []
    const { device, io, state, before } = await setUp((path) => void requests.push(path.replace('/api/io/1.0/3/', '')))
    requests.length = 0
    await io.power(HUNDRED, { keep: true })
    expect(await state()).toBe(before.replaceAll('"current_milliampere":50', '"current_milliampere":100'))
    expect(requests.slice(0, -1)).toEqual([
      'POST /slotwire/leases',
      'GET /slotwire/state',
      'POST power-management',
      'POST input/mode',
      'POST input/analog/threshold',
      'POST input/mode',
      'POST input/digital/interrupt',
      'POST input/mode',
      'POST input/digital/counter',
      'POST output/state',
      'POST output/pwm',
      expect.stringMatching('^DELETE /slotwire/leases/'),
    ])
    expect(await device.state()).toMatchObject({ leases: [] })
  })

  it('changes nothing after a denial, under the lease of another, or if a pin is not known', async () => {
    const { twin, device, io, state, before } = await setUp()
    const tooMuch = FIFTY_MILLIAMPERE.map(() => ({ rail: '12_volt', current_milliampere: 500 }) as const)
    await expect(io.power(tooMuch, { keep: true })).rejects.toMatchObject({ kind: 'refused' })
    const other = await connected(twin)
    const lease = await other.lease([3], { holder: 'line 3' })
    await expect(io.power(HUNDRED, { keep: true })).rejects.toMatchObject({ kind: 'leased' })
    await lease.release()
    expect([await state(), await device.state()]).toEqual([before, expect.objectContaining({ leases: [] })])

    const fault = twin.bench.slot(3).inject(wrongClass())
    await expect(io.pin(6).output('high')).rejects.toMatchObject({ kind: 'module' })
    fault?.clear()
    await expect(io.power(HUNDRED, { keep: true })).rejects.toThrow(
      'pin 6 is in a state that is not known: set it first, nothing was changed',
    )
    const none = HUNDRED.with(0, { rail: '5_volt', current_milliampere: 0 })
    await expect(io.power(none, { keep: [1, 2, 3] })).rejects.toThrow('pin 1 drives and would get 0 mA')
    expect(await state()).toContain('"current_milliampere":50')
  })

  it('names only the pins that are refused, and sets those after them', async () => {
    let refusals = 0
    const { io, state } = await setUp(undefined, (path) => {
      if (refusals === 0 || !path.endsWith('output/state')) return undefined
      refusals--
      return Response.json({ status: 'error', code: 400, message: 'not now' }, { status: 400 })
    })
    await io.pin(6).output('low')
    refusals = 1
    await expect(io.power(HUNDRED, { keep: [1, 6] })).rejects.toThrow(/could not be set again: pin 1 output: .*not now/)
    expect(await state()).toMatch(/"pin":1,"mode":"analog".*"pin":6,"mode":"output"/)
  })

  it('is not cut in two by an abort, and keeps only some pins', async () => {
    const end = new AbortController()
    const { device, io, state } = await setUp((path) =>
      path.endsWith('analog/threshold') ? end.abort(new Error('enough')) : undefined,
    )
    const { signal } = end
    const [kept] = [new AbortController()].map((other) => io.power(HUNDRED, { keep: [1, 4], signal: other.signal }))
    await kept
    expect(await state()).toMatch(
      /"pin":1,"mode":"output".*"pin":2,"mode":"analog".*"pin":4,"mode":"digital".*"pin":5,"mode":"analog"/,
    )
    await expect(io.power(HUNDRED, { keep: true, signal })).rejects.toThrow('enough')
    expect(await device.state()).toMatchObject({ leases: [] })
  })

  it('sets nothing again in a new session, and says what is left', async () => {
    let isOut = false
    const { device, io, state } = await setUp(async (path, twin) => {
      if (!isOut || !path.endsWith('input/analog/threshold')) return
      isOut = false
      twin.bench.slot(3).unplug()
      const slots = async () =>
        JSON.stringify((await twin.request({ method: 'GET', path: '/api/io/' })).body).match(/slot_number":\d/g)
      await expect.poll(slots).toHaveLength(1)
      twin.bench.slot(3).plug('io')
      await expect.poll(slots).toHaveLength(2)
      // The client knows the new session before it sets the next pin.
      await device.context.sessions.refresh('io')
    })
    isOut = true
    const left = io.power(HUNDRED, { keep: true })
    await expect(left).rejects.toThrow(
      /^the power is set, but these pins could not be set again: pin 4 input, .*pin 1 output, pin 2 pwm: /,
    )
    expect(await state()).not.toMatch(/"mode":"(digital|output|pwm)"/)
  })
})

describe.each(['with /slotwire/', 'with the specification alone'])('a setup, on a server %s', (server) => {
  const isPlain = server.includes('alone')

  it('runs once in each new session, and writes wait for it', async () => {
    const { twin, url } = await servedTwin()
    const device = await connected(url, isPlain ? { transport: onlySpecification(url) } : {})
    expect(device.extensions).toBe(!isPlain)
    const sessions: (string | undefined)[] = []
    await device.io(3).setup(async (io) => {
      sessions.push(io.session)
      await io.reset()
      await io.power(FIFTY_MILLIAMPERE)
    })
    for (const restart of ['unplug', 'device'] as const) {
      const done = new Promise<void>((resolve) => {
        const stop = device.on('setup', ({ error }) => {
          if (error !== undefined) return
          stop()
          resolve()
        })
      })
      if (restart === 'device') await device.bmc().call('hardReset', { reset: 'yes' })
      else {
        twin.bench.slot(3).unplug()
        twin.bench.slot(3).plug('io')
      }
      await done
      await device.io(3).pin(1).output('high')
    }
    expect(sessions).toHaveLength(3)
    expect(new Set(sessions).size).toBe(3)
  })

  it('is not kept if its first run fails', async () => {
    const { url } = await servedTwin()
    const device = await connected(url, isPlain ? { transport: onlySpecification(url) } : {})
    await expect(device.io(3).setup((io) => io.pin(1).output('high'))).rejects.toMatchObject({ kind: 'refused', status: 400 })
    await device.io(3).pin(1).mode('digital')
  })
})
