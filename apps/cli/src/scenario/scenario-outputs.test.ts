import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readVcd } from '../../../../packages/twin/src/waveform/read-vcd.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { runInProcess } from '../command.testkit.ts'
import { OutputFile } from '../terminal/files.ts'

const WAVE = `steps:
  - connect: { pin: 3/1, to: { square_wave: 100Hz, low_volts: 0, high_volts: 5 } }
  - after: 1s
    disconnect: 3/1
  - connect: { pin: 5/6, to: { source: 3V } }
until: 10ms
`
const FAILS = `name: fails
steps:
  - connect: { pin: 3/1, to: { source: 5V } }
  - at: 1s
    short: 3/2
  - expect: { pin: 3/1, volts: 1..2 }
  - after: 1ms
    expect: [{ pin: 3/1, volts: 4 }, { pin: 3/1, volts: 5 }, { pin: 3/2, volts: '1..<&>' }]
`.replace("'1..<&>'", '1..2')

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  for (const [name, text] of Object.entries({ 'wave.yaml': WAVE, 'fails.yaml': FAILS })) write(name, text)
})

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const read = (...name: string[]): string => readFileSync(join(folder, ...name), 'utf8')

/** Runs `slotwire scenario run` in the folder: words that are not options are files there. */
async function run(...words: string[]) {
  const inFolder = words.map((word) => (word.startsWith('-') ? word : join(folder, word)))
  const { code, output, errors } = await runInProcess('scenario', 'run', ...inFolder)
  return { code, output: output.replaceAll(`${folder}/`, ''), errors: errors.replaceAll(`${folder}/`, '') }
}

describe('slotwire scenario run --trace', () => {
  it('writes the pins that the scenario names as VCD, from its start to its end', async () => {
    expect(await run('wave.yaml', '--trace', 'pins.vcd')).toMatchObject({ code: 0, errors: '' })
    const { signals, endNs } = readVcd(read('pins.vcd'))
    expect([[...signals.keys()], endNs]).toEqual([['slot3.pin1', 'slot3.pin1_volts', 'slot5.pin6', 'slot5.pin6_volts'], 1.01e9])
    // The wave began with the device: 200 edges in 1 s, and the end of the last part.
    expect(signals.get('slot3.pin1')?.length).toBeGreaterThanOrEqual(200)
    expect(signals.get('slot5.pin6_volts')?.at(-1)).toEqual([1e9, 2.999997].map((value) => expect.closeTo(value, 3) as number))
  })

  it('writes CSV, with the same bytes each time', async () => {
    for (const name of ['one.csv', 'other.CSV']) expect((await run('wave.yaml', '--trace', name)).code).toBe(0)
    expect(read('one.csv')).toBe(read('other.CSV'))
    const [head, first] = read('one.csv').split('\n')
    expect([head, first]).toEqual([
      'seconds,slot3.pin1,slot3.pin1_volts,slot5.pin6,slot5.pin6_volts',
      expect.stringMatching(/^0\.000000000,[01],[\d.]+,0,0$/),
    ])
  })

  it('also writes what happened until a failed step that ends the scenario', async () => {
    write('stops.yaml', 'steps:\n  - at: 1s\n    expect: { pin: 5/3, volts: 9, otherwise: stop }\n  - at: 9s\n    short: 5/3\n')
    expect((await run('stops.yaml', '--trace', 'pins.vcd')).code).toBe(1)
    expect(readVcd(read('pins.vcd')).endNs).toBe(1e9)
  })

  it.each<readonly [readonly string[], string]>([
    [['wave.yaml', '--trace', 'pins.txt'], 'slotwire: pins.txt names no format: give --trace a file that ends in .vcd or .csv\n'],
    [['wave.yaml', '--trace', 'vcd'], 'slotwire: vcd names no format: give --trace a file that ends in .vcd or .csv\n'],
    [
      ['wave.yaml', 'fails.yaml', '--trace', 'pins.vcd'],
      'slotwire: --trace keeps the pins of one scenario: run them one by one, or leave it out\n',
    ],
    [
      ['wave.yaml', '--trace', 'pins.csv', '--junit', 'pins.csv'],
      'slotwire: --junit and --trace name the same file, pins.csv: give each its own\n',
    ],
    [
      ['wave.yaml', '--trace', 'no/such.vcd'],
      "slotwire: no/such.vcd cannot be written (ENOENT: no such file or directory, open 'no/such.vcd'): give another file with --trace\n",
    ],
    [['none.yaml', '--trace', 'pins.vcd'], 'none.yaml: names no pin, so --trace has nothing to write: leave it out\n'],
  ])('refuses %j', async (words, message) => {
    write('none.yaml', 'steps:\n  - ambient: 30C\n')
    expect(await run(...words)).toEqual({ code: 2, output: '', errors: message })
  })

  it('ends at 256 MiB: no wave fills the disk', () => {
    const path = join(folder, 'pins.csv')
    let failures = 0
    const file = new OutputFile(path, '--trace', () => failures++, 1000)
    for (let count = 0; count < 11; count++) file.write('x'.repeat(99))
    expect(failures).toBe(1)
    expect(() => file.close()).toThrow(
      `${path} cannot be written (it would be larger than 256 MiB: shorten the scenario, or slow down its waves): give another file with --trace`,
    )
    expect(read('pins.csv')).toHaveLength(990)
  })
})

describe('slotwire scenario run --report', () => {
  it('makes the folder, and draws the pins of each failure beside the text', async () => {
    const { code, output } = await run('fails.yaml', 'wave.yaml', '--report', 'new/reports')
    expect(code).toBe(1)
    const files = ['fails-line6.svg', 'fails-line8-2.svg', 'fails-line8.svg', 'fails.txt', 'wave.txt']
    expect(readdirSync(join(folder, 'new/reports'))).toEqual(files)
    expect(output).toContain(
      '  report    new/reports/fails.txt, new/reports/fails-line6.svg, new/reports/fails-line8.svg, new/reports/fails-line8-2.svg\n',
    )
    expect(read('new/reports/wave.txt')).toMatch(/^passed {2}wave /)
    const text = read('new/reports/fails.txt').replaceAll(`${folder}/`, '')
    expect(output.replace(/, \d+\.\d\d s of real time/, '')).toContain(text.split('\npictures')[0]?.trim())
    expect(text).toMatch(/\npictures\n {2}fails\.yaml:6:5 {2}fails-line6\.svg\n {2}fails\.yaml:8:\d+ {2}fails-line8\.svg\n/)
  })

  it('says the same in text and picture', async () => {
    await run('fails.yaml', '--report', 'reports')
    const picture = read('reports/fails-line6.svg').replaceAll(`${folder}/`, '')
    const text = read('reports/fails.txt').replaceAll(`${folder}/`, '')
    for (const line of ['fails.yaml:6:5 at 1 s', 'expected  pin 3/1 volts: 1..2 V', 'saw       5 V'])
      for (const saying of [text, picture]) expect(saying).toContain(line)
    // The scale of the chart, and its times.
    for (const label of ['5.00', '0 s', '1 s']) for (const saying of [text, picture]) expect(saying).toContain(label)
    expect(picture).toMatch(/>pin 3\/1<\/text>/)
  })

  it.each([
    ['../a b/ö <&> $(x).yaml', ['ö_x_.txt', 'ö_x_-line6.svg']],
    ['.yaml', ['scenario.txt', 'scenario-line6.svg']],
    [`${'x'.repeat(200)}.yml`, [`${'x'.repeat(48)}.txt`]],
  ])('gives safe names to the files of %s', async (name, files) => {
    mkdirSync(join(folder, 'a b'))
    const file = name.replace('../', '')
    write(file, FAILS)
    await run(file, '--report', 'reports')
    expect(readdirSync(join(folder, 'reports'))).toEqual(
      expect.arrayContaining(files.map((each) => expect.stringContaining(each) as string)),
    )
    return undefined
  })

  it('gives each scenario its own names, also in folders that do not distinguish small and capital letters', async () => {
    mkdirSync(join(folder, 'other'))
    for (const name of ['other/fails.yaml', 'FAILS.yml', 'fails-2.yaml']) write(name, FAILS)
    await run('fails.yaml', 'other/fails.yaml', 'FAILS.yml', 'fails-2.yaml', '--report', 'reports')
    const names = readdirSync(join(folder, 'reports')).map((name) => name.toLowerCase())
    expect(new Set(names).size).toBe(4 * 4)
    expect(names.filter((name) => name.endsWith('.txt')).sort()).toEqual([
      'fails-2-2.txt',
      'fails-2.txt',
      'fails-3.txt',
      'fails.txt',
    ])
  })

  it('refuses a file in place of the folder, before anything runs', async () => {
    const { code, output, errors } = await run('fails.yaml', '--report', 'wave.yaml')
    expect([code, output]).toEqual([2, ''])
    expect(errors).toMatch(/^slotwire: wave\.yaml cannot be written \(EEXIST.*\): give another folder with --report\n$/)
    expect(existsSync(join(folder, 'fails.txt'))).toBe(false)
  })

  it('refuses a folder that cannot be made', async () => {
    const { code, errors } = await runInProcess('scenario', 'run', join(folder, 'fails.yaml'), '--report', '/proc/no/folder')
    expect([code, errors]).toEqual([2, expect.stringMatching(/^slotwire: \/proc\/no\/folder cannot be written \(ENOENT/)])
  })

  it('leaves the voltages of the pictures out of the JSON', async () => {
    const { output } = await run('fails.yaml', '--report', 'reports', '--json')
    expect(output).not.toContain('waveforms')
    expect(output).toContain('"charts":["pin 3/1, in volts')
  })
})
