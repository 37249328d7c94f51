import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { TestNetwork } from '../../packages/network/src/network.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { FakeDevice } from '../kernel/kernel-device.testkit.ts'
import { KernelService } from '../kernel/kernel-service.testkit.ts'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const EFFECTS = ['--write', '--disruptive', '--wired', '5/1,5/2', '--yes']
// Watchdog, shutdown and fan take real time on a device without a bench.
vi.setConfig({ testTimeout: 300_000 })

let folder: string
beforeEach(() => (folder = temporaryFolder()))

function slotwire(...words: string[]): SlotwireProcess {
  return startedBy([], ...words)
}

function startedBy(program: readonly string[], ...words: string[]): SlotwireProcess {
  return new SlotwireProcess(words, { environment: { XDG_CONFIG_HOME: folder }, startedBy: program })
}

async function serve(...options: string[]): Promise<Announcement> {
  const words = ['serve', '--hardware', 'twin', '--json', '--port', '0', '--state', join(folder, 'state'), '--log-level', 'error']
  return JSON.parse(await slotwire(...words, ...options).firstLine()) as Announcement
}

const post = (url: string, path: string, body: object) =>
  fetch(`${url}/api/${path}`, { method: 'POST', body: JSON.stringify(body) })

interface Judged {
  readonly checks: readonly { readonly id: string; readonly effect: string; readonly outcome: string; readonly reason?: string }[]
  readonly left: readonly string[]
}

/** The checks that failed or were skipped, and of how many. */
async function conform(...words: string[]) {
  return judged(slotwire('conform', '--json', ...words))
}

async function judged(run: SlotwireProcess) {
  const { code, output, errors } = await run.ended
  if (output === '') throw new Error(errors)
  const { checks, left } = JSON.parse(output) as Judged
  const of = (outcome: string) => checks.filter((check) => check.outcome === outcome).map(({ id, reason }) => `${id}: ${reason}`)
  return {
    code,
    failed: of('failed'),
    skipped: of('skipped'),
    effects: [...new Set(checks.map(({ effect }) => effect))],
    count: checks.length,
    left,
  }
}

interface Bench {
  readonly surroundings: { readonly rails: readonly { readonly offset_millivolt: number }[] }
  readonly time: { readonly pace: number }
}

const ALWAYS = { code: 0, failed: [] }
const LOOPBACK = /a loopback address is not announced/

describe('slotwire conform', () => {
  it('passes with all options on the twin that slotwire serves, and writes its reports', async () => {
    const [url = ''] = (await serve()).urls
    const reports = [join(folder, 'report.html'), join(folder, 'report.xml')] as const
    const seen = await conform(url, ...EFFECTS, '--bench', '--html', reports[0], '--junit', reports[1])
    expect(seen).toMatchObject(ALWAYS)
    expect(seen.count).toBeGreaterThan(250)
    expect(seen.effects.sort()).toEqual(['bench', 'disruptive', 'read', 'wired', 'write'])
    expect(seen.skipped.filter((line) => !LOOPBACK.test(line) && !line.endsWith('no token is given'))).toEqual([])
    expect(seen.left.map((line) => line.split(':')[0])).toEqual([
      'modes, triggers, outputs and power configuration of the io modules',
      'the timeout that the watchdog had saved',
      'the internal sounds of the buzzer',
      'the protection counters',
    ])
    const [html, junit] = reports.map((file) => readFileSync(file, 'utf8'))
    expect(html).not.toMatch(/src=|href=|https?:/)
    expect(html).toContain(`${seen.count} checks`)
    expect(junit?.match(/<testcase /g)).toHaveLength(seen.count)
  })

  it('passes with all options over TLS with a token', async () => {
    const { networkUrls } = await serve(
      '--listen',
      '127.0.0.1',
      '--http-port',
      '0',
      '--https-port',
      '0',
      '--bench-from',
      '127.0.0.1',
    )
    const url = networkUrls.find((one) => one.startsWith('https:')) ?? ''
    const [token, ca] = [join(folder, 'token'), join(folder, 'ca.pem')]
    writeFileSync(token, (await slotwire('token', 'create', '--name', 'conform', '--state', join(folder, 'state')).ended).output)
    writeFileSync(ca, await (await fetch(`${networkUrls.find((one) => one.startsWith('http:'))}/ca.pem`)).text())
    const seen = await conform(url, '--token-file', token, '--ca', ca, ...EFFECTS, '--bench')
    expect(seen).toMatchObject(ALWAYS)
    expect(seen.skipped.filter((line) => !LOOPBACK.test(line))).toEqual([])
  })

  it('sends only reads without an option, and needs a bench for --bench', async () => {
    const [url = ''] = (await serve('--no-bench')).urls
    expect(await conform(url)).toMatchObject({ ...ALWAYS, effects: ['read'], left: [] })
    const { code, errors } = await slotwire('conform', url, '--bench', '--yes').ended
    expect([code, errors]).toEqual([2, expect.stringContaining('--bench is for a virtual device alone')])
  })

  it('ends with 1 for a device with a fault, and names the check in each report', async () => {
    const [url = ''] = (await serve()).urls
    const broken = createServer((client) => {
      const device = connect(Number(new URL(url).port), '127.0.0.1')
      device.on('data', (bytes) => client.write(bytes.toString('latin1').replace('voltage_rtc', 'voltage_xyz'), 'latin1'))
      device.on('end', () => client.end())
      client.pipe(device)
    }).listen(0, '127.0.0.1')
    try {
      await once(broken, 'listening')
      const address = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
      const [html, junit] = [join(folder, 'failed.html'), join(folder, 'failed.xml')]
      const { code, output } = await slotwire('conform', address, '--html', html, '--junit', junit).ended
      const id = 'get/bmc/voltage/fields'
      const reason = 'expected body.voltage_rtc to be of type uint'
      expect([code, output]).toEqual([1, expect.stringContaining(`  FAILED   ${id}: `)])
      expect(output).toContain(reason)
      expect(output).toMatch(/^\d+ checks: \d+ passed, 1 failed, \d+ skipped$/m)
      expect(readFileSync(html, 'utf8')).toMatch(new RegExp(`<td class="failed">failed<td><code>${id}</code>.*${reason}`))
      expect(readFileSync(junit, 'utf8')).toMatch(new RegExp(`<testcase [^>]*name="${id}: [^>]*><failure message="${reason}`))
    } finally {
      broken.close()
    }
  })

  it.each([
    ['a device that does not answer', ['http://127.0.0.1:1'], 'the device cannot be judged'],
    ['an invalid address', ['nonsense'], 'the address nonsense is invalid: write one as in http://127.0.0.1:8080'],
    ['pins to drive without --yes', ['http://127.0.0.1:1', '--wired', '5/1,5/2'], 'Repeat the command with --yes'],
    ['a bench to use without --yes', ['http://127.0.0.1:1', '--bench'], 'Repeat the command with --yes'],
    ['a restart without --yes', ['http://127.0.0.1:1', '--disruptive'], 'Repeat the command with --yes'],
    ['a report that cannot be written', ['http://127.0.0.1:1', '--html', '/missing/report.html'], 'another file with --html'],
    ['one pin', ['--wired', '5/1'], 'write two pins'],
  ])('ends with 2 for %s', async (_what, words, message) => {
    const { code, errors } = await slotwire('conform', ...words).ended
    expect([code, errors]).toEqual([2, expect.stringContaining(message)])
  })

  it('puts back what it changed when it is stopped', async () => {
    const [url = ''] = (await serve()).urls
    const get = async (path: string) => (await fetch(`${url}/api/${path}`)).json() as Promise<Record<string, unknown>>
    await post(url, 'power/1.0/1/fan', { fan_forced: true, fan_mode: 40 })
    await post(url, 'power/1.0/1/limits', { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 })
    const run = slotwire('conform', url, '--write')
    // The fan takes seconds, in which the signal comes.
    await expect.poll(async () => (await get('power/1.0/1/fan'))['fan_setting_mode'], { timeout: 60_000, interval: 5 }).toBe(80)
    run.child.kill('SIGINT')
    const { code, output } = await run.ended
    expect([code, output]).toEqual([2, expect.stringContaining('Stopped before its end: a stop signal came')])
    expect(await get('power/1.0/1/fan')).toMatchObject({ fan_forced: true, fan_setting_mode: 40 })
    expect(await get('power/1.0/1/stats')).toMatchObject({ limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 })
    expect(await get('bmc/1.0/0/watchdog')).toMatchObject({ timeout: 0 })
    expect(JSON.stringify(await get('io/1.0/3/input/values'))).not.toContain('digital')
  })

  it('puts back the bench, and lets time run, when it is stopped', async () => {
    const [url = ''] = (await serve()).urls
    const bench = async () => (await (await fetch(`${url}/slotwire/bench`)).json()) as Bench
    await fetch(`${url}/slotwire/bench/ambient`, { method: 'POST', body: '{"celsius":31}' })
    await fetch(`${url}/slotwire/bench/rail`, { method: 'POST', body: '{"rail":"12v","load_milliampere":70}' })
    const { surroundings } = await bench()
    const run = slotwire('conform', url, '--bench', '--yes')
    const isOff = async () => (await bench()).surroundings.rails.some((rail) => rail.offset_millivolt !== 0)
    await expect.poll(isOff, { timeout: 60_000, interval: 5 }).toBe(true)
    run.child.kill('SIGINT')
    const { code, output } = await run.ended
    expect([code, output]).toEqual([2, expect.stringContaining('Stopped before its end: a stop signal came')])
    expect(await bench()).toMatchObject({ surroundings, time: { pace: 1 } })
  })

  it('ends with 141 and without a message when its output is closed', async () => {
    const [url = ''] = (await serve()).urls
    const run = slotwire('conform', url)
    run.child.stdout?.destroy()
    const { code, errors } = await run.ended
    expect([code, errors]).toEqual([141, ''])
  })
})

describeWith('script', 'slotwire conform on a terminal', () => {
  it('shows a bar of its progress, and erases it', async () => {
    const [url = ''] = (await serve()).urls
    const terminal = ['sh', '-c', 'script -qec "$*" /dev/null', 'sh']
    const { code, output } = await startedBy(terminal, 'conform', url).ended
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/\r\x1b\[2K0 % {2}0\/\d+ {2}base-paths\/io.*\r\x1b\[2K9\d % .*\r\x1b\[2KWhat/s),
    ])
  })
})

describeWith(['namespaces', 'ip'], 'slotwire conform in a real network', () => {
  it('judges what the device announces', async () => {
    const network = await TestNetwork.make([{ hostName: 'press-4' }, { hostName: 'laptop' }])
    try {
      const [device, laptop] = network.hosts.map((host) => host.wrap('env', []).flat())
      const state = join(folder, 'state')
      const words = ['serve', '--hardware', 'twin', '--json', '--port', '0', '--state', state, '--log-level', 'error']
      await startedBy(device ?? [], ...words, '--listen', network.host(0).ipv4, '--http-port', '80').firstLine()
      const token = join(folder, 'token')
      writeFileSync(token, (await slotwire('token', 'create', '--name', 'conform', '--state', state).ended).output)
      const seen = await judged(
        startedBy(laptop ?? [], 'conform', `http://${network.host(0).ipv4}`, '--token-file', token, '--json'),
      )
      expect(seen).toMatchObject({ ...ALWAYS, skipped: [] })
    } finally {
      await network.close()
    }
  })
})

describeWith('socat', 'slotwire conform over the files of the kernel driver', (socat) => {
  it('passes with all options but --bench', async () => {
    const device = await FakeDevice.switchedOn(socat)
    const service = await KernelService.start(device, join(folder, 'state'), '--log-level', 'error')
    // The shortest: the check of a shutdown waits for it.
    await post(service.url, 'bmc/1.0/0/watchdog/sw_shutdown_timeout', { timeout: 10_000 })
    expect(await conform(service.url, ...EFFECTS)).toMatchObject({
      ...ALWAYS,
      effects: ['read', 'write', 'disruptive', 'wired'],
    })
  })
})
