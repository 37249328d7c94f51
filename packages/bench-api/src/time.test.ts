import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

const nowMs = async () => Number((await device.get('/time'))['now_ms'])

describe('twin time', () => {
  it('runs at the configured pace', async () => {
    const before = await nowMs()
    await device.real.advance(100)
    expect(await nowMs()).toBe(before + 100)
    expect(await device.post('time/pace', { pace: 10 })).toMatchObject({ status: 200 })
    await device.real.advance(100)
    expect(await nowMs()).toBeCloseTo(before + 1100, 6)
    expect(await device.get('/time')).toMatchObject({ pace: 10 })
  })

  it('stops while it is paused, and resumes at the same pace', async () => {
    await device.post('time/pace', { pace: 10 })
    await device.post('time/pause')
    await device.post('time/pause')
    const before = await nowMs()
    await device.real.advance(1000)
    expect(await device.get('/time')).toEqual({ now_ms: before, pace: 0 })
    await device.post('time/resume')
    await device.post('time/resume')
    expect(await device.get('/time')).toMatchObject({ pace: 10 })
  })

  it('advances by a step while it is paused, and due events happen', async () => {
    await device.post('time/pause')
    await device.ask('POST', '/api/io/1.0/5/input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'rising' })
    const before = await nowMs()
    const step = await device.post('time/step', { ms: 100 })
    expect(step.body).toEqual({ status: 'success', now_ms: before + 100 })
    expect(await device.read('io/1.0/5/notification/4')).toMatchObject({ custom_voltage_alert: true })
  })

  it('refuses a step while it runs', async () => {
    const timeRuns = 'time is running: POST /slotwire/bench/time/pause first, and do not resume it during a step'
    expect(await device.post('time/step', { ms: 100 })).toMatchObject({ status: 400, message: timeRuns })
    await device.post('time/pause')
    const step = device.post('time/step', { ms: 600_000 })
    await device.post('time/resume')
    expect(await step).toMatchObject({ status: 400, message: timeRuns })
  })

  it('reaches the end of a step, even if it is paused again meanwhile', async () => {
    await device.post('time/pause')
    const before = await nowMs()
    const step = device.post('time/step', { ms: 600_000 })
    await expect.poll(nowMs, { interval: 0 }).toBeGreaterThan(before)
    expect(await device.post('time/pause')).toMatchObject({ status: 200 })
    expect((await step).body).toEqual({ status: 'success', now_ms: before + 600_000 })
  })

  it('reports a step that was interrupted', async () => {
    await device.post('time/pause')
    const before = await nowMs()
    const step = device.post('time/step', { ms: 600_000 })
    await expect.poll(nowMs, { interval: 0 }).toBeGreaterThan(before)
    await device.post('time/resume')
    await device.post('time/pause')
    expect(await step).toMatchObject({
      status: 400,
      message: expect.stringContaining('do not resume it during a step') as string,
    })
  })
})

describe('while time is paused', () => {
  it.each(['io/1.0/', 'io/1.0/3/input/values', 'bmc/1.0/0/temperature', 'power/1.0/1/stats', 'io/1.0/3/notification/1'])(
    'GET /api/%s is answered',
    async (path) => {
      await device.post('time/pause')
      expect((await device.ask('GET', `/api/${path}`)).status).toBe(200)
    },
  )

  it('a module can be configured', async () => {
    await device.post('time/pause')
    expect(await device.ask('POST', '/api/io/1.0/3/input/mode', { pin: 1, mode: 'digital' })).toMatchObject({ status: 200 })
  })

  it.each([
    ['GET', '/api/io/1.0/3/input/values', undefined],
    ['POST', '/api/io/1.0/3/input/mode', { pin: 1, mode: 'digital' }],
    ['POST', '/slotwire/bench/factory_reset', { slot: 3 }],
  ] as const)('%s %s is refused after 30 s of real time if the module hangs', async (method, path, body) => {
    await device.post('fault', { slot: 3, hang: {} })
    await device.post('time/pause')
    const waiting = device.ask(method, path, body)
    let isAnswered = false
    void waiting.then(() => {
      isAnswered = true
    })
    await device.real.advance(29_999)
    expect(isAnswered).toBe(false)
    await device.real.advance(1)
    expect(await waiting).toMatchObject({
      status: 503,
      message: expect.stringContaining('resume it at the bench') as string,
    })
  })

  it('the service closes, although a request waits for time', async () => {
    await device.post('fault', { slot: 3, lost_frames: { share: 1 } })
    await device.post('time/pause')
    const waiting = device.ask('GET', '/api/io/1.0/3/input/values')
    const closing = device.twin.service.close()
    expect(device.time.pace).toBe(1)
    await device.real.advance(2000)
    await closing
    expect((await waiting).status).toBeGreaterThanOrEqual(500)
  })
})
