import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyObject,
  boolean,
  choice,
  decimal,
  integer,
  integerChoice,
  listOf,
  literal,
  objectOf,
  text,
  unsigned,
} from './fields.ts'
import { compile, compileBody } from './validation.ts'

const body = objectOf(
  {
    pin: integer({ min: 1, max: 6 }),
    duration: integer({ min: 1, max: 1000, unit: 'ms' }),
    mode: choice(['analog', 'digital']),
    trigger: choice(['disabled', 'rising', 'falling']),
    percent: integerChoice([0, 20, 100], { unit: '%' }),
    state: boolean(),
    reset: literal('yes'),
    config: listOf(objectOf({ rail: choice(['5_volt', '12_volt']), current: integer({ min: 0, max: 500, unit: 'mA' }) }), {
      count: 2,
      onePer: 'pin',
    }),
    delay: integer({ min: 0, max: 9, range: '0, or 5…9 ms' }),
    note: text(),
    celsius: decimal({ unit: '°C' }),
    any: integer(),
    upwards: unsigned(),
  },
  { optional: ['duration', 'trigger', 'percent', 'state', 'reset', 'config', 'delay', 'note', 'celsius', 'any', 'upwards'] },
)
const item = { rail: '5_volt', current: 10 }
const validate = compile(body, 'the body')
/** The message for a valid body with these fields replaced. */
const messageFor = (fields: object) => validate({ pin: 1, mode: 'analog', ...fields })

it.each([
  ['the smallest one', {}],
  ['every field', { duration: 1000, trigger: 'rising', percent: 20, state: false, reset: 'yes', config: [item, item], note: '' }],
  ['numbers', { celsius: -1.5, any: -3, upwards: 0 }],
  ['a whole number written as 1.0', JSON.parse('{"pin":1.0}') as object],
  ['a whole number written as 1e2', JSON.parse('{"duration":1e2}') as object],
  ['minus zero', JSON.parse('{"upwards":-0}') as object],
])('a valid body is accepted: %s', (_, fields) => expect(messageFor(fields)).toBeUndefined())

describe('an invalid body', () => {
  it.each([
    [{ duration: 0 }, 'duration is out of range: 1…1000 ms, not 0'],
    [{ duration: 1001 }, 'duration is out of range: 1…1000 ms, not 1001'],
    [JSON.parse('{"duration":1e400}'), 'duration is out of range: 1…1000 ms, not Infinity'],
    [JSON.parse('{"duration":-1e400}'), 'duration is out of range: 1…1000 ms, not -Infinity'],
    [JSON.parse('{"any":1e400}'), 'any is out of range: any whole number, not Infinity'],
    [JSON.parse('{"celsius":1e400}'), 'celsius is out of range: it is too large a number'],
    [{ upwards: -1 }, 'upwards is out of range: at least 0, not -1'],
    [{ pin: 7 }, 'pin is out of range: 1…6, not 7'],
    [{ pin: '1' }, 'pin must be an integer, not "1": 1…6'],
    [{ pin: null }, 'pin must be an integer, not null: 1…6'],
    [{ pin: [1] }, 'pin must be an integer, not an array: 1…6'],
    [{ pin: {} }, 'pin must be an integer, not an object: 1…6'],
    [{ pin: true }, 'pin must be an integer, not a boolean: 1…6'],
    [{ pin: 1.5 }, 'pin must be a whole number: 1…6, not 1.5'],
    [{ delay: -1 }, 'delay is out of range: 0, or 5…9 ms, not -1'],
    [{ delay: Number.POSITIVE_INFINITY }, 'delay is out of range: 0, or 5…9 ms, not Infinity'],
    [{ delay: null }, 'delay must be an integer, not null: 0, or 5…9 ms'],
    [{ pin: Number.NaN }, 'pin is out of range: 1…6, not NaN'],
    [{ mode: 'output' }, 'mode is not allowed: analog or digital, not "output"'],
    [{ mode: 'Analog' }, 'mode is not allowed: analog or digital, not "Analog"; did you mean analog?'],
    [{ mode: 1 }, 'mode must be a string, not a number: analog or digital'],
    [{ mode: '\x1b[2J\u202e' }, 'mode is not allowed: analog or digital, not "\\u{1b}[2J\\u{202e}"'],
    [{ mode: 'x'.repeat(60_000) }, `mode is not allowed: analog or digital, not "${'x'.repeat(40)}…"`],
    [{ trigger: 'up' }, 'trigger is not allowed: disabled, rising or falling, not "up"'],
    [{ percent: 30 }, 'percent is not allowed: 0, 20 or 100 %, not 30'],
    [{ percent: '20' }, 'percent must be an integer, not "20": 0, 20 or 100 %'],
    [{ state: 1 }, 'state must be true or false, not a number'],
    [{ reset: 'no' }, 'reset is not allowed: it must be yes, not "no"'],
    [{ reset: true }, 'reset must be a string, not a boolean: it must be yes'],
    [{ note: 1 }, 'note must be a string, not a number'],
    [{ celsius: '20' }, 'celsius must be a number, not "20": in °C'],
    [{ config: 'x' }, 'config must be an array, not "x"'],
    [{ config: [item] }, 'config must have 2 items: one per pin'],
    [{ config: [item, item, item] }, 'config must have 2 items: one per pin'],
    [{ config: [item, null] }, 'config[1] must be an object, not null'],
    [
      { config: [item, { ...item, rail: '3_volt' }] },
      'config[1].rail is not allowed: 5_volt or 12_volt, not "3_volt"; did you mean 5_volt?',
    ],
    [{ config: [item, { ...item, current: 501 }] }, 'config[1].current is out of range: 0…500 mA, not 501'],
    [{ config: [{ current: 1 }, item] }, 'config[0].rail is missing: 5_volt or 12_volt'],
    [{ config: [{ ...item, Rail: 1 }, item] }, 'config[0].Rail is unknown: allowed: rail and current'],
    [{ config: [{ current: 1, Rail: '5_volt' }, item] }, 'config[0].Rail is unknown: did you mean rail?'],
  ])('%j gets the message: %s', (fields: object, message) => expect(messageFor(fields)).toBe(message))

  it.each([[[]], ['text'], [1], [null], [true], [undefined]])('%j is refused: not an object', (value) =>
    expect(validate(value)).toBe('the body must be a JSON object'),
  )
})

describe('a missing field', () => {
  const expectations = [
    ['pin', integer({ min: 1, max: 6 }), 'pin is missing: an integer from 1 to 6'],
    ['limit', integer({ min: 1001, max: 5949, unit: 'mA' }), 'limit is missing: an integer from 1001 to 5949 mA'],
    ['count', unsigned(), 'count is missing: an integer of at least 0'],
    ['offset', integer({ max: 3 }), 'offset is missing: an integer of at most 3'],
    ['delay', integer({ min: 0, range: '0, or 5…9 ms' }), 'delay is missing: an integer (0, or 5…9 ms)'],
    ['any', integer(), 'any is missing: an integer'],
    ['fan_mode', integerChoice([0, 20, 40], { unit: '%' }), 'fan_mode is missing: 0, 20 or 40 %'],
    ['state', boolean(), 'state is missing: true or false'],
    ['reset', literal('yes'), 'reset is missing: yes'],
    ['note', text(), 'note is missing: a string'],
    ['ntc', decimal({ unit: '°C' }), 'ntc is missing: a number in °C'],
    ['config', listOf(boolean(), { count: 6, onePer: 'pin' }), 'config is missing: an array of 6 items, one per pin'],
    ['list', listOf(boolean()), 'list is missing: an array'],
    ['item', objectOf({ a: boolean(), b: boolean() }), 'item is missing: an object with a and b'],
  ] as const
  it.each(expectations)('gets the message: %s', (name, field, message) =>
    expect(compileBody({ body: objectOf({ [name]: field }) })({})).toBe(message),
  )
})

describe('an unknown field', () => {
  const fields = compile(objectOf({ pin: integer(), threshold_millivolt: integer(), mode: text() }), 'the body')

  it.each([
    ['Pin', 'pin'],
    ['PIN', 'pin'],
    ['pn', 'pin'],
    ['treshold_millivolt', 'threshold_millivolt'],
    ['thresholdMillivolt', 'threshold_millivolt'],
    ['threshold', 'threshold_millivolt'],
    ['moed', 'mode'],
  ])('%s gets the suggestion %s', (written, meant) =>
    expect(fields({ [written]: 1 })).toBe(`${written} is unknown: did you mean ${meant}?`),
  )

  it('is reported before a missing one that was probably meant', () =>
    expect(fields({ mode: 'x', Pin: 1, threshold_millivolt: 1 })).toBe('Pin is unknown: did you mean pin?'))

  it('gets no suggestion of a field that is present', () =>
    expect(fields({ pin: 1, Pin: 1 })).toBe('Pin is unknown: allowed: pin, threshold_millivolt and mode'))

  it('gets the list of fields if none is similar', () =>
    expect(fields({ colour: 1 })).toBe('colour is unknown: allowed: pin, threshold_millivolt and mode'))

  it('__proto__ is treated like any other', () => {
    expect(fields(JSON.parse('{"__proto__":1}'))).toMatch(/^__proto__ is unknown/)
    expect(fields(JSON.parse('{"__proto__":{"pin":1,"threshold_millivolt":1,"mode":"x"}}'))).toMatch(/^__proto__ is unknown/)
  })

  it.each(['constructor', 'toString', 'hasOwnProperty'])('does not count as present through inheritance: %s', (name) =>
    expect(compile(objectOf({ [name]: text() }), 'the body')({})).toBe(`${name} is missing: a string`),
  )

  it('is quoted and cut if its name is unusual or long', () => {
    expect(fields({ 'a\n"b': 1 })).toMatch(/^"a\\n"b" is unknown/)
    expect(fields({ ['x'.repeat(60_000)]: 1 })).toMatch(/^"x{40}…" is unknown/)
  })
})

describe('rules between fields', () => {
  const endpoint = {
    body: objectOf({ low: integer(), high: integer() }),
    check: ({ low, high }: { readonly low: number; readonly high: number }) =>
      low < high ? undefined : 'low must be below high',
  }
  const withRule = compileBody(endpoint)

  it('are checked after the schema', () => {
    expect(withRule({ low: 'x', high: 1 })).toBe('low must be an integer, not "x"')
    expect(withRule({ low: 2, high: 1 })).toBe('low must be below high')
    expect(withRule({ low: 1, high: 2 })).toBeUndefined()
  })

  it('are not checked on an endpoint without a body, which accepts any body', () =>
    expect(compileBody({})('whatever')).toBeUndefined())
})

it('give undefined or a message of bounded length for any JSON value, and never throw', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(body.properties), '__proto__'), fc.string()), fc.jsonValue()),
  )
  fc.assert(
    fc.property(value, (any) => {
      const message = validate(any)
      if (message !== undefined) expect(message.length).toBeLessThan(400)
    }),
  )
})

describe('decimals within bounds, and texts of a length', () => {
  const source = objectOf({ volts: decimal({ min: -1.5, max: 2, unit: 'V' }), name: text({ max: 3 }) }, { optional: ['name'] })
  const validateSource = compile(source, 'the body')

  it.each([
    [{ volts: -1.5, name: 'abc' }, undefined],
    [{ volts: 2 }, undefined],
    [{ volts: 2.000001 }, 'volts is out of range: -1.5…2 V, not 2.000001'],
    [{ volts: Number.POSITIVE_INFINITY }, 'volts is out of range: -1.5…2 V, not Infinity'],
    [{ volts: '1' }, 'volts must be a number, not "1": -1.5…2 V'],
    [{}, 'volts is missing: a number from -1.5 to 2 V'],
    [{ volts: 0, name: 'abcd' }, 'name is too long: at most 3 characters'],
  ])('%j gets the message: %s', (value, message) => expect(validateSource(value)).toBe(message))

  it('a number without bounds accepts any number', () => {
    const any = compile(decimal({ unit: 'V' }), 'volts')
    expect([any(1e300), any('x'), any(Number.POSITIVE_INFINITY)]).toEqual([
      undefined,
      'volts must be a number, not "x": in V',
      'volts is out of range: it is too large a number',
    ])
  })
})

describe('objects', () => {
  it('report that they have no fields', () =>
    expect(compile(objectOf({}), 'the body')({ a: 1 })).toBe('a is unknown: there are no fields here'))

  it('accept any fields if declared so', () => {
    expect(compile(anyObject(), 'the body')({ a: 1, b: [] })).toBeUndefined()
    expect(compile(anyObject(), 'the body')([])).toBe('the body must be a JSON object')
  })
})
