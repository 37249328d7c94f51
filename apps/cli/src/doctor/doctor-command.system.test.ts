import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import picocolors from 'picocolors'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Announcement, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { runCommand, runInProcess, testContext } from '../command.testkit.ts'
import { FakeMachine, NOW } from './doctor.testkit.ts'
import { type Diagnosis, diagnose, doctorCommand } from './doctor-command.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')
const USER = 'nobody'

let machine: FakeMachine
beforeEach(() => (machine = new FakeMachine()))

const roots = () => ['--sys-root', machine.roots.sys, '--dev-root', machine.roots.dev]

/** Runs the command in this process, on a machine without other programs. */
async function reported(...words: string[]) {
  const { context, written } = testContext(machine.root, NOW)
  const colors = picocolors.createColors(words.includes('--colored'))
  const command = doctorCommand(['io', 'bmc', 'power'], { ...context, colors, roots: machine.roots })
  const typed = words.filter((word) => word !== '--colored')
  await runCommand(command, [...roots(), '--state', machine.state, '--port', '0', ...typed])
  return { report: written.printed, exitCode: written.exitCode }
}

/** The built command, for a virtual device with this state folder. */
const slotwire = (...words: string[]) =>
  new SlotwireProcess(['doctor', '--hardware', 'twin', '--state', machine.state, '--json', ...words]).ended
const parsed = (report: string) => JSON.parse(report) as Diagnosis
const text = (part: string | RegExp): unknown =>
  typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part)

/** Replaces a file of the machine by a pipe without a writer, which blocks its reader. */
function block(path: string): string {
  machine.set({ [path]: null })
  execFileSync('mkfifo', [machine.at(path)])
  return machine.at(path)
}

describe('slotwire doctor', { timeout: 60_000 }, () => {
  it('prints groups and totals', async () => {
    machine.set({ slot3: {} })
    const { report, exitCode } = await reported('--hardware', 'kernel')
    const [first, ...lines] = report.split('\n')
    expect(first).toMatch(/^A service on real hardware, run by \w+$/)
    const heads = ['Service', 'Hardware', 'State', 'Time', text(/^\d+ checks: 0 failures, 0 warnings$/)]
    expect(lines.filter((line) => /^\w/.test(line))).toEqual(heads)
    expect(report).toMatch(/^ {2}ok {7}kernel module +sdbpk 1\.3\.1$/m)
    expect(exitCode).toBe(0)
  })

  it('prints a remedy below a failure, and ends with code 1', async () => {
    machine.set({ slot3: { protocol_version: '00002.00000.00000' } })
    const { report, exitCode } = await reported('--colored')
    expect(report).toMatch(/failure.* {2}slot 3 +.*: protocol_version 2\.0\.0 is not supported.*\n {11}→ Install other firmware/)
    expect(report).toContain('\u001b[32mok')
    expect(report).toContain('1 failure, 0 warnings')
    expect(exitCode).toBe(1)
  })

  it('prints one line of JSON with --json', async () => {
    machine.set({ slot3: { vendor_product_id: 'example.org/relay' } })
    const { report, exitCode } = await reported('--json')
    const { checks, ...rest } = parsed(report)
    expect(report.split('\n')).toHaveLength(2)
    expect(rest).toEqual({ hardware: 'kernel', user: text(/^./), failures: 0, warnings: 1 })
    expect(checks.find(({ name }) => name === 'slot 3')).toEqual({
      group: 'Hardware',
      name: 'slot 3',
      outcome: 'warning',
      found: text('unknown type'),
      remedy: text('modules.noreya.tech/io'),
    })
    for (const { outcome, remedy } of checks) expect(remedy === null).toBe(outcome === 'ok')
    expect(exitCode).toBe(0)
  })

  it.each([[[]], [['--json']]])('prints no control characters, whatever a module reports: %j', async (form) => {
    machine.set({ slot3: { product_name: `\u001b[2J\u009b31m\u202eevil\r${'A'.repeat(1000)}`, max_sclk_speed: '1' } })
    const { report } = await reported(...form)
    expect(report.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
    expect(report).toContain('u{1b}[2J')
    if (form.length === 0) expect(Math.max(...report.split('\n').map((line) => line.length))).toBeLessThan(800)
  })

  it('does not wait for the writer of a pipe in place of a file of the kernel', async () => {
    block('sys/module/sdbpk/version')
    const words = ['--hardware', 'kernel', '--sys-root', machine.at('sys'), '--dev-root', machine.at('dev')]
    expect((await slotwire(...words)).output).toContain('kernel driver sdbpk')
  })

  it('checks the needs of a virtual device without real hardware', async () => {
    machine.set({ sys: null })
    const { report, exitCode } = await reported()
    expect(report).toMatch(
      /^A service with a virtual device \(.*class\/sdbp does not exist: there is no real hardware here\), run by /,
    )
    expect(report).not.toContain('Hardware')
    expect(exitCode).toBe(0)
  })

  it('finds the service by its systemd unit, and fails on a device whose kernel module is not loaded', async () => {
    machine.set({ sys: null, 'run/systemd/system': 0o755 })
    const unit =
      'Id=slotwire.service\nLoadState=loaded\nActiveState=inactive\nUnitFileState=enabled\nStateDirectory=slotwire-of-a-test\n'
    machine.program('systemctl', `${unit}ExecStart={ argv[]=slotwire serve --hardware kernel ; }\n`)
    const { context, written } = testContext(machine.root, NOW)
    const program = { roots: machine.roots, colors: picocolors.createColors(false) }
    await runCommand(doctorCommand(['io'], { ...context, ...program }), roots())
    expect(written.printed).toMatch(/^A service on real hardware \(slotwire\.service is installed\), run by /)
    expect(written.printed).toMatch(/^ {2}failure {2}kernel module +sdbpk is not loaded$/m)
    expect(written.printed).toContain('/var/lib/slotwire-of-a-test')
  })

  it('checks the rights of the user given with --user', async () => {
    machine.set({ slot3: { notification: 0o000 } })
    const { report, exitCode } = await reported('--user', USER)
    expect(report).toContain(`${USER} may not use ${machine.roots.sys}/class/sdbp/slot3/notification`)
    expect([report.includes(`run by ${USER}`), exitCode]).toEqual([true, 1])
  })
})

describe('diagnose', { timeout: 60_000 }, () => {
  const lookedUp = async (path: string) => {
    const { checks } = await diagnose(await machine.subject({ service: machine.service({ port: 0 }) }))
    return checks.filter(({ remedy }) => remedy !== null).map(({ name, found }) => `${name}: ${found.replace(path, 'PATH')}`)
  }

  it('reports a module whose attributes block their reader, and examines the others', async () => {
    machine.set({ slot3: {}, slot5: {} })
    const path = block('sys/class/sdbp/slot3/product_name')
    expect(await lookedUp(dirname(path))).toEqual(['slot 3: no answer in time: PATH'])
  })

  it('reports a state folder that blocks its reader in each check that reads it', async () => {
    machine.set({ slot3: {} })
    block('state')
    const names = ['running service', 'doors', 'original services', 'state folder', 'settings', 'tokens', 'certificates']
    expect(await lookedUp(machine.state)).toEqual(names.map((name) => `${name}: no answer in time: PATH`))
  })

  it.each([
    ['tls/authority.key', 'certificates'],
    ['lock/file', 'running service'],
  ])('reports a check that throws as a failure: %s', async (file, name) => {
    machine.set({ slot3: {} })
    machine.set({ [`state/${file}`]: 'nonsense' })
    expect(await lookedUp('')).toEqual([text(`${name}: PATHcannot be examined (`)])
  })
})

it.each([
  ['--user=no-such-user', 'make it (useradd --system no-such-user)'],
  ['--user=-x', 'cannot be looked up'],
  ['--port=65536', 'port is out of range: 0…65535, not 65536'],
  ['--services=io,tea', 'one or more of'],
  ['--hardware=tea', 'hardware is not allowed: kernel, twin or auto, not "tea"'],
])('slotwire doctor ends with 2 for %s', async (option, written) =>
  expect(await runInProcess('doctor', option)).toMatchObject({ code: 2, errors: text(written) }),
)

describe('the built command', { timeout: 60_000 }, () => {
  it('does not wait for a file that blocks', async () => {
    machine.set({ 'state/tls': 0o700 })
    block('state/tls/authority.key')
    const { code, output } = await slotwire('--port', '0')
    const failed = parsed(output).checks.filter(({ outcome }) => outcome === 'failure')
    const found = text(/authority\.key is not a file: move away what has its place/)
    expect(failed).toMatchObject([{ name: 'certificates', found }])
    expect([parsed(output).checks.at(-1)?.name, code]).toEqual(['clock', 1])
  })

  it('reports a service that it finds by its state folder, with its doors, and changes no file', async () => {
    const words = ['serve', '--state', machine.state, '--port', '0', '--json', '--log-level', 'error']
    const server = new SlotwireProcess([...words, '--listen', '127.0.0.1', '--https-port', '0'])
    const { urls, networkUrls } = JSON.parse(await server.firstLine()) as Announcement
    // The service stores what has happened within a second.
    const history = join(machine.state, 'history', 'events.jsonl')
    await expect.poll(() => existsSync(history) && statSync(history).size > 0, { timeout: 10_000 }).toBe(true)
    const before = snapshot(machine.state)
    const { code, output } = await slotwire()
    expect(snapshot(machine.state)).toEqual(before)
    const found = (name: string): string | undefined => parsed(output).checks.find((check) => check.name === name)?.found
    const device = `process ${server.pid} serves a virtual device, state folder ${machine.state}`
    expect(found('running service')).toBe(`${device}; ready, 4 modules can be used`)
    expect(found('loopback door')).toBe(`open: ${urls[0] ?? ''}`)
    expect(found('network door')).toMatch(/^open: https:\/\/127\.0\.0\.1:\d+$/)
    expect(found('network door')).toContain(new URL(networkUrls[0] ?? '').port)
    expect(code).toBe(0)
  })
})

describeWith('strace', 'system calls of slotwire doctor', (strace) => {
  it('opens no slot, because closing one stops its module, and no notification, because reading one removes it', () => {
    machine.set({ slot0: {}, slot3: {}, slot7: {} })
    const trace = machine.at('trace')
    const doctor = [MAIN, 'doctor', '--hardware', 'kernel', ...roots(), '--state', machine.state, '--port', '0', '--json']
    const words = ['--follow-forks', `--output=${trace}`, '--trace=open,openat,openat2,creat', process.execPath, ...doctor]
    const script = '"$@" || [ $? = 1 ]'
    const { checks } = parsed(execFileSync('sh', ['-c', script, 'sh', strace, ...words], { encoding: 'utf8' }))
    expect(checks.find(({ name }) => name === 'slot access')).toMatchObject({ outcome: 'ok' })
    const opened = [...readFileSync(trace, 'utf8').matchAll(/\b(?:open|openat|openat2|creat)\([^"\n]*"([^"]*)"/g)].map(
      ([, path]) => path,
    )
    expect(opened).toContain(join(machine.roots.sys, 'class', 'sdbp', 'slot3', 'product_name'))
    expect(opened.filter((path) => path?.startsWith(machine.roots.dev) || path?.endsWith('/notification'))).toEqual([])
  }, 60_000)
})

/** Names, dates and contents of all files. */
function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return `${path} ${statSync(path).mtimeMs} ${entry.isFile() ? readFileSync(path, 'latin1') : ''}`
  })
}
