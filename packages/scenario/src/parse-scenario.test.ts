import { catalog } from '@slotwire/device/twin'
import { button, crcErrors, source } from '@slotwire/twin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../tools/tests/generated-cases.mjs'
import { anyCharacter } from '../../core/src/any-character.testkit.ts'
import { mistakesIn } from './mistakes.testkit.ts'
import { MAX_PROBLEMS, MAX_TEXT_LENGTH, parseScenario } from './parse-scenario.ts'
import { ScenarioError } from './scenario.ts'

describe('parseScenario reports a mistake at the top of', () => {
  const table: readonly (readonly [text: string, ...expected: string[]])[] = [
    ['', '1:1 steps is missing: a list of steps, each beginning with -'],
    ['steps:', '1:7 steps is nothing: write a list, each step beginning with -'],
    ['steps: []', '1:8 steps is an empty list: write a step, as in - short: 3/2'],
    ['steps: 5', '1:8 steps is 5: write a list, each step beginning with -'],
    ['- a', '1:1 this is not a scenario: write steps:, and below it a list of steps'],
    ['seed: -1\nsteps: [short: 3/1]', '1:7 seed is out of range: 0…4294967295, not -1'],
    ['sed: 1\nsteps: [short: 3/1]', '1:1 sed is unknown: did you mean seed?'],
    [
      'steps: [short: 3/1]\nmodules: { 9: io, 3: oi }',
      '2:12 modules is out of range: 0…7, not 9',
      '2:22 3 is not allowed: bmc, io or power, not "oi"; did you mean io?',
    ],
    ['bus: slow\nsteps: [short: 3/1]', '1:6 bus is not allowed: instant or timed, not "slow"'],
    ['until: 5\nsteps: [short: 3/1]', '1:8 until needs a unit: write 5s or 5ms'],
    ['%YAML 1.1\n---\nsteps: [short: 3/1]', '1:1 a % directive has no meaning here: remove it'],
    [
      'steps: [short: 3/1]\n---\nsteps: [short: 3/1]',
      '2:1 a second document (---) has no meaning here: write each in a separate file',
    ],
    ['tags: smoke\nsteps: [short: 3/1]', '1:7 tags is smoke: a list, each item a name: letters, digits, - and _, at most 64'],
    ['tags: [a b]\nsteps: [short: 3/1]', '1:8 tags[0] is not allowed: a name: letters, digits, - and _, at most 64, not "a b"'],
    [
      'values: [a]\nsteps: [short: 3/1]',
      '1:9 values is a list: values by name, as in { supply: 24V }; the text has each as $supply',
    ],
    [
      'values: { a b: 1, c: [1] }\nsteps: [short: $c]',
      '1:11 values is not allowed: a name: letters, digits, - and _, at most 64, not "a b"',
      '1:22 values.c is a list: write one value, as in c: 24V',
      '2:16 pin is not allowed: a pin as slot/pin, as in 3/1, not "$c"',
    ],
    [
      'values: { supply: 24V, pin: 3/9 }\nsteps:\n  - connect: { pin: 3/1, to: { source: $suply } }\n  - short: $pin\n  - short: "$pin"',
      '1:11 values.supply is not used: write $supply where it belongs, or leave it out',
      '3:40 no value is named suply, did you mean supply?',
      '4:12 pin is not allowed: a pin as slot/pin, as in 3/1, not "3/9"',
      '5:12 pin is not allowed: a pin as slot/pin, as in 3/1, not "$pin"',
    ],
    ['steps: [short: $a]', '1:16 no value is named a: write values: { a: … } at the top, or "$a" for this text'],
    ['name:\nsteps: [short: 3/1]', '1:6 name is missing: one line of text without control characters, at most 1000 characters'],
    [
      'name: "brown\\nout\\e[31m"\nsteps: [short: 3/1]',
      '1:7 name is not allowed: one line of text without control characters, at most 1000 characters, not "brown\\nout\\u{1b}[31m"',
    ],
    ['steps: [short: 3/1]\nseed: 1\nseed: 2', '3:1 seed is there twice, first in line 2: remove one'],
    ['steps: [5]', '1:9 a step is 5: write - at: 2s, and below it an action, as in short: 3/2'],
    [
      'steps:\n  - at: 2s\n    short: 3/1\n  - at: 1s\n    short: 3/1\n',
      '4:5 at is before the step above: 2s or later, or leave it out',
    ],
    [
      'steps:\n  - connect: { pin: 3/1, to: short, as: a }\n  - connect: { pin: 3/2, to: short, as: a }\n  - set: { of: a, volts: 5V }\n  - disconnect: b',
      '3:5 the name a is taken: choose another',
      '4:19 volts is unknown: allowed: of',
      '5:17 of: no connection is named b: known names are a',
    ],
  ]
  it.each(table)('%j', (text, ...expected) => {
    expect(mistakesIn(text)).toEqual(expected)
  })
})

describe('ScenarioError', () => {
  it('reports all mistakes at once, with file, line and column', () => {
    const text = 'steps:\n  - at: 5V\n    short: 3/7\n  - unplgu: 5\n'
    expect(() => parseScenario(text, { file: 'examples/a.yaml', catalog })).toThrow(
      new ScenarioError([
        { file: 'examples/a.yaml', line: 2, column: 9, message: 'at must be a number, not "5V": 0 ms to 720 h' },
        {
          file: 'examples/a.yaml',
          line: 3,
          column: 12,
          message: 'pin is not allowed: a pin as slot/pin, as in 3/1, not "3/7"',
        },
        { file: 'examples/a.yaml', line: 4, column: 5, message: 'there is no step unplgu, did you mean unplug?' },
      ]),
    )
    expect(mistakesIn(text)[0]).toBe('2:9 at must be a number, not "5V": 0 ms to 720 h')
  })

  it(`reports at most ${MAX_PROBLEMS} mistakes`, () => {
    expect(mistakesIn(`steps:\n${'  - short: 3/7\n'.repeat(MAX_PROBLEMS * 2)}`)).toHaveLength(MAX_PROBLEMS)
  })

  it.each([
    ['a text that is too long', `steps: [short: 3/1]\n#${' '.repeat(MAX_TEXT_LENGTH)}`, 'is too long'],
    ['too many steps', `steps:\n${'  - short: 3/1\n'.repeat(10_001)}`, '10002:5 there are 10001 steps: at most 10000'],
    [
      'too many expectations in one list',
      `steps:\n  - expect:\n${'    - {pin: 3/1, volts: 0}\n'.repeat(9000)}  - expect: [${'{pin: 3/1}, '.repeat(1001)}]`,
      '9003:12014 there are 10001 steps: at most 10000, each item of an expect list counts as one',
    ],
    ['nesting without end', `steps: ${'['.repeat(10_000)}`, 'is nested too deeply: at most 24 levels'],
    ['an alias bomb', 'a: &a [1]\nb: &b [*a, *a]\nsteps: [*b, *b]', 'anchors and aliases'],
  ])('refuses %s', (_name, text, expected) => {
    expect(mistakesIn(text).join('\n')).toContain(expected)
  })
})

describe('bounds', () => {
  it('are the same as in code', () => {
    const inCode = (make: () => unknown): string => {
      try {
        make()
      } catch (error) {
        return error instanceof RangeError ? error.message : String(error)
      }
      return ''
    }
    expect(mistakesIn('steps:\n  - connect: { pin: 3/1, to: { source: 2400V } }')).toEqual([
      `2:40 to.source.${inCode(() => source(2400))}`,
    ])
    expect(mistakesIn('steps:\n  - fault: { slot: 3, crc_errors: 130% }')).toEqual([
      `2:35 crc_errors.${inCode(() => crcErrors(1.3))}`,
    ])
    expect(mistakesIn('steps:\n  - connect: { pin: 3/1, to: { button: { bounces: 4.5 } } }')).toEqual([
      `2:51 to.button.${inCode(() => button({ bounces: 4.5 }))}`,
    ])
  })
})

describe('a scenario', () => {
  it('has the values of its header, or the defaults', () => {
    expect(parseScenario('steps: [short: 3/1]', { file: 'examples/brown-out.yaml', catalog })).toEqual({
      file: 'examples/brown-out.yaml',
      name: 'brown-out',
      description: undefined,
      tags: [],
      values: [],
      header: [{ key: 'steps', line: 1, column: 1 }],
      seed: 1,
      bus: 'instant',
      powerMode: 'strict',
      device: 'default',
      files: [],
      modules: {},
      untilMs: 0,
      steps: [expect.objectContaining({ kind: 'short' })],
    })
    const text =
      'name: N\ndescription: D\nseed: 7\nbus: timed\npower_mode: weak\ndevice: empty\nmodules: { 3: io }\nuntil: 10s\nsteps: [short: 3/1]'
    expect(parseScenario(text, { catalog })).toMatchObject({
      name: 'N',
      description: 'D',
      seed: 7,
      bus: 'timed',
      powerMode: 'weak',
      device: 'empty',
      modules: { 3: 'io' },
      untilMs: 10_000,
    })
  })

  it('has values in place of their names, the defaults or others', () => {
    const text =
      'tags: [smoke]\nvalues: { load: "5", pin: 3/1, for: 2s }\nuntil: $for\nsteps:\n  - wait: { get: a/b, body: [$load], within: $for }\n  - short: $pin'
    const read = (values: Record<string, string>) => parseScenario(text, { catalog, values: new Map(Object.entries(values)) })
    expect(read({ other: '1' })).toMatchObject({ tags: ['smoke'], values: ['load', 'pin', 'for'], untilMs: 2000 })
    expect(read({ pin: '5/3' }).steps.map(({ pins, text: written }) => [pins.map(({ name }) => name), written])).toEqual([
      [[], 'wait: { get: a/b, body: [$load], within: $for }'],
      [['5/3'], 'short: $pin'],
    ])
    expect(() => read({ pin: '5/9' })).toThrow('scenario:6:12: pin is not allowed')
  })

  it('has steps with place, time and text; a list of expectations makes several steps', () => {
    const { steps } = parseScenario(
      `steps:
  - at: 1500ms
    short: 3/2 # to ground
  - after: 1min
    expect:
      - { pin: 3/2,
          volts: 0 }
      - { session: 3, is: same }
`,
      { catalog },
    )
    expect(steps.map(({ kind, atMs, afterMs, line, column, text }) => ({ kind, atMs, afterMs, line, column, text }))).toEqual([
      { kind: 'short', atMs: 1500, afterMs: undefined, line: 3, column: 5, text: 'short: 3/2' },
      { kind: 'expect', atMs: undefined, afterMs: 60_000, line: 6, column: 9, text: 'expect: { pin: 3/2, volts: 0 }' },
      { kind: 'expect', atMs: undefined, afterMs: undefined, line: 8, column: 9, text: 'expect: { session: 3, is: same }' },
    ])
  })
})

describe('parseScenario', () => {
  const words = [
    'steps:',
    '\n  - ',
    'at: ',
    'short: ',
    '3/1',
    '2s',
    '{ ',
    ' }',
    '[',
    ']',
    ', ',
    'expect: ',
    'pin: ',
    '&a ',
    '*a',
    '"',
    ': ',
  ]
  const pieces = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4, unit: anyCharacter })), { maxLength: 30 })

  it('throws only ScenarioError for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          pieces.map((all) => all.join('')),
        ),
        (text) => {
          for (const problem of mistakesIn(text)) expect(problem).toMatch(/^\d+:\d+ .+$/)
        },
      ),
      { numRuns: cases(400) },
    )
  })
})
