import {
  choice,
  compile,
  decimal,
  extensionDocument,
  formed,
  integer,
  mistake,
  objectOf,
  text as textField,
  wordOf,
} from '@slotwire/contract'
import { ManualClock } from '@slotwire/core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Twin } from '../packages/device/src/twin/twin.ts'
import type * as actionsFile from '../packages/twin/src/bench/actions/device-actions.ts'
import type * as kindsFile from '../packages/twin/src/circuit/elements/kinds.ts'

vi.mock('../packages/twin/src/circuit/elements/kinds.ts', async (original) => {
  const kinds = await original<typeof kindsFile>()
  const { defineElement } = await import('../packages/twin/src/circuit/elements/element.ts')
  const { inOhms } = await import('../packages/twin/src/settings/quantities.ts')
  const { Steady } = await import('../packages/twin/src/circuit/branch.ts')
  const heater = defineElement({
    kind: 'wireHeater',
    summary: 'a heater to ground',
    primary: 'ohms',
    fields: { ohms: inOhms('its resistance') },
    description: ({ ohms }) => `heater of ${ohms} Ω`,
    branch: ({ ohms }) => new Steady({ volts: 0, ohms }),
  })
  return { ...kinds, wireHeater: heater }
})

const polished: string[] = []
vi.mock('../packages/twin/src/bench/actions/device-actions.ts', async (original) => {
  const { deviceActions, ...others } = await original<typeof actionsFile>()
  const { defineAction } = await import('../packages/twin/src/bench/actions/action.ts')
  const polish = defineAction({
    summary: 'Polishes a part of the device',
    body: objectOf({ what: textField({ max: 20, description: 'the part' }) }, { rules: { 'x-alone': 'what' } }),
    example: { what: 'lid' },
    errors: [],
    run: (_bench, { what }) => void polished.push(what),
  })
  return { ...others, deviceActions: { ...deviceActions, polish } }
})

const { createBenchExtension, benchContract } = await import('@slotwire/bench-api')
const { catalog, createTwin } = await import('@slotwire/device/twin')
const { parseScenario, runScenario, asFastAsPossible } = await import('@slotwire/scenario')
const { elementsOf, othersOf, readBenchApi } = await import('../apps/console/src/bench/api-document.ts')
const { scenarioText } = await import('../apps/console/src/bench/scenario-text.ts')
const { testContext } = await import('../apps/cli/src/command.testkit.ts')
const { runProgram } = await import('../apps/cli/src/program.ts')
const { word } = await import('../apps/cli/src/terminal/word.ts')
const { parseSettings } = await import('../packages/network/src/settings/parse-settings.ts')
const { formatProblem } = await import('../packages/network/src/settings/setting.ts')

const clock = new ManualClock()
let twin: Twin
let url: string
beforeAll(async () => {
  const time = { now: () => clock.now(), pace: 1, step: () => Promise.resolve() }
  const extensions = (device: Twin) => [createBenchExtension({ device, time, catalog })]
  twin = await createTwin({ clock, extensions })
  url = await twin.listen()
  await twin.start()
})
afterAll(() => twin.close())

const POLISH = { what: 'lid' }
const CONNECT = { pin: '3/1', to: { wire_heater: { ohms: 50 } } }
const request = (name: string, body: object) => twin.request({ method: 'POST', path: `/slotwire/bench/${name}`, body })
const heaters = (): number => twin.bench.pin(3, 1).connections.filter(({ kind }) => kind === 'wireHeater').length

/** Does both actions on one surface. */
const surfaces: Readonly<Record<string, () => unknown>> = {
  'over HTTP': async () => {
    expect(await request('polish', POLISH)).toMatchObject({ status: 200 })
    expect(await request('connect', CONNECT)).toMatchObject({ status: 200 })
  },
  'in a scenario': async () => {
    const steps = 'steps:\n  - polish: lid\n  - connect: { pin: 3/1, to: { wire_heater: 50Ω } }\n'
    const { ok } = await runScenario(parseScenario(steps, { catalog }), twin, { pacer: asFastAsPossible(clock) })
    expect(ok).toBe(true)
  },
  'in code': async () => {
    // The type does not have what this test adds.
    const actions = twin.actions as unknown as Readonly<Record<string, (values: object) => Promise<unknown>>>
    await actions['polish']?.(POLISH)
    await twin.actions.connect(CONNECT)
  },
  'in a form of the console': async () => {
    const api = readBenchApi(extensionDocument(benchContract(catalog), { version: '1.0.0' }))
    const [polish, heater] = [
      othersOf(api).find(({ name }) => name === 'polish'),
      elementsOf(api).find(({ name }) => name === 'wire_heater'),
    ]
    expect([polish?.check(polish.bodyOf(POLISH)), polish?.body?.properties]).toMatchObject([
      undefined,
      { what: { maxLength: 20 } },
    ])
    await request('polish', polish?.bodyOf(POLISH) ?? {})
    await request('connect', heater?.bodyOf({ pin: '3/1', ohms: 50 }) ?? {})
  },
  'as the step of a recorded request': async () => {
    const sent = [
      { request: { method: 'POST', path: '/slotwire/bench/polish', body: POLISH }, reply: {}, twinMs: 0 },
      { request: { method: 'POST', path: '/slotwire/bench/connect', body: CONNECT }, reply: { name: 'c9' }, twinMs: 0 },
    ]
    const scenario = parseScenario(scenarioText(sent, 'recorded'), { catalog })
    expect((await runScenario(scenario, twin, { pacer: asFastAsPossible(clock) })).ok).toBe(true)
  },
  'on the command line': async () => {
    const { context, written } = testContext('/', 0)
    const setExitCode = (code: number): void => expect([code, written.hinted]).toEqual([0, expect.anything()])
    const run = (line: string) =>
      runProgram(line.split(' '), {
        ...context,
        announce: context.print,
        setExitCode,
        stopped: () => new Promise(() => undefined),
      })
    await run(`bench polish lid --url ${url}`)
    await run(`bench connect 3/1 wire_heater=50Ω --url ${url}`)
    await run('bench polish --help')
    expect(written.printed).toContain('Polishes a part of the device')
  },
}

describe('an action and an element that are declared once', () => {
  it.each(Object.entries(surfaces))('work %s', async (_where, both) => {
    const before = [polished.length, heaters()] as const
    await both()
    expect([polished.length, heaters()]).toEqual([before[0] + 1, before[1] + 1])
    expect(polished.at(-1)).toBe('lid')
  })
})

const NAME = 'a name: letters, digits, - and _, at most 64'

/** Mistakes in one action: its fields in JSON, its step, its words, and the sentence. */
const mistakes: readonly (readonly [name: string, fields: object, step: string, words: string, sentence: string])[] = [
  ['ambient', { celsius: 400 }, '400°C', '400°C', 'celsius is out of range: -40…125 °C, not 400'],
  ['ambient', { celsius: -41 }, '{ celsius: -41 }', 'celsius=-41', 'celsius is out of range: -40…125 °C, not -41'],
  ['ambient', { celsius: 'hot' }, 'hot', 'hot', 'celsius must be a number, not "hot": -40…125 °C'],
  ['ambient', { celsius: '5V' }, '5V', '5V', 'celsius must be a number, not "5V": -40…125 °C'],
  ['usb_host', { connected: 'yes' }, 'yes', 'yes', 'connected must be true or false, not "yes"'],
  [
    'plug',
    { slot: 7, module: 'oi' },
    '{ slot: 7, module: oi }',
    '7 oi',
    'module is not allowed: bmc, io or power, not "oi"; did you mean io?',
  ],
  ['short', { pin: '9/1' }, '9/1', '9/1', 'pin is not allowed: a pin as slot/pin, as in 3/1, not "9/1"'],
  ['unplug', { slot: 8 }, '8', '8', 'slot is out of range: 0…7, not 8'],
  ['fault', { slot: 3, hang: {}, as: '1' }, '{ slot: 3, hang, as: 1 }', '3 hang as=1', `as is not allowed: ${NAME}, not "1"`],
  ['wire', { pins: ['3/1', '3/9'] }, '[3/1, 3/9]', '3/1 3/9', 'pins[1] is not allowed: a pin as slot/pin, as in 3/1, not "3/9"'],
  ['wire', { pins: ['3/1', '5/1'], sa: 'a' }, '{ pins: [3/1, 5/1], sa: a }', '3/1 5/1 sa=a', 'sa is unknown: did you mean as?'],
  [
    'connect',
    { pin: '3/1', to: { source: { volts: 2400 } } },
    '{ pin: 3/1, to: { source: 2400V } }',
    '3/1 source=2400V',
    'to.source.volts is out of range: -1000…1000 V, not 2400',
  ],
  [
    'connect',
    { pin: '3/1', to: { coil: { ohms: 5 } } },
    '{ pin: 3/1, to: { coil: 5Ω } }',
    '3/1 coil=5Ω',
    'to.coil.henry is missing: a number from 0.000001 to 1000 H',
  ],
]

describe('a mistake gets the same sentence', () => {
  it.each(mistakes)('%s %j over HTTP, in code, in a scenario and as words', async (name, fields, step, words, sentence) => {
    expect(await request(name, fields)).toMatchObject({ status: 422, body: { message: sentence } })
    const actions = twin.actions as unknown as Readonly<Record<string, (values: object) => Promise<unknown>>>
    await expect(actions[name]?.(fields)).rejects.toThrow(sentence)
    expect(() => parseScenario(`steps:\n  - ${name}: ${step}\n`, { catalog })).toThrow(`: ${sentence}`)
    const { context, written } = testContext('/', 0)
    const codes: number[] = []
    await runProgram(['bench', name.replace('_', '-'), ...words.split(' '), '--url', url], {
      ...context,
      announce: context.print,
      setExitCode: (code: number) => void codes.push(code),
      stopped: () => new Promise(() => undefined),
    })
    expect([codes, written.hinted]).toEqual([[2], expect.stringContaining(sentence)])
  })

  it.each([
    ['doors.https-port', '70000', 70_000, integer({ min: 0, max: 65_535 })],
    ['doors.https-port', '-1', -1, integer({ min: 0, max: 65_535 })],
    ['doors.https-port', 'high', 'high', integer({ min: 0, max: 65_535 })],
    ['doors.https-port', '5V', '5V', integer({ min: 0, max: 65_535 })],
    ['events.streams', '1.5', 1.5, integer({ min: 1, max: 1024 })],
    ['mqtt.payload', 'plian', 'plian', choice(['plain', 'sparkplug'])],
    ['mqtt.sparkplug-group', 'a/b', 'a/b', formed('^[\\w.-]{1,64}$', '1…64 letters, digits, dots, dashes or underscores')],
  ])('%s: %s in settings.yaml and as a word of an option, as in JSON', (key, text, value, schema) => {
    const sentence = mistake(schema, value, key)
    const [group, inner] = key.split('.')
    const [problem] = parseSettings(`${group}:\n  ${inner}: ${text}\n`, 'settings.yaml').problems
    expect(problem && formatProblem(problem)).toBe(`settings.yaml:2: ${sentence}`)
    expect(() => word(key, wordOf(schema))(text)).toThrow(`${sentence}.`)
  })

  it.each([
    ['get 3/9', formed('^[0-7]/[1-6]$', 'a pin as slot/pin, as in 3/1'), '3/9', 'pin'],
    ['descriptor 8', integer({ min: 0, max: 7 }), 8, 'slot'],
    ['mode 3/1 digitl', choice(['analog', 'digital']), 'digitl', 'mode'],
    ['threshold 3/1 1A', decimal({ unit: 'mV' }), '1A', 'voltage'],
    ['serve --hardware twn', choice(['kernel', 'twin', 'auto']), 'twn', 'hardware'],
  ] as const)('slotwire %s, as in JSON', async (line, schema, value, field) => {
    const { context, written } = testContext('/', 0)
    const stopped = () => new Promise<never>(() => undefined)
    await runProgram(line.split(' '), { ...context, announce: context.print, setExitCode: () => undefined, stopped })
    expect(written.hinted).toContain(mistake(schema, value, field))
  })

  it('a setting that does not exist gets the sentence of a field that does not exist', () =>
    expect(parseSettings('doors:\n  htp-port: 80\n', 'settings.yaml').problems.map(formatProblem)).toEqual([
      `settings.yaml:2: ${compile(objectOf({ 'http-port': integer() }))({ 'htp-port': 80 })?.replace('htp', 'doors.htp')}`,
    ]))
})
