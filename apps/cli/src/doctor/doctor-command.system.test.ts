import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ProcessEnd, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { runCommand, testContext } from '../command.testkit.ts'
import type { Diagnosis } from './diagnosis.ts'
import { doctorCommand } from './doctor-command.ts'
import { FakeInstallation, NOW } from './fake-installation.testkit.ts'
import { containing, matching } from './matchers.testkit.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')
const MKFIFO = 'mkfifo'
const UNIT = '[Service]\nExecStart=/usr/bin/slotwire serve --hardware kernel\n'
const PROGRAM = new URL('../../dist/doctor/check-program.js', import.meta.url)

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => device.remove())

const options = () => [
  ...['--sys-root', device.sys, '--dev-root', device.dev, '--proc-root', device.proc],
  ...['--run-root', device.run, '--root', device.system],
]

/** The command in this process. */
async function diagnose(...words: string[]) {
  const { context, said } = testContext(device.root, NOW)
  let exitCode = 0
  const command = doctorCommand(['io', 'bmc', 'power'], {
    ...context,
    setExitCode: (code) => (exitCode = code),
    nodeVersion: '20.19.2',
    colors: picocolors.createColors(words.includes('--colored')),
    program: PROGRAM,
  })
  const typed = words.filter((word) => word !== '--colored')
  await runCommand(command, [...options(), '--state', device.state, '--port', '0', ...typed])
  return { text: said.printed, exitCode }
}

/** The built command. */
const slotwire = (...words: string[]): Promise<ProcessEnd> => new SlotwireProcess(['doctor', ...words]).ended

const parsed = (text: string) => JSON.parse(text) as Diagnosis

describe('slotwire doctor', { timeout: 60_000 }, () => {
  it('says for people what is there, in groups, and sums up', async () => {
    device.plug(3)
    device.write('run/systemd/timesync/synchronized', '')
    const { text, exitCode } = await diagnose('--hardware', 'kernel')
    const lines = text.split('\n')
    expect(lines[0]).toMatch(/^A service on real hardware, run by \w+$/)
    expect(lines.filter((line) => /^\w/.test(line))).toEqual([
      lines[0],
      'Program',
      'Hardware',
      'Ports',
      'State',
      'Time',
      matching(/^\d+ checks: 0 failures, 0 warnings$/),
    ])
    expect(text).toMatch(/^ {2}ok {7}kernel module {6}sdbpk 1\.1\.2$/m)
    expect(text).toMatch(/^ {2}ok {7}slot 3 {13}modules\.noreya\.tech\/io, IO module, /m)
    expect(exitCode).toBe(0)
  })

  it('says below a failure what to do, and ends with 1', async () => {
    device.plug(3, { protocol_version: '00002.00000.00000' })
    const { text, exitCode } = await diagnose()
    expect(text).toMatch(/^ {2}failure {2}slot 3 +.*: protocol_version 2\.0\.0 is not supported.*\n {11}→ Bring its firmware/m)
    expect(text).toMatch(/\n\d+ checks: 1 failure, 1 warning\n$/)
    expect(exitCode).toBe(1)
  })

  it('is one line of JSON for programs', async () => {
    device.plug(3, { vendor_product_id: 'example.org/relay' })
    const { text, exitCode } = await diagnose('--json')
    expect(text.split('\n')).toHaveLength(2)
    const { checks, ...rest } = parsed(text)
    expect(rest).toEqual({ hardware: 'kernel', user: matching(/^./), failures: 0, warnings: 2 })
    expect(checks.find(({ name }) => name === 'slot 3')).toEqual({
      group: 'Hardware',
      name: 'slot 3',
      lookedAt: join(device.sys, 'class', 'sdbp'),
      outcome: 'warning',
      found: containing('of a type that nobody here drives'),
      remedy: containing('modules.noreya.tech/io'),
    })
    for (const { outcome, remedy } of checks) expect(remedy === null).toBe(outcome === 'ok')
    expect(exitCode).toBe(0)
  })

  it('prints nothing that a terminal would obey, whatever the attributes hold', async () => {
    device.plug(3, { product_name: `\u001b[2J\u009b31m\u202eevil\r${'A'.repeat(100_000)}`, serial_code: 'rubbish' })
    for (const form of [[], ['--json']]) {
      const { text } = await diagnose(...form)
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
      expect(text).toContain('u{1b}[2J')
      expect(Math.max(...text.split('\n').map((line) => (form.length === 0 ? line.length : 0)))).toBeLessThan(800)
    }
  })

  it('has colours where they are wanted', async () => {
    expect((await diagnose('--colored')).text).toContain('\u001b[32mok')
  })

  it('without real hardware checks what a virtual device needs', async () => {
    const { text, exitCode } = await diagnose('--sys-root', join(device.root, 'no'))
    expect(text).toMatch(
      /^There is no real hardware here \(.*\/no\/class\/sdbp does not exist, and nothing for it is installed\): a service with a virtual device/,
    )
    expect(text).not.toContain('Hardware')
    expect(text).toContain('state folder')
    expect(exitCode).toBe(0)
  })

  it('fails on a device whose kernel module is not loaded, and says why it is one', async () => {
    rmSync(device.sys, { recursive: true })
    const unit = device.write('system/usr/lib/systemd/system/slotwire.service', UNIT)
    const { text, exitCode } = await diagnose()
    const [first] = text.split('\n')
    expect(first).toMatch(/^A service on real hardware \(.*; --hardware twin is for a virtual device\), run by /)
    expect(first).toContain(`${unit} is installed`)
    expect(text).toMatch(/^ {2}failure {2}kernel module +sdbpk is not loaded$/m)
    expect(exitCode).toBe(1)
    expect((await diagnose('--hardware', 'twin')).exitCode).toBe(0)
  })

  it('judges for the user that is to run the service', async () => {
    device.plug(3)
    device.attribute(3, 'notification', '', 0o000)
    const { text, exitCode } = await diagnose('--user', 'nobody')
    expect(text).toContain(`nobody may not read ${device.sys}/class/sdbp/slot3/notification`)
    expect(text).toContain('run by nobody')
    expect(exitCode).toBe(1)
  })
})

describe('the built command', { timeout: 60_000 }, () => {
  it.each([
    ['--user', 'no-such-user', 'there is no user no-such-user on this machine: make it'],
    ['--user', '-x', 'is no name of a user'],
    ['--port', '65536', 'a whole number from 0 to 65535'],
    ['--services', 'io,tea', 'one or more of'],
    ['--hardware', 'tea', 'Allowed choices are kernel, twin, auto'],
  ])('ends with 2 for %s %s', async (option, value, said) => {
    const { code, errors } = await slotwire(`${option}=${value}`)
    expect([code, errors]).toEqual([2, containing(said)])
  })

  it('is held up by no file that blocks', async () => {
    mkdirSync(join(device.state, 'tls'))
    execFileSync(MKFIFO, [join(device.state, 'tls', 'authority.key'), join(device.sys, 'module', 'sdbpk', 'fifo')])
    device.plug(3)
    const { code, output } = await slotwire(...options(), '--state', device.state, '--port', '0', '--json')
    const { checks } = parsed(output)
    const failed = checks.filter(({ outcome }) => outcome === 'failure')
    expect(failed).toMatchObject([{ name: 'certificates', found: matching(/^does not come back within 5 s/) }])
    // What comes after it is looked at all the same.
    expect(checks.at(-1)?.name).toBe('synchronised')
    expect(code).toBe(1)
  })

  it('runs beside a service that serves, and leaves everything as it is', async () => {
    const server = new SlotwireProcess(['serve', '--state', device.state, '--port', '0', '--json', '--log-level', 'error'])
    try {
      const { urls } = JSON.parse(await server.firstLine()) as { urls: readonly string[] }
      const port = new URL(urls[0] ?? '').port
      const before = snapshot(device.state)
      const { code, output } = await slotwire('--hardware', 'twin', '--state', device.state, '--port', port, '--json')
      expect(snapshot(device.state)).toEqual(before)
      const { checks } = parsed(output)
      expect(checks.find(({ name }) => name === `port ${port}`)).toMatchObject({ outcome: 'ok', found: 'a Slotwire runs here' })
      expect(checks.find(({ name }) => name === 'in use')?.found).toContain(`process ${server.child.pid}`)
      expect(code).toBe(0)
      expect((await fetch(`http://127.0.0.1:${port}/slotwire/readyz`)).status).toBe(200)
    } finally {
      await server.remove()
    }
  })

  it('says when another program has the port, and ends with 1', async () => {
    const other = createServer((socket) => socket.on('error', () => undefined).end('hello'))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = String(typeof address === 'object' ? address?.port : '')
    const { code, output } = await slotwire('--hardware', 'twin', '--state', device.state, '--port', port, '--json')
    expect(parsed(output).checks.find(({ name }) => name === `port ${port}`)).toMatchObject({ outcome: 'failure' })
    expect(code).toBe(1)
    other.close()
  })
})

describeWith('strace', 'slotwire doctor, seen by the kernel', (strace) => {
  it('opens no slot, for closing one would stop its module, and no notification, for reading one would take it away', () => {
    for (const slot of [0, 3, 7]) device.plug(slot)
    const trace = join(device.root, 'trace')
    const doctor = [MAIN, 'doctor', ...options(), '--state', device.state, '--port', '0', '--json']
    const words = ['--follow-forks', `--output=${trace}`, '--trace=open,openat,openat2,creat', process.execPath, ...doctor]
    const { checks } = parsed(execFileSync(strace, words, { encoding: 'utf8' }))
    expect(checks.filter(({ name }) => name.endsWith(' file')).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok'])
    const opened = [...readFileSync(trace, 'utf8').matchAll(/\b(?:open|openat|openat2|creat)\([^"\n]*"([^"]*)"/g)].map(
      ([, path]) => path,
    )
    expect(opened).toContain(join(device.sys, 'class', 'sdbp', 'slot3', 'product_name'))
    expect(opened.filter((path) => path?.startsWith(device.dev) || path?.endsWith('/notification'))).toEqual([])
  }, 60_000)
})

/** Names, dates and contents of all files. */
function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return `${path} ${statSync(path).mtimeMs} ${entry.isFile() ? readFileSync(path, 'latin1') : ''}`
  })
}
