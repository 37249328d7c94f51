import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unitFiles, unitNames } from '../../../tools/deb/system-files.mjs'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { UnitRoot } from './unit-root.testkit.ts'

/** Promised exposure, from 0 to 10, as in `systemd-analyze security`. */
const HIGHEST_EXPOSURE = 3
const PORTS: Readonly<Record<string, number>> = { io: 8002, bmc: 8003, power: 8001 }
const MAIN = join(import.meta.dirname, '../../../apps/cli/dist/main.js')

const units = unitFiles()
const names = unitNames()

function textOf(unit: string): string {
  return units.get(unit) ?? ''
}

/** The words of a unit's command. */
function startOf(unit: string): string[] {
  return /^ExecStart=(.*)$/m.exec(textOf(unit))?.[1]?.split(' ') ?? []
}

describe('the units of the package', () => {
  it('are one service for all modules, one for each module type, and the power manager', () => {
    const all = ['slotwire', 'slotwire-power-manager', ...SERVICE_NAMES.map((service) => `slotwire-${service}`)]
    expect(names).toEqual(all.map((name) => `${name}.service`).sort())
  })

  it.each(Object.entries(PORTS))('serve only module type %s at port %i, with a separate state folder', (type, port) => {
    const [, ...words] = startOf(`slotwire-${type}.service`)
    const expected = ['--services', type, '--port', String(port), '--state', `/var/lib/slotwire/${type}`]
    expect(words).toEqual([
      'serve',
      '--hardware',
      'kernel',
      ...expected,
      '$SLOTWIRE_OPTIONS',
      `$SLOTWIRE_${type.toUpperCase()}_OPTIONS`,
    ])
    expect(textOf(`slotwire-${type}.service`)).toContain(`\nStateDirectory=slotwire/${type}\n`)
  })

  it('are ordered after the units that they stop, so that a slot is closed before it is opened again', () => {
    const listed = (unit: string, setting: string): readonly string[] =>
      [...textOf(unit).matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].flatMap(([, words = '']) => words.split(' '))
    const pairs = names.flatMap((unit) => listed(unit, 'Conflicts').map((other) => [unit, other] as const))
    expect(pairs).toEqual(SERVICE_NAMES.map((service) => [`slotwire-${service}.service`, 'slotwire.service']).sort())
    expect(pairs.filter(([unit, other]) => !listed(unit, 'Before').includes(other))).toEqual([])
  })

  it.each(names)('%s starts with existing options', (unit) => {
    const [program, command = '', ...words] = startOf(unit)
    expect(program).toBe('/usr/bin/slotwire')
    const help = spawnSync(process.execPath, [MAIN, command, '--help'], { encoding: 'utf8' }).stdout
    expect(help).toContain(`Usage: slotwire ${command}`)
    for (const word of words.filter((each) => each.startsWith('--'))) expect(help).toContain(`  ${word} `)
  })
})

describeWith('systemdAnalyze', 'systemd-analyze', (analyze) => {
  let root: UnitRoot
  beforeEach(() => {
    root = new UnitRoot()
  })
  afterEach(() => root.remove())

  function run(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(analyze, args, { encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const verify = () => run('verify', '--man=no', '--root', root.folder, ...names)

  it('verify reports nothing', () => {
    expect(verify()).toEqual({ status: 0, output: '' })
  })

  it('verify also reads the common drop-ins', () => {
    appendFileSync(join(root.units, 'slotwire-.service.d/20-sandbox.conf'), 'ProtectSystems=strict\n')
    expect(verify().output).toMatch(/slotwire-\.service\.d\S*: Unknown key .*ProtectSystems/)
  })

  it.each(names)(`security rates %s with an exposure below ${HIGHEST_EXPOSURE}`, (unit) => {
    const { output } = run('security', '--offline=yes', '--no-pager', '--root', root.folder, unit)
    const exposure = Number(/Overall exposure level for \S+: (\d+\.\d)/.exec(output)?.[1])
    process.stdout.write(`systemd-analyze security ${unit}: exposure ${exposure.toFixed(1)}\n`)
    expect(exposure, output).toBeLessThan(HIGHEST_EXPOSURE)
  })
})
