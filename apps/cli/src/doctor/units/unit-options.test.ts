import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unitFiles } from '../../../../../tools/deb/system-files.mjs'
import { inRoot } from '../../../../../tools/setup/root.mjs'
import { FakeInstallation } from '../fake-installation.testkit.ts'
import { unitsThatServe } from './units-that-serve.ts'

const KNOWN = ['io', 'bmc', 'power']
const ALL = 'slotwire.service'
const SINGLE = KNOWN.map((name) => `slotwire-${name}.service`)

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
  for (const [path, text] of unitFiles()) write(`usr/lib/systemd/system/${path}`, text)
  write('etc/default/slotwire', readFileSync(inRoot('packaging', 'debian', 'slotwire.default'), 'utf8'))
})
afterEach(() => device.remove())

const write = (path: string, content: string): string => device.write(`system/${path}`, content)
const look = () => unitsThatServe({ root: device.system, run: device.run }, KNOWN)
const names = async () => (await look()).map(({ unit }) => unit.name)
function enable(unit: string): void {
  const folder = join(device.system, 'etc/systemd/system/multi-user.target.wants')
  mkdirSync(folder, { recursive: true })
  symlinkSync(`/usr/lib/systemd/system/${unit}`, join(folder, unit))
}

describe('the units of the package', () => {
  it('are one for all where nothing else was chosen', async () => {
    expect(await look()).toMatchObject([
      {
        unit: {
          name: ALL,
          options: '--hardware kernel --state /var/lib/slotwire',
          problem: undefined,
          place: 'SLOTWIRE_OPTIONS in /etc/default/slotwire',
        },
        options: { state: '/var/lib/slotwire', services: KNOWN },
      },
    ])
  })

  it('are those that were enabled', async () => {
    for (const unit of SINGLE) enable(unit)
    const found = await look()
    expect(found.map(({ unit, options: { port, services, state } }) => [unit.name, port, services, state])).toEqual([
      ['slotwire-bmc.service', 8003, ['bmc'], '/var/lib/slotwire/bmc'],
      ['slotwire-io.service', 8002, ['io'], '/var/lib/slotwire/io'],
      ['slotwire-power.service', 8001, ['power'], '/var/lib/slotwire/power'],
    ])
  })

  it('are those that run, enabled or not', async () => {
    device.write('run/systemd/units/invocation:slotwire-io.service', '')
    expect(await names()).toEqual(['slotwire-io.service'])
  })

  it('are none where none is installed', async () => {
    rmSync(device.system, { recursive: true })
    expect(await look()).toEqual([])
  })

  it('are none that were masked', async () => {
    mkdirSync(join(device.system, 'etc/systemd/system'), { recursive: true })
    symlinkSync('/dev/null', join(device.system, 'etc/systemd/system', ALL))
    expect(await names()).toEqual([])
  })
})

describe('the options of a unit', () => {
  it.each([
    ['SLOTWIRE_OPTIONS="--port 8099"'],
    ["SLOTWIRE_OPTIONS='--port 8099'\n"],
    ['SLOTWIRE_OPTIONS=--port 8099 '],
    ['SLOTWIRE_OPTIONS = "--port 8099"\r\n'],
    ['# SLOTWIRE_OPTIONS="--port 1"\n; SLOTWIRE_OPTIONS="--port 2"\nSLOTWIRE_OPTIONS=\nSLOTWIRE_OPTIONS="--port \\\n8099"'],
  ])('are in /etc/default/slotwire: %j', async (text) => {
    write('etc/default/slotwire', text)
    expect(await look()).toMatchObject([
      { unit: { options: '--hardware kernel --state /var/lib/slotwire --port 8099' }, options: { port: 8099 } },
    ])
  })

  it('may hold spaces in quotes', async () => {
    write('etc/default/slotwire', `SLOTWIRE_OPTIONS="--power-manager '/run/my power/socket' --services io,power"`)
    expect(await look()).toMatchObject([{ options: { powerManager: '/run/my power/socket', services: ['io', 'power'] } }])
  })

  it('for one service alone come after those for all', async () => {
    enable('slotwire-io.service')
    write('etc/default/slotwire', 'SLOTWIRE_OPTIONS="--port 1 --power-manager /run/other"')
    write('etc/default/slotwire-io', 'SLOTWIRE_IO_OPTIONS="--port 9002"')
    expect(await look()).toMatchObject([
      {
        unit: { place: 'SLOTWIRE_IO_OPTIONS in /etc/default/slotwire-io' },
        options: { port: 9002, powerManager: '/run/other' },
      },
    ])
  })

  it('may be the administrator’s own, in the place of the package’s', async () => {
    write(
      'etc/systemd/system/slotwire.service.d/override.conf',
      '[Service]\nExecStart=\nExecStart = /usr/bin/slotwire serve --port 7\n',
    )
    expect(await look()).toMatchObject([{ options: { port: 7 } }])
  })

  it.each([
    ['--prot 8099', "unknown option '--prot' (Did you mean --port?)"],
    ['--port eighty', "option '--port <number>' argument 'eighty' is invalid. a whole number from 0 to 65535"],
    ['--port', "option '--port <number>' argument missing"],
    ['8099', 'too many arguments'],
    ['--twins 4', 'cannot start with its options (--twins does not go with --hardware kernel'],
    ['--bus timed', '--bus does not go with --hardware kernel'],
    ['--hardware twin', 'serves a virtual device, and not the modules here'],
  ])('may be wrong: %s', async (words, problem) => {
    write('etc/default/slotwire', `SLOTWIRE_OPTIONS="${words}"`)
    const [found] = await look()
    expect(found?.unit.problem).toContain(problem)
    expect(found?.options).toMatchObject({ state: '/var/lib/slotwire' })
  })
})
