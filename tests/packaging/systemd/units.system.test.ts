import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unitFiles, unitNames } from '../../../tools/deb/system-files.mjs'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { UnitRoot } from './unit-root.testkit.ts'

/** Promised exposure, from 0 to 10, as in `systemd-analyze security`. */
const MAX_EXPOSURE = 3
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
  it('are the service and the power manager', () => expect(names).toEqual(['slotwire-power-manager.service', 'slotwire.service']))

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
  beforeEach(() => (root = new UnitRoot()))
  afterEach(() => root.remove())

  function run(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(analyze, args, { encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const verify = () => run('verify', '--man=no', '--root', root.folder, ...names)

  it('verify reports nothing', () => expect(verify()).toEqual({ status: 0, output: '' }))

  it('verify also reads the common drop-ins', () => {
    appendFileSync(join(root.units, 'slotwire-.service.d/20-sandbox.conf'), 'ProtectSystems=strict\n')
    expect(verify().output).toMatch(/slotwire-\.service\.d\S*: Unknown key .*ProtectSystems/)
  })

  it.each(names)(`security rates %s with an exposure below ${MAX_EXPOSURE}`, (unit) => {
    const { output } = run('security', '--offline=yes', '--no-pager', '--root', root.folder, unit)
    const exposure = Number(/Overall exposure level for \S+: (\d+\.\d)/.exec(output)?.[1])
    process.stdout.write(`systemd-analyze security ${unit}: exposure ${exposure.toFixed(1)}\n`)
    expect(exposure, output).toBeLessThan(MAX_EXPOSURE)
  })
})
