import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { FakeDevice } from '../kernel/kernel-device.testkit.ts'
import { KernelService } from '../kernel/kernel-service.testkit.ts'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'

const EFFECTS = ['--write', '--disruptive', '--wired', '5/1,5/2', '--yes']
// Watchdog, shutdown and fan take real time on a device without a bench.
vi.setConfig({ testTimeout: 300_000 })

let folder: string
const runs: SlotwireProcess[] = []
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'slotwire conform '))))
afterEach(async () => {
  for (const run of runs.splice(0)) await run.remove()
  rmSync(folder, { recursive: true })
})

function slotwire(...words: string[]): SlotwireProcess {
  const run = new SlotwireProcess(words, { environment: { XDG_CONFIG_HOME: folder } })
  runs.push(run)
  return run
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
  const { code, output, errors } = await slotwire('conform', '--json', ...words).ended
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

  it.each([
    ['a device that does not answer', ['http://127.0.0.1:1'], 'the device cannot be judged'],
    ['an invalid address', ['nonsense'], 'the address nonsense is invalid: write one as in http://127.0.0.1:8080'],
    ['pins to drive without --yes', ['http://127.0.0.1:1', '--wired', '5/1,5/2'], 'Repeat the command with --yes'],
    ['a bench to use without --yes', ['http://127.0.0.1:1', '--bench'], 'Repeat the command with --yes'],
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
})

describeWith('socat', 'slotwire conform over the files of the kernel driver', (socat) => {
  it('passes with all options but --bench', async () => {
    const device = await FakeDevice.switchedOn(socat)
    const service = await KernelService.start(device, join(folder, 'state'), '--log-level', 'error')
    try {
      // The shortest: the check of a shutdown waits for it.
      await post(service.url, 'bmc/1.0/0/watchdog/sw_shutdown_timeout', { timeout: 10_000 })
      expect(await conform(service.url, ...EFFECTS)).toMatchObject({
        ...ALWAYS,
        effects: ['read', 'write', 'disruptive', 'wired'],
      })
    } finally {
      await service.run.remove()
      await device.close()
    }
  })
})
