import { catalog } from '@slotwire/device/twin'
import { parseScenario } from '@slotwire/scenario'
import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'
import { ScenarioRunner } from './scenario.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

const start = (text: string) => device.post('scenario/start', { text })

describe('a scenario', () => {
  it('runs on the device in its current state, with times counted from its start', async () => {
    expect(await device.get('/scenario')).toEqual({ state: 'none' })
    await device.real.advance(12_345)
    const text = 'name: sensor\nsteps:\n  - connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }\n  - at: 2s\n    short: 3/1\n'
    expect(await start(text)).toMatchObject({ status: 200 })
    await device.real.advance(1900)
    expect((await device.get('/pin/3/1'))['volts']).toBeCloseTo(23.76, 2)
    expect(await device.get('/scenario')).toMatchObject({ state: 'running', name: 'sensor', steps: 2 })
    await device.real.advance(200)
    expect((await device.get('/pin/3/1'))['volts']).toBeCloseTo(0, 2)
    expect(await device.get('/scenario')).toEqual({ state: 'passed', name: 'sensor', steps: 2, at_ms: 2000, failures: [] })
    expect(await device.get('')).toMatchObject({ scenario: { state: 'passed' } })
  })

  it('may use the names of the bench, and give them to something else, once', async () => {
    await device.post('connect', { pin: '3/1', to: { source: { volts: 24 } }, as: 'sensor' })
    const [set, connect] = ['- set: { of: sensor, volts: 5V }', '- connect: { pin: 3/2, to: { source: 5V }, as: sensor }']
    const result = async (...steps: string[]) => {
      const { status, message } = await start(`steps:\n${steps.join('\n')}\n`)
      await device.real.advance(100)
      return message ?? [status, (await device.get('/scenario'))['state']]
    }
    expect(await result(set, connect, set)).toEqual([200, 'passed'])
    expect(await result(connect, connect)).toContain('line 3: the name sensor is taken: choose another')
  })

  it('reports the failed step with its line', async () => {
    await start('steps:\n  - at: 1s\n    expect: { pin: 5/3, volts: 1 }\n')
    await device.real.advance(1100)
    const { state, failures } = await device.get('/scenario')
    expect(state).toBe('failed')
    const step = 'expect: { pin: 5/3, volts: 1 }'
    expect(failures).toEqual([{ line: 3, step_text: step, at_ms: 1000, expected: 'pin 5/3 volts: 1 V', seen: '3.26733 V' }])
  })

  it('refuses a second one until it is stopped', async () => {
    await start('steps:\n  - at: 1min\n    short: 3/1\n')
    await device.real.advance(100)
    expect(await start('steps:\n  - short: 3/2\n')).toMatchObject({
      status: 400,
      message: 'a scenario is already running: wait for its end, or POST /slotwire/bench/scenario/stop first',
    })
    expect(await device.post('scenario/stop')).toMatchObject({ status: 200 })
    expect(await device.get('/scenario')).toMatchObject({ state: 'stopped' })
    expect(await device.post('scenario/stop')).toMatchObject({
      status: 400,
      message: 'no scenario is running: GET /slotwire/bench/scenario shows how the last one ended',
    })
    expect(await start('steps:\n  - short: 3/2\n')).toMatchObject({ status: 200 })
  })

  it('waits while time is paused', async () => {
    await device.post('time/pause')
    await start('steps:\n  - at: 1s\n    short: 5/3\n')
    await device.real.advance(10_000)
    expect(await device.get('/scenario')).toMatchObject({ state: 'running' })
    await device.post('time/step', { ms: 2000 })
    expect(await device.get('/scenario')).toMatchObject({ state: 'passed' })
  })

  it('is limited by the size of a body', async () => {
    const steps = 'steps:\n  - short: 3/1\n'
    const room = 65_536 - JSON.stringify({ text: steps }).length
    expect(await start(`${steps}${'#'.repeat(room + 1)}`)).toMatchObject({ status: 413 })
    expect(await start(`${steps}${'#'.repeat(room)}`)).toMatchObject({ status: 200 })
  })

  it('ends with the service', async () => {
    await start('steps:\n  - at: 1min\n    short: 3/1\n')
    await device.twin.service.close()
    await device.real.advance(70_000)
    expect(device.twin.bench.pin(3, 1).connections).toEqual([])
  })

  it.each([
    ['', /^text is not a scenario: line 1: /],
    ['steps:\n  - short: 3/9\n', /^text is not a scenario: line 2: .*3\/9/],
    ['steps:\n  - shrt: 3/1\n', /^text is not a scenario: line 2: .*shrt/],
    ['a: [', /^text is not a scenario: line 1: /],
    ['steps:\n  - kill_service:\n', /^text (is not a scenario|needs slotwire scenario run): line 2: .*/],
    ['device: empty\nsteps:\n  - short: 3/1\n', /^text asks for another device: leave out device, or use slotwire scenario run$/],
    ['bus: timed\nsteps:\n  - short: 3/1\n', /^text asks for another device: leave out bus, /],
  ])('refuses the text %j', async (text, message) => {
    const answer = await start(text)
    expect(answer.status).toBe(422)
    expect(answer.message).toMatch(message)
    expect(await device.get('/scenario')).toEqual({ state: 'none' })
  })
})

it('ScenarioRunner refuses to start a scenario after close', async () => {
  const runner = new ScenarioRunner(device.twin)
  await runner.close()
  expect(() => runner.start(parseScenario('steps:\n  - short: 3/2\n', { catalog }))).toThrow('stopping')
  expect([runner.isRunning, runner.shown.state]).toEqual([false, 'none'])
})
