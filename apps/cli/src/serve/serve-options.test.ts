import { join } from 'node:path'
import { ManualClock, SystemClock, silentLog } from '@slotwire/core'
import { ask } from '@slotwire/device/twin'
import { MAX_SCLK_KHZ, MIN_SCLK_KHZ } from '@slotwire/driver'
import { servePowerManager } from '@slotwire/driver/power-manager'
import { VolatileMemory } from '@slotwire/twin'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { optionsOf } from '../command.testkit.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { powerManagerOf } from './power-manager-option.ts'
import { type ServeOptions, serveCommand } from './serve-options.ts'
import { createTwinDevice, ServedTime } from './twin-device.ts'

const parse = (...words: string[]) => optionsOf<ServeOptions>((run) => serveCommand(['bmc', 'io', 'power'], run), words)

describe('slotwire serve', () => {
  it('serves everything by default, at the ports in the settings', async () =>
    expect(await parse()).toEqual({
      hardware: 'auto',
      resetState: false,
      services: ['bmc', 'io', 'power'],
      powerMode: 'strict',
      bench: true,
      logLevel: 'info',
      json: false,
    }))

  it('accepts every option', async () => {
    const network = '--listen 10.0.0.5 --listen fd00::5 --https-port 8443 --http-port 8081'
    const args = '--port 0 --state /tmp/s --reset-state --services io,power --power-mode weak --bus timed --log-level warn --json'
    const twin = '--no-bench --twins 1000'
    const kernel = '--hardware kernel --sys-root /tmp/sys --dev-root /tmp/dev --sclk-cap 8000 --power-manager /tmp/power'
    expect(await parse(...[args, network, twin, kernel].flatMap((words) => words.split(' ')))).toEqual({
      hardware: 'kernel',
      sysRoot: '/tmp/sys',
      devRoot: '/tmp/dev',
      sclkCap: 8000,
      powerManager: '/tmp/power',
      port: 0,
      listen: ['10.0.0.5', 'fd00::5'],
      httpsPort: 8443,
      httpPort: 8081,
      state: '/tmp/s',
      resetState: true,
      services: ['io', 'power'],
      powerMode: 'weak',
      bus: 'timed',
      bench: false,
      twins: 1000,
      logLevel: 'warn',
      json: true,
    })
  })

  it('serves a service once if it is named twice', async () =>
    expect((await parse('--services', 'io, io')).services).toEqual(['io']))

  it.each([MIN_SCLK_KHZ, MAX_SCLK_KHZ])('accepts a bus clock of %i kHz, a limit of the driver', async (sclkCap) =>
    expect((await parse('--sclk-cap', String(sclkCap))).sclkCap).toBe(sclkCap),
  )

  it.each([
    ['--port', '-1'],
    ['--port', '65536'],
    ['--port', '8o80'],
    ['--port', ''],
    ['--listen', 'press-4'],
    ['--listen', '10.0.0'],
    ['--https-port', '65536'],
    ['--http-port', 'off'],
    ['--state', ''],
    ['--state', ' '],
    ['--services', 'io,relay'],
    ['--services', ''],
    ['--power-mode', 'Strict'],
    ['--bench-from', '0.0.0.0'],
    ['--bench-from', '::'],
    ['--bus', 'fast'],
    ['--hardware', 'real'],
    ['--sys-root', ''],
    ['--dev-root', ' '],
    ['--power-manager', ''],
    ['--sclk-cap', String(MIN_SCLK_KHZ - 1)],
    ['--sclk-cap', String(MAX_SCLK_KHZ + 1)],
    ['--sclk-cap', '8 MB'],
    ['--log-level', 'loud'],
    ['--twins', '0'],
    ['--twins', '1001'],
    ['--twins', '2.5'],
    ['--twins', ''],
    ['--unknown', 'x'],
  ])('refuses %s %s', (option, value) => expect(parse(`${option}=${value}`)).rejects.toThrow(option))

  it('refuses an address for the bench without the bench', () =>
    expect(parse('--no-bench', '--bench-from', '192.0.2.7')).rejects.toThrow('--no-bench'))

  it('refuses an argument', () => expect(parse('everything')).rejects.toThrow('too many arguments'))
})

const systemClock = new SystemClock()
const none = { power3v3: 0, power5v0: 0, power12v: 0 }
const missing = { ...none, power12v: 7 }
/** The built-in power manager grants what the one at the socket denies. */
const builtIn = { request: async () => ({ granted: true, missing: none }), done: async () => undefined }
const denying = { request: async () => ({ granted: false, missing }), done: async () => undefined }

let folder: string
beforeEach(() => (folder = temporaryFolder()))

describe('--power-manager', () => {
  it('sends requests only to the power manager at the socket', async () => {
    const socket = join(folder, 'p')
    const asked = powerManagerOf({ powerManager: socket, powerMode: 'strict', clock: systemClock, log: silentLog })(builtIn)
    await expect(asked.request(3, none)).rejects.toMatchObject({ code: 'power-manager-unreachable' })
    const server = await servePowerManager({ socket, manager: denying, clock: systemClock, log: silentLog })
    expect(await asked.request(3, none)).toEqual({ granted: false, missing })
    await server.close()
  })

  it('refuses a path too long for a socket: the system would truncate it', () => {
    const powerManager = `/${'x'.repeat(107)}`
    expect(() => powerManagerOf({ powerManager, powerMode: 'strict', clock: systemClock, log: silentLog })).toThrow(UsageError)
  })
})

function served() {
  const base = new ManualClock()
  return { base, time: new ServedTime(base) }
}

describe('ServedTime', () => {
  it('has a pace, and steps while stopped', async () => {
    const { base, time } = served()
    expect(time.pace).toBe(1)
    time.pace = 0
    await base.advance(1000)
    await time.step(30)
    expect(time.now()).toBe(30)
    expect(() => {
      time.pace = -1
    }).toThrow(RangeError)
  })

  it('runs at real pace after release, so that waits for a module end', async () => {
    const { base, time } = served()
    time.pace = 0
    let isClosed = false
    time.after(200, () => {
      isClosed = true
    })
    time.release()
    await base.advance(200)
    expect(isClosed).toBe(true)
  })

  it('refuses changes after release, and ends a running step', async () => {
    const { time } = served()
    time.pace = 0
    time.after(1e6, () => undefined)
    const step = time.step(1e9)
    time.release()
    await step
    expect(time.now()).toBeLessThan(1e6)
    expect(() => {
      time.pace = 0
    }).toThrow('stopping')
    await expect(time.step(1)).rejects.toThrow('stopping')
    expect(time.pace).toBe(1)
  })
})

const NEVER = new Promise<never>(() => undefined)
const AN_HOUR_MS = 3_600_000

it('a twin is stuck if its driver is, but not while a bench client changes its pace', async () => {
  const clock = new ManualClock()
  const device = await createTwinDevice({
    services: ['io'],
    powerMode: 'strict',
    bus: 'instant',
    bench: true,
    followed: clock,
    realTime: clock,
    memory: () => new VolatileMemory(),
    seed: 1,
    log: silentLog,
  })
  const started = device.start()
  await clock.advance(5000)
  await started
  expect(device.stuck()).toBeUndefined()
  const [module] = device.rack.usable('modules.noreya.tech/io')
  void module?.write(() => NEVER)
  const act = (path: string, body?: object) => ask(device.service, { method: 'POST', path: `/slotwire/bench/${path}`, body })
  expect((await act('time/pause')).status).toBe(200)
  await clock.advance(AN_HOUR_MS)
  expect(device.stuck()).toBeUndefined()
  expect((await act('time/pace', { pace: 10 })).status).toBe(200)
  await clock.advance(60_000)
  expect(device.stuck()).toBeUndefined()
  expect((await act('time/pace', { pace: 1 })).status).toBe(200)
  expect(device.stuck()).toMatch(/^slot 3: a request has not ended for \d+ s$/)
  const closed = device.close()
  await clock.advance(5000)
  await closed
})
