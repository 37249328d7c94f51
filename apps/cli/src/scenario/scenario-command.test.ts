import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { runInProcess } from '../command.testkit.ts'

const PASSES = `seed: 7
steps:
  - connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }
  - at: 60s
    expect: { pin: 3/1, volts: 23..25 }
`
const FAILS = `steps:
  - at: 1s
    expect: { pin: 5/3, volts: 1..2 }
  - expect: { pin: 5/4, volts: -1..6 }
`
const LASTS = `steps:
  - at: 1h
    expect: { pin: 5/3, volts: 1..2 }
`

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  for (const [name, text] of Object.entries({ passes: PASSES, fails: FAILS, lasts: LASTS })) write(`${name}.yaml`, text)
})

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** Runs `slotwire scenario` in the folder: words that are not options are files there. */
async function scenario(command: string, ...words: string[]) {
  const inFolder = words.map((word) => (word.startsWith('-') ? word : join(folder, word)))
  const { code, output, errors } = await runInProcess('scenario', command, ...inFolder)
  return { code, output: output.replaceAll(`${folder}/`, ''), errors: errors.replaceAll(`${folder}/`, '') }
}

describe('slotwire scenario run', () => {
  it('runs a scenario as fast as possible, and prints one line if it passed', async () => {
    const { code, output, errors } = await scenario('run', 'passes.yaml')
    expect(output).toMatch(/^passed {2}passes \(passes\.yaml\), seed 7: 2 steps, 60 s of twin time, \d+\.\d\d s of real time\n$/)
    expect([code, errors]).toEqual([0, ''])
  })

  it('prints what failed, with the recent waveform of the pin, and continues with the next file', async () => {
    const { code, output, errors } = await scenario('run', 'fails.yaml', 'passes.yaml')
    expect(output).toContain('FAILED  fails (fails.yaml), seed 1: 1 of 2 steps failed, 1 s of twin time')
    expect(output).toContain('  fails.yaml:3:5 at 1 s\n    expect: { pin: 5/3, volts: 1..2 }\n')
    expect(output).toMatch(/ {4}pin 5\/3, in volts\n(.*┤.*\n|.*│.*\n)+/)
    expect(output).toMatch(/\npassed {2}passes .*\n2 scenarios: 1 passed, 1 failed\n$/)
    expect([code, errors]).toEqual([1, ''])
  })

  it('prints every mistake with its place, and runs nothing', async () => {
    write('wrong.yaml', 'steps:\n  - shrot: 3/2\n  - short: 3/7\n')
    const { code, output, errors } = await scenario('run', 'passes.yaml', 'wrong.yaml', 'nowhere.yaml')
    expect([code, output]).toEqual([2, ''])
    expect(errors.split('\n')).toEqual([
      expect.stringMatching(/^wrong\.yaml:2:5: .*did you mean short\?/),
      expect.stringMatching(/^wrong\.yaml:3:12: /),
      expect.stringMatching(/^nowhere\.yaml: cannot be read: /),
      '',
    ])
  })

  it.each<readonly [string, ...string[]]>([
    ['run'],
    ['run', '--recrod', 'x', 'passes.yaml'],
    ['run', '--record', 'frames', 'passes.yaml', 'fails.yaml'],
    ['run', '--junit', 'no/such/folder.xml', 'passes.yaml'],
    ['run', '--record', 'no/such/folder', 'passes.yaml'],
    ['run', '--junit', 'fails.yaml', 'passes.yaml'],
    ['run', 'passes.yaml', '--record', 'passes.yaml'],
    ['run', '--set', 'supply', 'passes.yaml'],
    ['run', '--yes', 'passes.yaml'],
    ['run', '--deadline=5s', 'passes.yaml'],
    ['run', '--url=http://127.0.0.1:1', '--watch', 'passes.yaml'],
    ['run', '--url=http://127.0.0.1:1', '--trace=pins.vcd', 'passes.yaml'],
    ['run', '--context=lab', '--record=frames', 'passes.yaml'],
    ['walk', 'passes.yaml'],
  ])('refuses wrong words: %s %s', async (command, ...words) => {
    const { code, output, errors } = await scenario(command, ...words)
    expect([code, output]).toEqual([2, ''])
    expect(errors).toMatch(/^slotwire: .*\n$/)
  })

  it('writes JUnit XML, including failures', async () => {
    expect((await scenario('run', 'fails.yaml', 'passes.yaml', '--junit', 'results.xml')).code).toBe(1)
    const xml = read('results.xml')
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="[^"]*" tests="4" failures="1"/)
    expect(xml.match(/<testsuite /g)).toHaveLength(2)
    expect(xml).toContain('<failure message="expected pin 5/3 volts: 1..2 V')
  })

  it('prints one line of JSON with --json', async () => {
    const { code, output } = await scenario('run', 'passes.yaml', 'fails.yaml', '--json')
    expect(code).toBe(1)
    expect(output.match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(output)).toMatchObject({
      ok: false,
      scenarios: [
        {
          scenario: { name: 'passes', seed: 7 },
          ok: true,
          durationMs: 60_000,
          realMs: expect.any(Number) as unknown,
          failures: [],
        },
        { scenario: { name: 'fails' }, ok: false, failures: [{ line: 3, column: 5 }] },
      ],
    })
  })

  it('records every frame with its time: same bytes for the same seed, others for another seed', async () => {
    for (const name of ['one', 'other']) expect((await scenario('run', 'passes.yaml', '--record', name)).code).toBe(0)
    expect(read('one').length).toBeGreaterThan(100_000)
    expect(read('one') === read('other')).toBe(true)
    write('passes.yaml', PASSES.replace('seed: 7', 'seed: 8'))
    await scenario('run', 'passes.yaml', '--record', 'third')
    expect(read('one') === read('third')).toBe(false)
  })

  it('never overwrites a scenario', async () => {
    const before = readFileSync(join(folder, 'passes.yaml'), 'utf8')
    const { errors } = await scenario('run', 'passes.yaml', '--junit', 'passes.yaml')
    expect(errors).toBe(
      'slotwire: passes.yaml has the name of a scenario and would be overwritten: give another file with --junit\n',
    )
    expect(readFileSync(join(folder, 'passes.yaml'), 'utf8')).toBe(before)
  })

  it('runs in real time with --real-time', async () => {
    write('short.yaml', 'steps:\n  - at: 300ms\n    expect: { pin: 5/3, volts: 3..4 }\n')
    const { code, output } = await scenario('run', 'short.yaml', '--real-time', '--json')
    const [result] = (JSON.parse(output) as { scenarios: { realMs: number }[] }).scenarios
    expect(code).toBe(0)
    expect(result?.realMs).toBeGreaterThanOrEqual(300)
  })
})

describe('slotwire scenario check', () => {
  it('reads scenarios and runs nothing', async () =>
    expect(await scenario('check', 'lasts.yaml', 'fails.yaml')).toEqual({
      code: 0,
      output: 'right   lasts.yaml: 1 step\nright   fails.yaml: 2 steps\n',
      errors: '',
    }))

  it('prints mistakes, for people and for programs', async () => {
    write('wrong.yaml', 'steps:\n  - shrot: 3/2\n')
    const text = await scenario('check', 'wrong.yaml', 'passes.yaml')
    expect([text.code, text.output]).toEqual([2, 'right   passes.yaml: 2 steps\n'])
    expect(text.errors).toMatch(/^wrong\.yaml:2:5: .*\n$/)
    const { code, output } = await scenario('check', 'wrong.yaml', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(output)).toMatchObject({ ok: false, mistakes: [{ file: 'wrong.yaml', line: 2, column: 5 }] })
  })
})
