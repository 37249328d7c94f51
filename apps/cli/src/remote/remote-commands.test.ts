import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { createTwin, type Twin } from '@slotwire/device/twin'
import { source } from '@slotwire/twin'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { inRoot } from '../../../../tools/setup/root.mjs'
import { testContext } from '../command.testkit.ts'
import { runProgram } from '../program.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { exitCodes } from './with-device.ts'

const folder = temporaryFolder()
let twin: Twin
let still: Twin
let url: string
let liveUrl: string

beforeAll(async () => {
  twin = await createTwin()
  // The time of this one stands still: on a busy machine nothing is late for it.
  still = await createTwin({ clock: new ManualClock() })
  url = await still.listen()
  liveUrl = await twin.listen()
  await Promise.all([twin.start(), still.start()])
})
afterAll(async () => {
  await Promise.all([twin.close(), still.close()])
})

/** Runs a command as typed, with the device of this file as default. */
async function slotwire(
  line: string,
  stopped: Promise<unknown> = new Promise(() => undefined),
  folders: NodeJS.ProcessEnv = { XDG_CONFIG_HOME: folder },
) {
  const { context, written } = testContext(folder, 0)
  const environment = { ...context.environment, ...folders }
  const words = line.split(' ').filter(Boolean)
  // Without a folder for the contexts there is no home folder either.
  const home = (): string => {
    throw new UsageError('no home folder')
  }
  await runProgram(words, { ...context, home, environment, stopped: () => stopped })
  // Events are a log: a line for each.
  if (!/--(json|csv)|^events/.test(line))
    expect(Math.max(...written.printed.split('\n').map(({ length }) => length)), line).toBeLessThan(81)
  return { code: written.exitCode, output: written.printed, errors: written.hinted }
}
const onLiveDevice = (line: string, stopped?: Promise<unknown>) => slotwire(`${line} --url ${liveUrl}`, stopped)
const onDevice = (line: string, stopped?: Promise<unknown>) => slotwire(`${line} --url ${url}`, stopped)
const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json()

describe('the commands for a device', () => {
  it.each([
    ['devices', /^3 +io +Virtual IO +1\.0\.0 +0003-/m],
    ['devices --csv', /^slot,service,product,firmware,serial,type,session\n0,bmc,/],
    ['devices --json', /^\[\{"slot":0,"service":"bmc"/],
    ['descriptor 3', /^max_power_12v +\d+ +mW$/m],
    ['get 5', /^5\/6 +analog/m],
    ['get 5/3 --csv', /^pin,mode,value,unit,current_ma,power\n5\/3,/],
    ['bmc watchdog', /^timeout_left +0 +ms$/m],
    ['bmc temperature --csv', /^field,value,unit\nntc_0,[\d.]+,°C\n/],
    ['power stats --json', /^\{"voltage_3v3":\d+/],
    ['history', /^1-1 +2026/m],
    ['history --kinds module --json', /^\[/],
    ['lease list', /^$/],
  ])('%s prints what the device says', async (line, expected) =>
    expect(await onDevice(line)).toMatchObject({ code: 0, output: expect.stringMatching(expected) as unknown }),
  )

  it.each([
    ['mode 3/2 digital', [], { pin: 2, mode: 'digital' }],
    [
      'interrupt 3/2 --trigger falling --debounce 0.25s',
      ['mode 3/2 digital'],
      { trigger: { debounce_time_milliseconds: 250, trigger: 'falling' } },
    ],
    ['counter 3/2 enabled', ['mode 3/2 digital'], { counter: 'enabled' }],
    ['mode 3/3 analog', ['mode 3/3 digital'], { pin: 3, mode: 'analog' }],
    ['threshold 3/3 1.5V', ['mode 3/3 analog'], { trigger: { threshold_millivolt: 1500, trigger: 'rising' } }],
    ['power-config 3 5V/50mA --yes', [], { power: { rail: '5_volt', current_milliampere: 50 } }],
    ['set 3/1 high', ['power-config 3 5V/50mA --yes'], { mode: 'output', output: { state: 'high' } }],
    ['pwm 3/1 1kHz 25% --power 5V/50mA --yes', [], { mode: 'pwm', output: { prescaler: 0, time_on: 12_000, period: 48_000 } }],
    ['reset 3 --yes', ['power-config 3 5V/50mA --yes'], { mode: 'analog', power: null }],
  ])('%s changes the module', async (line, before, expected) => {
    for (const earlier of ['reset 3 --yes', ...before]) expect(await onDevice(earlier)).toMatchObject({ code: 0 })
    expect(await onDevice(line)).toMatchObject({ code: 0, errors: expect.stringMatching(/^(Pin|Slot|Reset slot) /) as unknown })
    const { modules } = (await get('/slotwire/state')) as { modules: { slot: number; state: { pins: unknown[] } }[] }
    const pins = modules.find(({ slot }) => slot === 3)?.state.pins
    expect(pins).toContainEqual(expect.objectContaining(expected))
  })

  it('sets what bmc and power have', async () => {
    expect(await onDevice('power set-fan --fan-forced true --fan-mode 60')).toMatchObject({ code: 0, errors: 'Done.\n' })
    expect(await get('/api/power/1.0/1/fan')).toMatchObject({ fan_forced: true, fan_setting_mode: 60 })
    expect(await onDevice('bmc set-usb-slot 3 --state false')).toMatchObject({ code: 0 })
    expect(await onDevice('power set-limits --limit-3v3 5A --limit-5v0 4A --limit-12v 2A --yes')).toMatchObject({ code: 0 })
    expect(await get('/api/power/1.0/1/stats')).toMatchObject({ limit_3v3: 5000, limit_12v: 2000 })
  })

  it('set --power keeps the power of the other pins, and asks before pins stop driving; --keep sets them again', async () => {
    await onDevice('reset 3 --yes')
    await onDevice('set 3/1 high --power 5V/50mA')
    const refused = await onDevice('set 3/2 high --power 12V/0.1A')
    expect(refused).toMatchObject({
      code: 2,
      errors: expect.stringContaining('3/1 will stop driving. Repeat the command with --yes') as unknown,
    })
    expect(await onDevice('set 3/2 high --power 12V/0.1A --yes')).toMatchObject({ code: 0 })
    const { output } = await onDevice('get 3 --csv')
    expect(output).toMatch(/^3\/1,analog,.*,5V\/50mA$/m)
    expect(output).toMatch(/^3\/2,output high,.*,12V\/100mA$/m)
    expect(await onDevice('power-config 3 5V/70mA --keep')).toMatchObject({ code: 0 })
    expect(await onDevice('set 3/1 high --power 5V/60mA --keep')).toMatchObject({ code: 0 })
    const kept = (await onDevice('get 3 --csv')).output
    expect(kept).toMatch(/^3\/1,output high,.*,5V\/60mA\n3\/2,output high,.*,5V\/70mA$/m)
  })

  it.each([
    'bmc hard-reset',
    'bmc start-shutdown',
    'bmc reset-usb-hub',
    'reset 5',
    'power set-limits --limit-3v3 5A --limit-5v0 4A --limit-12v 2A',
  ])('%s does nothing without a yes', async (line) =>
    expect(await onDevice(line)).toMatchObject({ code: 2, errors: expect.stringContaining('--yes') as unknown }),
  )
})

describe('live commands', () => {
  it('watch prints a line for each value, and ends after --count', async () => {
    await onLiveDevice('mode 3/4 analog')
    twin.bench.pin(3, 4).connect(source(5))
    expect(await onLiveDevice('watch 3/4 --every 50ms --csv --count 1')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/,3\/4,5000,mV\n$/) as unknown,
    })
  })

  it('watch --since begins with what others read, with its time, then follows the values', async () => {
    await onLiveDevice('mode 3/4 analog')
    twin.bench.pin(3, 4).connect(source(5))
    await onLiveDevice('watch 3/4 --every 50ms --count 1')
    await twin.clock.sleep(200)
    const { code, output } = await onLiveDevice('watch 3/4 3/3 --since 1m --every 1h --csv', twin.clock.sleep(600))
    const times = [...output.matchAll(/^(\S+Z),3\/[34],\d*,(mV)?$/gm)].map(([, time = '']) => Date.parse(time))
    expect([code, times, times.length]).toEqual([130, times.toSorted((a, b) => a - b), output.trim().split('\n').length])
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(150)
    const counted = await onLiveDevice('watch 3/4 --since 1m --csv --count 1')
    expect(counted.output).toMatch(/^([^\n]+,3\/4,\d*,(mV)?\n)+[^\n]+,3\/4,5000,mV\n$/)
    expect((await onLiveDevice('watch 3/4 --since 2h')).errors).toContain('1s to 1h')
  })

  it('alerts and events follow until a stop signal', async () => {
    await onLiveDevice('mode 3/5 analog')
    for (const line of ['alerts 3/5 --count 1', 'events --kinds alert --slots 3 --count 1']) {
      const alerts = onLiveDevice(line)
      await expect.poll(() => get('/slotwire/metrics').catch(() => 1)).toBeDefined()
      const wired = twin.bench.pin(3, 5).connect(source(0))
      await onLiveDevice('threshold 3/5 1V')
      for (let done = false; !done; ) {
        wired.set({ volts: 5 })
        wired.set({ volts: 0 })
        done = await Promise.race([alerts.then(() => true), twin.clock.sleep(50).then(() => false)])
      }
      expect(await alerts).toMatchObject({ code: 0, output: expect.stringMatching(/custom_voltage_alert/) as unknown })
    }
    expect(await onLiveDevice('alerts 3/5', Promise.resolve())).toMatchObject({ code: 130 })
  })
})

it('a lease is taken, used, renewed and given back', async () => {
  const { output: secret, errors } = await onDevice('lease take 5 --holder bench --ttl 5m')
  expect(secret).toMatch(/^swl_/)
  const [, number] = /Lease (\d+) /.exec(errors) ?? []
  writeFileSync(join(folder, 'lease.txt'), secret)
  // A folder with a space in its name does not fit in a line here.
  const { context, written } = testContext(folder, 0)
  const run = (...words: string[]) => runProgram([...words, '--url', url, '--lease', join(folder, 'lease.txt')], context)
  expect(await onDevice('mode 5/1 digital')).toMatchObject({
    code: exitCodes.leased,
    errors: expect.stringContaining('leased to "bench"') as unknown,
  })
  await run('mode', '5/1', 'digital')
  await run('lease', 'renew', number ?? '')
  expect((await onDevice('lease list --csv')).output).toContain(`${number},5,bench,,300,keep`)
  await run('lease', 'give-back', number ?? '')
  expect(written.hinted).toBe(`Pin 5/1: digital input.\nRenewed lease ${number}.\nGave back lease ${number}.\n`)
  expect(await onDevice('mode 5/1 analog')).toMatchObject({ code: 0 })
})

it('off switches all io modules off but leased ones, names these, and takes them with --force', async () => {
  await slotwire(`lease take 5 --holder bench --url ${url}`)
  expect(await onDevice('off --csv')).toEqual({
    code: 1,
    output: 'slot,result,holder\n3,off,\n5,leased,bench\n',
    errors: 'Leased slots were left alone: --force takes them.\n',
  })
  expect(await onDevice('off --force --csv')).toEqual({ code: 0, output: 'slot,result,holder\n3,off,\n5,off,\n', errors: '' })
  expect((await onDevice('lease list')).output).toBe('')
})

it('contexts are saved for their owner only, and the first is the default', async () => {
  expect(await slotwire(`context add lab ${url}`)).toMatchObject({ code: 0, errors: 'Saved lab.\n' })
  onTestFinished(() => rmSync(join(folder, 'slotwire'), { recursive: true }))
  const file = join(folder, 'slotwire', 'contexts.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ current: 'lab', contexts: { lab: { url } } })
  expect(await slotwire('devices')).toMatchObject({ code: 0, output: expect.stringContaining('0003-') as unknown })
  expect(await slotwire('context add lab http://127.0.0.1:1')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('already') as unknown,
  })
  await slotwire('context add other http://127.0.0.1:1')
  expect(await slotwire('context list --json')).toMatchObject({
    output: expect.stringContaining('"name":"lab","url"') as unknown,
  })
  await slotwire('context use other')
  expect(await slotwire('devices --deadline 1ms')).toMatchObject({ code: 3 })
  expect(await slotwire('devices --context lab')).toMatchObject({ code: 0 })
  await slotwire('context remove other')
  expect(await slotwire('devices --context other')).toMatchObject({
    code: 2,
    errors: 'slotwire: there is no context "other": there are lab\n',
  })
})

it('a server without /slotwire/ is used with all commands but those of events, history, state and leases', async () => {
  const { port, close } = await proxyWithout('/slotwire', liveUrl)
  onTestFinished(close)
  const plain = (line: string) => slotwire(`${line} --url http://127.0.0.1:${port}`)
  for (const line of ['devices', 'get 3', 'mode 3/2 digital', 'power stats', 'watch 3/2 --count 1', 'reset 3 --yes'])
    expect(await plain(line), line).toMatchObject({ code: 0 })
  for (const line of ['events', 'history', 'watch 3/2 --since 1m', 'lease list', 'lease take 3 --holder test'])
    expect(await plain(line), line).toMatchObject({
      code: exitCodes['not-found'],
      errors: expect.stringMatching(/specification|Not Found/) as unknown,
    })
  expect(await plain('set 3/1 high --power 5V/50mA')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('the power of 3/2, 3/3, 3/4, 3/5, 3/6 is not known') as unknown,
  })
  expect(await plain('set 3/1 high --power 5V/50mA --yes')).toMatchObject({ code: 0 })
})

it('shows what a hostile server says of a lease without control characters', async () => {
  const grant = { number: 1, secret: '\u001b[2Jsecret', expires_at: '\u009b31mnow' }
  const { port, close } = await proxyWithout('/slotwire/leases', liveUrl, { status: 201, body: JSON.stringify(grant) })
  onTestFinished(close)
  const { output, errors } = await slotwire(`lease take 3 --holder test --url http://127.0.0.1:${port}`)
  expect([output, errors]).toEqual([
    '\\u{1b}[2Jsecret\n',
    expect.stringMatching(/^Lease 1 of slot 3 until \\u\{9b\}31mnow\. /) as unknown,
  ])
})

const NOT_FOUND = { status: 404, body: '{"status":"error","code":404,"message":"Not Found"}' }

/** A server that passes requests on, but those that begin with a path. */
async function proxyWithout(
  cut: string,
  target: string,
  { status, body } = NOT_FOUND,
): Promise<{ port: number; close: () => void }> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith(cut) === true) return response.writeHead(status).end(body)
    const { method, headers } = request
    return request.pipe(
      forward(target + String(request.url), { method, headers: { ...headers, host: new URL(target).host } }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      }),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as { port: number }).port, close }
}

describe('completion', () => {
  it.each([
    ['devices --complete slots', '0\n1\n3\n5\n'],
    ['devices --complete pins', /^3\/1\n3\/2\n[^]*5\/6\n$/],
    ['devices --complete contexts', ''],
  ])('%s prints words', async (line, output) =>
    expect(await onDevice(line)).toMatchObject({
      code: 0,
      output: typeof output === 'string' ? output : (expect.stringMatching(output) as unknown),
      errors: '',
    }),
  )

  it('prints nothing if the device does not answer', async () =>
    expect(await slotwire('devices --complete pins --url http://127.0.0.1:1')).toEqual({ code: 0, output: '', errors: '' }))
})

it('refuses a file of contexts with a broken entry', async () => {
  mkdirSync(join(folder, 'slotwire'))
  onTestFinished(() => rmSync(join(folder, 'slotwire'), { recursive: true }))
  writeFileSync(join(folder, 'slotwire', 'contexts.json'), '{"contexts":{"lab":null},"current":"lab"}')
  for (const line of ['devices', 'context list'])
    expect(await slotwire(line)).toMatchObject({ code: 2, errors: expect.stringContaining('holds no contexts') as unknown })
})

it('lists the other modules if one does not answer', async () => {
  const { port, close } = await proxyWithout('/api/io/1.0/3/descriptor', url)
  onTestFinished(close)
  const { code, output, errors } = await slotwire(`devices --csv --url http://127.0.0.1:${port}`)
  expect(output).toMatch(/^3,io,,,,,\w+\n5,io,Virtual IO module,/m)
  expect({ code, errors }).toEqual({ code: 1, errors: 'slotwire: GET /api/io/1.0/3/descriptor: Not Found\n' })
})

it.each([
  ['--token-file /', 'the token cannot be read from / (EISDIR): name a file that you may read'],
  ['--ca /no/such', 'the authority cannot be read from /no/such (ENOENT): name a file that you may read'],
])('%s is refused with the file and the remedy', async (options, said) =>
  expect(await slotwire(`get 5 ${options}`)).toMatchObject({ code: 2, errors: expect.stringContaining(said) as unknown }),
)

describe('no device', () => {
  it.each([
    ['http://127.0.0.1:1', 'no device is at http://127.0.0.1:1: start one with slotwire serve --hardware twin'],
    ['http://nowhere.invalid', 'the host of http://nowhere.invalid is unknown: check the name in --url'],
    ['https://', 'the server does not speak HTTPS: begin the address with http://'],
  ])('a command for %s ends at once, with a remedy, and without a home folder', async (address, said) => {
    const typed = `get 5 --url ${address.length > 8 ? address : url.replace('http:', 'https:')}`
    expect(await slotwire(typed, undefined, {})).toMatchObject({ code: 3, errors: expect.stringContaining(said) as unknown })
  })

  it('reports that it tries again while the device starts', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      response.writeHead(503, { 'slotwire-error': 'starting' }).end('{"message":"the service is starting"}')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { errors, code } = await slotwire(
      `get 5 --deadline 500ms --url http://127.0.0.1:${(server.address() as { port: number }).port}`,
    )
    expect([code, asked > 3]).toEqual([3, true])
    expect(errors).toMatch(/the service is starting; trying again\n/)
  })
})

describe('bad input', () => {
  it.each([
    ['get 3/9', 2, 'pin'],
    ['get 4', 1, 'must have io in slot 4: it has io in slot 3, 5'],
    ['set 5/6 high', 1, 'slotwire: pin 6 has no power: repeat the command with --power, as in --power 5V/50mA\n'],
    ['set 31 high', 2, 'pin is not allowed: a pin as slot/pin, as in 3/1, not "31".'],
    ['set 3/1 up', 2, 'level is not allowed: high or low, not "up".'],
    ['pwm 3/1 2MHz 50%', 2, 'frequencyHz is out of range'],
    ['pwm 3/1 1kHz 100%', 2, 'duty is out of range: 0 to less than 1, not 1'],
    ['threshold 3/1 1A', 2, 'must be a number, not "1A": in mV'],
    ['power-config 3 5V/50mA 5V/50mA', 2, 'give the power of 6 pins'],
    ['power-config 3 6V/50mA', 2, 'as in 5V/50mA'],
    ['power-config 3 5V/50mA/900mA', 2, 'as in 5V/50mA'],
    ['threshold 3/1 1constructor', 2, 'must be a number, not "1constructor": in mV'],
    ['get 3 --deadline 700h', 2, 'deadline is out of range: 1 ms to 24 h, not "700h"'],
    ['context add lab dev.local', 2, 'it must begin with http://'],
    ['context add lab https://dev --ca a.pem --fingerprint AB', 2, 'cannot be used with'],
    ['context add lab https://dev --token-stdin --token-file a', 2, 'cannot be used with'],
    ['bmc set-watchdog --timeout 1ms --yes', 2, 'timeout is out of range'],
    ['watch 3/1 --every 1ms', 2, 'every is out of range'],
    ['events --kinds nonsense', 2, 'nonsense'],
    ['lease give-back 1', 2, '--lease <file>'],
    ['devices --json --csv', 2, 'cannot be used with'],
  ])('%s: exit code %i', async (line, code, said) => {
    const typed = line.startsWith('context') ? slotwire(line) : onDevice(line)
    expect(await typed).toMatchObject({ code, errors: expect.stringContaining(said) as unknown })
  })

  it('has the exit codes of the guide', () => {
    const guide = readFileSync(inRoot('docs', 'guide', 'command-line.md'), 'utf8')
    const rows = [...guide.matchAll(/^\| (\d+) \|[^|]*\| (.*?) \|$/gm)].flatMap(([, code, kinds = '']) =>
      [...kinds.matchAll(/`([\w-]+)`/g)].map(([, kind]) => [kind, Number(code)]),
    )
    expect(Object.fromEntries(rows)).toEqual(exitCodes)
  })
})
