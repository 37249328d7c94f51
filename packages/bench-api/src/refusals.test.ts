import type { ObjectSchema, Schema } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { benchActions, typesIn } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { RecordingLog } from '../../driver/src/rack/recording-log.testkit.ts'
import { BenchDevice } from './bench-device.testkit.ts'

type Body = Readonly<Record<string, unknown>>
interface Place {
  readonly schema: ObjectSchema
  readonly path: string
  readonly value: Body
  /** The body with another value here. */
  readonly body: (value: Body) => Body
}

const fieldsOf = ({ properties }: ObjectSchema): readonly [string, Schema][] => Object.entries(properties)
const types = typesIn(catalog)

/** The body of an action, and the settings of each kind in it. */
function placesIn(place: Place): readonly Place[] {
  const inner = fieldsOf(place.schema).flatMap(([name, schema]) => {
    if (schema.type !== 'object') return []
    const valid = fieldsOf(schema).flatMap(([key, each]) =>
      schema.required.includes(key) ? [[key, each.examples?.[0] ?? ('minimum' in each ? each.minimum : '')]] : [],
    )
    const value = (place.value[name] ?? Object.fromEntries(valid)) as Body
    const body = (changed: Body): Body => place.body({ ...place.value, [name]: changed })
    return placesIn({ schema, path: `${place.path}${name}.`, value, body })
  })
  return [place, ...inner]
}

type Mistake = readonly [body: Body, message: string]

/** Every mistake that a schema refuses, with the beginning of the message. */
function mistakesAt({ schema, path, value, body }: Place): readonly Mistake[] {
  const unknown: Mistake = [body({ ...value, nonsense: 1 }), `${path}nonsense is unknown: `]
  const missing = schema.required.map((name): Mistake => {
    const { [name]: _, ...others } = value
    return [body(others), `${path}${name} is missing: `]
  })
  const wrong = fieldsOf(schema).flatMap(([name, field]) => {
    const mistake = (other: unknown, message: string): Mistake => [body({ ...value, [name]: other }), `${path}${name} ${message}`]
    const { minimum, maximum } = 'maximum' in field ? field : {}
    const range = `is out of range: ${'x-range' in field ? field['x-range'] : `${minimum}…${maximum}`}`
    return [
      mistake(field.type === 'array' ? {} : [], 'must be '),
      ...(maximum === undefined ? [] : [mistake(maximum + 1, range)]),
      ...(minimum === undefined ? [] : [mistake(minimum - 1, range)]),
      ...('pattern' in field || 'enum' in field ? [mistake('!', 'is not allowed: ')] : []),
    ]
  })
  return [unknown, ...missing, ...wrong]
}

const actions = Object.entries(benchActions(types)).filter(([, { body }]) => fieldsOf(body).length > 0)

describe('an action', () => {
  it.each(actions)('%s refuses each wrong field of its body, and each wrong setting in it', async (action, { body, example }) => {
    const device = await BenchDevice.start()
    const before = await device.get()
    const places = placesIn({ schema: body, path: '', value: example, body: (value) => value })
    for (const [wrong, message] of places.flatMap(mistakesAt)) {
      const refusal = { status: 422, message: expect.stringContaining(message) as string }
      expect({ wrong, ...(await device.post(action, wrong)) }).toMatchObject({ wrong, ...refusal })
    }
    expect(await device.get()).toEqual(before)
  })
})

const PIN = { pin: '3/1' }
const FAN = { slot: 1, defect: 'fan_blocked' }
/** Status of each code. */
const STATUS: Readonly<Record<string, number>> = {
  'invalid-field': 422,
  'bench-no-such-connection': 404,
  'bench-no-such-fault': 404,
}

type Refusal = readonly [
  action: string,
  body: Body | undefined,
  code: string,
  message: string,
  before?: readonly [string, Body?][],
]
const invalid = (action: string, body: Body, message: string): Refusal => [action, body, 'invalid-field', message]
const refused = (action: string, body: Body, message: string, ...before: [string, Body?][]): Refusal => [
  action,
  body,
  'bench-refused',
  message,
  before,
]

const refusals: readonly Refusal[] = [
  invalid('short', { pin: '3/7' }, 'pin is not allowed: a pin as slot/pin, as in 3/1, not "3/7"'),
  invalid('connect', { ...PIN, to: { sorce: {} } }, 'to.sorce is unknown: did you mean source?'),
  invalid('connect', { ...PIN, to: { resistor: { ohms: 1 } }, other: '3/1' }, 'other is pin 3/1 itself: name another pin'),
  invalid('connect', { ...PIN, to: { relay: { ohms: 1 } }, contact: ['3/2', '3/2'] }, 'contact is pin 3/2 twice: name two pins'),
  invalid(
    'connect',
    { ...PIN, to: { recorded_wave: { csv: '0,1\n1,x' } } },
    'csv has 1,x in line 2: write a time, at most 1000000 s, and in column 1 a voltage, -1000…1000 V, as in 0.5,3.3',
  ),
  invalid(
    'connect',
    { ...PIN, to: { recorded_wave: { csv: '0,1\n2,2\n1,3' } } },
    'csv goes back in time in line 3: sort its lines by time',
  ),
  invalid(
    'connect',
    { ...PIN, to: { button: { press_for_ms: 10 } } },
    'to.button.press_for_ms is unknown: allowed: volts, ohms, bounces, bounce_ms, seed and pressed',
  ),
  ['connect', { pin: '4/1', to: { diode: {} } }, 'bench-slot-empty', 'slot 4 is empty: plug a module first'],
  ['short', { pin: '4/1' }, 'bench-slot-empty', 'slot 4 is empty: plug a module first'],
  ['wire', { pins: ['3/1', '4/1'] }, 'bench-slot-empty', 'slot 4 is empty: plug a module first'],
  refused('disconnect', { of: '3/1' }, 'pin 3/1 has no connection'),
  [
    'disconnect',
    { of: 'c9' },
    'bench-no-such-connection',
    'connection c9 does not exist: GET /slotwire/bench/wiring lists all connections',
  ],
  ['set', { of: 'c9', ohms: 1 }, 'bench-no-such-connection', expect.stringMatching(/^connection c9 does not exist/) as string],
  ['set', { slot: 4, ohms: 1 }, 'bench-slot-empty', 'slot 4 is empty: plug a module first'],
  invalid('set', { of: 'c2', duty: 0.5 }, 'duty is unknown: allowed: ohms and volts'),
  invalid(
    'set',
    { of: 'c2', low_volts: 1, amplitude_volts: 2 },
    'amplitude_volts and low_volts exclude each other: give one of them',
  ),
  invalid(
    'set',
    { of: 'c2', pressed: false, press_for_ms: 2 },
    'press_for_ms and pressed exclude each other when pressed is false: give one of them',
  ),
  ['press', { slot: 2, action: 'shutdown_switch' }, 'bench-slot-empty', 'slot 2 is empty: plug a module first'],
  invalid('press', { slot: 3, action: 'shutdown_switch' }, 'action is not allowed: the module in this slot has none'),
  ['plug', { slot: 3, module: 'io' }, 'bench-slot-taken', 'slot 3 holds io already: unplug it first'],
  ['unplug', { slot: 2 }, 'bench-slot-empty', 'slot 2 is empty: plug a module first'],
  invalid('fault', { slot: 3, hang: {}, for: '10s' }, 'for is unknown: did you mean for_ms?'),
  ['break', { ...FAN, slot: 2 }, 'bench-slot-empty', 'slot 2 is empty: plug a module first'],
  refused('break', FAN, 'fan_blocked of the module in slot 1 is already active: clear it first', ['break', FAN]),
  ['clear_faults', { of: 'f7' }, 'bench-no-such-fault', 'fault f7 does not exist: GET /slotwire/bench/faults lists all faults'],
  ['factory_reset', { slot: 2 }, 'bench-slot-empty', 'slot 2 is empty: plug a module first'],
  [
    'factory_reset',
    { slot: 7 },
    'bench-module-not-up',
    'the module in slot 7 is not up: try again when the API lists it',
    [['plug', { slot: 7, module: 'io' }]],
  ],
  ['time/step', { ms: 1 }, 'bench-time-runs', expect.stringMatching(/^time is running: /) as string],
  invalid('time/step', { ms: 600_001 }, 'ms is out of range: 0 ms to 10 min, not 600001'),
  invalid('time/pace', { pace: -1 }, 'pace is out of range: 0…10000, not -1'),
  invalid('time/pace', { pace: 10_001 }, 'pace is out of range: 0…10000, not 10001'),
  invalid('scenario/start', { text: 'steps: [' }, expect.stringMatching(/^text is not a scenario: /) as string),
  ['scenario/stop', undefined, 'bench-no-scenario-runs', expect.stringMatching(/^no scenario is running: /) as string],
]

describe('POST', () => {
  const rows = refusals.map(([action, body, code, message, before = []]) => ({ action, body, code, message, before }))
  it.each(rows)(
    '$action with $body is refused, and logged, as $code: $message',
    async ({ action, body, code, message, before }) => {
      const log = new RecordingLog()
      const device = await BenchDevice.start({ log })
      for (const [first, its] of before) expect(await device.post(first, its)).toMatchObject({ status: 200 })
      const unchanged = await device.get()
      expect(await device.post(action, body)).toMatchObject({ status: STATUS[code] ?? 400, message })
      expect(await device.get()).toEqual(unchanged)
      const writes = log.linesOf('info').filter((line) => line.message === 'write')
      expect(writes.at(-1)?.fields).toMatchObject({ path: `/slotwire/bench/${action}`, refused: code })
    },
  )
})
