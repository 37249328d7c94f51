import { describe, expect, it } from 'vitest'
import { ByteReader, ByteWriter } from './bytes.ts'
import { SdbpError } from './errors.ts'
import { bytes, constant, enumOf, type Field, flag, i16, list, minusOne, struct, u8, u16, u32 } from './fields.ts'
import { faultOf, fromHex, toHex } from './hex.testkit.ts'

function write<Value>(field: Field<Value>, value: unknown): string {
  const writer = new ByteWriter()
  field.write(writer, value as Value, 'field')
  return toHex(writer.finish())
}

function read<Value>(field: Field<Value>, hex: string): Value {
  return field.read(new ByteReader(fromHex(hex)), 'field')
}

const writeFault = (field: Field<unknown>, value: unknown) => faultOf(() => write(field, value))
const readFault = (field: Field<unknown>, hex: string) => faultOf(() => read(field, hex))

const fields: [string, Field<unknown>][] = [
  ['u8', u8()],
  ['u16', u16()],
  ['u32', u32()],
  ['i16 from 0', i16({ min: 0 })],
  ['enumOf', enumOf({ low: 0, high: 1 })],
  ['flag', flag({ yes: 1, no: 2 })],
  ['minusOne', minusOne(u32())],
  ['bytes', bytes(2)],
  ['list', list(2, u8())],
  ['struct', struct({ pin: u8() })],
]

describe.each(fields)('%s', (_name, field) => {
  it('reports too few bytes: truncated', () => expect(readFault(field, '')).toBe('truncated'))
})

it.each([u8(), u16(), u32(), i16({ min: 0 }), minusOne(u32())])(
  'a whole number is neither NaN, Infinity, 1.5 nor -1',
  (field) => {
    const wrong = [Number.NaN, Number.POSITIVE_INFINITY, 1.5, -1]
    expect(wrong.map((value) => writeFault(field as Field<unknown>, value))).toEqual(wrong.map(() => 'value'))
  },
)

describe('u8, u16, u32', () => {
  it('are big-endian', () => {
    expect(write(u8(), 0xfe)).toBe('FE')
    expect(write(u16(), 0x1234)).toBe('12 34')
    expect(write(u32(), 0xdeadbeef)).toBe('DE AD BE EF')
    expect(read(u32(), 'DE AD BE EF')).toBe(0xdeadbeef)
    expect(read(u16(), '12 34')).toBe(0x1234)
  })

  it('have the limits of their size', () => {
    expect(write(u8(), 255)).toBe('FF')
    expect(writeFault(u8(), 256)).toBe('value')
    expect(writeFault(u16(), 65_536)).toBe('value')
    expect(write(u32(), 4_294_967_295)).toBe('FF FF FF FF')
    expect(writeFault(u32(), 4_294_967_296)).toBe('value')
  })

  it('accept their range in both directions, and name it in errors', () => {
    const threshold = u16({ min: 50, max: 25_000, unit: 'mV' })
    expect(write(threshold, 50)).toBe('00 32')
    expect(read(threshold, '61 A8')).toBe(25_000)
    expect(readFault(threshold, '61 A9')).toBe('value')
    expect(() => write(threshold, 49)).toThrow(new SdbpError('value', 'field is 49: 50…25000 mV', 'field'))
  })
})

describe('i16', () => {
  it.each([
    [-32_768, '80 00'],
    [-1, 'FF FF'],
    [32_767, '7F FF'],
  ])('is big-endian two’s complement: %i is %s', (value, hex) => {
    expect(write(i16(), value)).toBe(hex)
    expect(read(i16(), hex)).toBe(value)
  })

  it('accepts its range in both directions, and names it in errors', () => {
    const temperature = i16({ min: -400, max: 850, unit: '0.1 °C' })
    expect(read(temperature, 'FE 70')).toBe(-400)
    expect(() => read(temperature, 'FE 6F')).toThrow('field is -401: -400…850 0.1 °C')
    expect(() => write(i16(), 32_768)).toThrow(new SdbpError('value', 'field is 32768: -32768…32767', 'field'))
  })
})

describe('enumOf', () => {
  const trigger = enumOf({ disabled: 0, rising: 1, falling: 2 })

  it('writes words as their codes and reads them', () => {
    expect(write(trigger, 'falling')).toBe('02')
    expect(read(trigger, '00')).toBe('disabled')
  })

  it('refuses unknown words and codes, and names of object methods', () => {
    expect(writeFault(trigger, 'Rising')).toBe('value')
    expect(writeFault(trigger, 'toString')).toBe('value')
    expect(readFault(trigger, '03')).toBe('value')
  })
})

it('flag has only its two codes', () => {
  const enabled = flag({ yes: 1, no: 2 })
  expect(write(enabled, true)).toBe('01')
  expect(write(enabled, false)).toBe('02')
  expect(read(enabled, '02')).toBe(false)
  expect(readFault(enabled, '00')).toBe('value')
})

it('constant writes its byte and reads only that', () => {
  expect(write(constant(2), undefined)).toBe('02')
  expect(readFault(constant(2), '02')).toBe('none')
  expect(readFault(constant(2), '01')).toBe('value')
  expect(readFault(constant(2), '')).toBe('truncated')
})

describe('minusOne', () => {
  const period = minusOne(u32({ min: 1, max: 65_535 }))

  it('is one lower on the wire: 100 is sent as 99', () => {
    expect(write(period, 100)).toBe('00 00 00 63')
    expect(read(period, '00 00 00 63')).toBe(100)
  })

  it('keeps its bounds: 2…65536', () => {
    expect(write(period, 2)).toBe('00 00 00 01')
    expect(write(period, 65_536)).toBe('00 00 FF FF')
    expect(writeFault(period, 1)).toBe('value')
    expect(writeFault(period, 65_537)).toBe('value')
    expect(readFault(period, '00 00 00 00')).toBe('value')
  })
})

it('bytes have exactly this size, and are copied', () => {
  const payload = fromHex('AA BB')
  const found = bytes(2).read(new ByteReader(payload), 'field')
  payload.fill(0)
  expect(toHex(found)).toBe('AA BB')
  expect(write(bytes(2), fromHex('AA BB'))).toBe('AA BB')
  expect(writeFault(bytes(2), fromHex('AA'))).toBe('value')
  expect(readFault(bytes(2), 'AA')).toBe('truncated')
})

describe('list', () => {
  const pair = list(2, u8({ max: 6 }))

  it('has exactly this length', () => {
    expect(write(pair, [1, 2])).toBe('01 02')
    expect(read(pair, '01 02')).toEqual([1, 2])
    expect(writeFault(pair, [1])).toBe('value')
    expect(writeFault(pair, [1, 2, 3])).toBe('value')
    expect(readFault(pair, '01')).toBe('truncated')
  })

  it('names the item that is wrong', () => expect(() => write(pair, [1, 7])).toThrow('field[1] is 7: 0…6'))
})

describe('struct', () => {
  const output = struct({ pin: u8({ min: 1, max: 6 }), mode: constant(1), level: enumOf({ low: 0, high: 1 }) })

  it('keeps the declared order, and leaves constants out of the value', () => {
    expect(write(output, { level: 'high', pin: 3 })).toBe('03 01 01')
    expect(read(output, '03 01 01')).toEqual({ pin: 3, level: 'high' })
  })

  it('refuses a missing field and names it', () => {
    expect(() => write(output, { pin: 3 })).toThrow(
      new SdbpError('value', 'field.level is undefined: one of low, high', 'field.level'),
    )
    expect(() => read(output, '07 01 01')).toThrow('field.pin is 7: 1…6')
  })

  it('ignores unknown fields', () => expect(write(output, { pin: 3, level: 'low', colour: 'red' })).toBe('03 01 00'))
})
