import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { readVcd } from '../../../../packages/twin/src/waveform/read-vcd.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'

const WAVES = `steps:
  - connect: { pin: 3/1, to: { square_wave: 100Hz, low_volts: 0, high_volts: 5 } }
  - connect: { pin: 3/2, to: { sine_wave: 50Hz, low_volts: -2, high_volts: 9 } }
  - connect: { pin: 5/6, to: { capacitor: 1uF } }
  - connect: { pin: 5/6, to: { resistor: 10k }, other: 3/1 }
  - at: 100ms
    short: 3/2
until: 100ms
`

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  writeFileSync(join(folder, 'waves.yaml'), WAVES)
})

async function run(...words: string[]) {
  const process = new SlotwireProcess(['scenario', 'run', ...words], { cwd: folder, environment: { NO_COLOR: '1' } })
  const end = await process.ended
  await process.remove()
  return end
}

describeWith(['vcd2fst', 'fst2vcd'], 'a trace in GTKWave', (vcd2fst, fst2vcd) => {
  it('has the signals, the times and the values of the file', async () => {
    expect(await run('waves.yaml', '--trace', 'pins.vcd')).toMatchObject({ code: 0, errors: '' })
    // The reader of GTKWave: to its own format, and back.
    execFileSync(vcd2fst, ['pins.vcd', 'pins.fst'], { cwd: folder })
    const shown = readVcd(execFileSync(fst2vcd, ['pins.fst'], { cwd: folder, encoding: 'utf8' }))
    const written = readVcd(readFileSync(join(folder, 'pins.vcd'), 'utf8'))
    expect([shown.timescale, shown.endNs]).toEqual(['1 ns', 200_000_000])
    expect([...shown.signals.keys()].sort()).toEqual([...written.signals.keys()].sort())
    for (const [name, changes] of written.signals) {
      // It leaves out a value that is the same as before.
      const changed = changes.filter(([, value], index) => value !== changes[index - 1]?.[1])
      const seen = (shown.signals.get(name) ?? []).filter(([, value], index, all) => value !== all[index - 1]?.[1])
      expect([name, seen]).toEqual([name, changed])
    }
    expect(written.signals.get('slot5.pin6_volts')?.length).toBeGreaterThan(100)
  })
})

it('a trace on a full disk ends the scenario with an error that names the file', async () => {
  symlinkSync('/dev/full', join(folder, 'full.csv'))
  const { code, output, errors } = await run('waves.yaml', '--trace', 'full.csv')
  expect([code, errors]).toEqual([
    2,
    'slotwire: full.csv cannot be written (ENOSPC: no space left on device, write): give another file with --trace\n',
  ])
  expect(output).toMatch(/the trace file cannot be written|^passed/)
})
