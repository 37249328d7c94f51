import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { unitFiles } from '../../../../tools/deb/system-files.mjs'
import { runCommand, testContext } from '../command.testkit.ts'
import type { Diagnosis } from './diagnosis.ts'
import { doctorCommand } from './doctor-command.ts'
import { FakeInstallation, NOW } from './fake-installation.testkit.ts'
import { containing, matching } from './matchers.testkit.ts'

const PROGRAM = new URL('../../dist/doctor/check-program.js', import.meta.url)
const SINGLE = ['slotwire-bmc', 'slotwire-io', 'slotwire-power']

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
  for (const [path, text] of unitFiles()) {
    // Everything stays in the folder of the test.
    write(`usr/lib/systemd/system/${path}`, text.replace('/var/lib/slotwire', device.state))
  }
})
afterEach(() => device.remove())

const write = (path: string, content: string): string => device.write(`system/${path}`, content)

function enable(unit: string): void {
  const folder = join(device.system, 'etc/systemd/system/multi-user.target.wants')
  mkdirSync(folder, { recursive: true })
  symlinkSync(`/usr/lib/systemd/system/${unit}.service`, join(folder, `${unit}.service`))
}

const roots = () => [
  ...['--sys-root', device.sys, '--dev-root', device.dev, '--proc-root', device.proc],
  ...['--run-root', device.run, '--root', device.system],
]

async function diagnose(...words: string[]): Promise<Diagnosis['checks']> {
  const { context, said } = testContext(device.root, NOW)
  const command = doctorCommand(['io', 'bmc', 'power'], {
    ...context,
    setExitCode: () => undefined,
    nodeVersion: '20.19.2',
    colors: picocolors.createColors(false),
    program: PROGRAM,
  })
  await runCommand(command, [...roots(), '--json', ...words])
  return (JSON.parse(said.printed) as Diagnosis).checks
}

describe('slotwire doctor, on a system with units', { timeout: 60_000 }, () => {
  const named = (checks: Diagnosis['checks'], name: string) => checks.find((check) => check.name === name)

  it('goes by the options of the unit, and says so', async () => {
    write('etc/default/slotwire', 'SLOTWIRE_OPTIONS="--port 8099 --power-manager /run/no/such.socket"')
    const checks = await diagnose()
    const options = `--hardware kernel --state ${device.state} --port 8099 --power-manager /run/no/such.socket`
    expect(named(checks, 'options')).toMatchObject({ outcome: 'ok', found: `of slotwire.service: ${options}` })
    expect(named(checks, 'port 8099')).toBeDefined()
    expect(named(checks, 'power manager')).toMatchObject({ outcome: 'failure', found: '/run/no/such.socket does not exist' })
    expect(named(checks, 'state folder')).toMatchObject({ found: containing(device.state) })
  })

  it('says which option keeps the unit from starting', async () => {
    write('etc/default/slotwire', 'SLOTWIRE_OPTIONS="--prot 8099"')
    expect(named(await diagnose(), 'options')).toMatchObject({
      outcome: 'failure',
      found: containing(`slotwire.service cannot start with its options (unknown option '--prot'`),
      remedy: matching(/^Mend SLOTWIRE_OPTIONS in \/etc\/default\/slotwire .*systemctl restart slotwire\.service\.$/),
    })
  })

  it('looks at each service of one module type, and tells once what they have in common', async () => {
    for (const unit of SINGLE) enable(unit)
    write('etc/default/slotwire-io', 'SLOTWIRE_IO_OPTIONS="--port 9002"')
    const checks = await diagnose()
    const names = checks.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['port 8003 (slotwire-bmc)', 'port 9002 (slotwire-io)', 'port 8001 (slotwire-power)']),
    )
    expect(names).not.toContain('port 8080')
    expect(names.filter((name) => name.startsWith('settings'))).toEqual(['settings'])
    expect(named(checks, 'state folder (slotwire-io)')?.found).toContain(join(device.state, 'io'))
  })

  it('goes by what is typed where anything is', async () => {
    const checks = await diagnose('--port', '8077')
    expect(named(checks, 'options')).toMatchObject({ outcome: 'ok', found: containing('as typed here') })
    expect(named(checks, 'port 8077')).toBeDefined()
  })

  it('is no different for the built command', async () => {
    write('etc/default/slotwire', 'SLOTWIRE_OPTIONS="--port 8099"')
    const { output } = await new SlotwireProcess(['doctor', ...roots()]).ended
    expect(output).toMatch(/^ {2}ok {7}options +of slotwire\.service: .* --port 8099$/m)
  })
})
