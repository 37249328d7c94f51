import type { ByteReader, ByteWriter } from './bytes.ts'
import { SdbpError, valueFault } from './errors.ts'

/**
 * One part of a payload, in both directions; `name` is its place for error messages. `write` throws an `SdbpError` with the fault `value`
 * for a value out of range; `read` one with `value` or `truncated`.
 */
export interface Field<Value> {
  write(writer: ByteWriter, value: Value, name: string): void
  read(reader: ByteReader, name: string): Value
}

export type ValueOf<F> = F extends Field<infer Value> ? Value : never

export interface Range {
  readonly min?: number
  readonly max?: number
  /** Physical unit, for messages and readers: `mV`, `ms`, `kHz`. */
  readonly unit?: string
}

/** A whole number of `size` bytes. `lowest` is its lowest value: 0 if unsigned, negative in two's complement. */
function whole(size: number, lowest: number, range: Range): Field<number> {
  const values = 256 ** size
  const highest = lowest + values - 1
  const min = range.min ?? lowest
  const max = range.max ?? highest
  const unit = range.unit === undefined ? '' : ` ${range.unit}`
  const check = (value: number, name: string): number => {
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw valueFault(name, value, `${min}…${max}${unit}`)
  }
  return {
    write: (writer, value, name) => {
      const checked = check(value, name)
      writer.unsigned(checked < 0 ? checked + values : checked, size)
    },
    read: (reader, name) => {
      const number = reader.unsigned(size)
      return check(number > highest ? number - values : number, name)
    },
  }
}

/** Unsigned 8-bit number. */
export const u8 = (range: Range = {}): Field<number> => whole(1, 0, range)
/** Unsigned 16-bit number, big-endian. */
export const u16 = (range: Range = {}): Field<number> => whole(2, 0, range)
/** Unsigned 32-bit number, big-endian. */
export const u32 = (range: Range = {}): Field<number> => whole(4, 0, range)

/** Signed 16-bit number, two's complement, big-endian. */
export const i16 = (range: Range = {}): Field<number> => whole(2, -32_768, range)

/** A byte that means a word: `enumOf({ disabled: 0, rising: 1 })`. */
export function enumOf<const Codes extends Record<string, number>>(codes: Codes): Field<keyof Codes & string> {
  const words = new Map(Object.entries(codes).map(([word, code]) => [code, word]))
  return {
    write: (writer, value, name) => {
      const code = Object.hasOwn(codes, value) ? codes[value] : undefined
      if (code === undefined) throw valueFault(name, value, `one of ${Object.keys(codes).join(', ')}`)
      writer.unsigned(code, 1)
    },
    read: (reader, name) => {
      const code = reader.unsigned(1)
      const word = words.get(code)
      if (word === undefined)
        throw new SdbpError('value', `${name} has code ${code}: one of ${Object.values(codes).join(', ')}`, name)
      return word
    },
  }
}

/** A byte that means true or false. */
export function flag(codes: { readonly yes: number; readonly no: number }): Field<boolean> {
  const word = enumOf(codes)
  return {
    write: (writer, value, name) => word.write(writer, value ? 'yes' : 'no', name),
    read: (reader, name) => word.read(reader, name) === 'yes',
  }
}

/** A byte that is always the same. */
export function constant(code: number): Field<void> {
  return {
    write: (writer) => writer.unsigned(code, 1),
    read: (reader, name) => {
      const number = reader.unsigned(1)
      if (number !== code) throw valueFault(name, number, String(code))
    },
  }
}

/** A number that is one lower on the wire than its value. */
export function minusOne(field: Field<number>): Field<number> {
  return {
    write: (writer, value, name) => field.write(writer, value - 1, name),
    read: (reader, name) => field.read(reader, name) + 1,
  }
}

/** Exactly `size` bytes. */
export function bytes(size: number): Field<Uint8Array> {
  return {
    write: (writer, value, name) => {
      if (value.length !== size) throw new SdbpError('value', `${name} has ${value.length} bytes: ${size} expected`, name)
      writer.bytes(value)
    },
    read: (reader) => reader.bytes(size).slice(),
  }
}

/** The same field exactly `count` times. */
export function list<Value>(count: number, item: Field<Value>): Field<readonly Value[]> {
  return {
    write: (writer, values, name) => {
      if (values.length !== count) throw new SdbpError('value', `${name} has ${values.length} items: ${count} expected`, name)
      for (let index = 0; index < count; index++) item.write(writer, values[index] as Value, `${name}[${index}]`)
    },
    read: (reader, name) => {
      const values: Value[] = []
      for (let index = 0; index < count; index++) values.push(item.read(reader, `${name}[${index}]`))
      return values
    },
  }
}

export type Shape = Readonly<Record<string, Field<unknown>>>
export type StructValue<S> = { readonly [Name in keyof S as ValueOf<S[Name]> extends void ? never : Name]: ValueOf<S[Name]> }

/** Named fields in their declared order. */
export function struct<const S extends Shape>(shape: S): Field<StructValue<S>> {
  const entries = Object.entries<Field<unknown>>(shape)
  return {
    write: (writer, value, name) => {
      for (const [key, field] of entries) field.write(writer, (value as Record<string, unknown>)[key], joined(name, key))
    },
    read: (reader, name) => {
      const value: Record<string, unknown> = {}
      for (const [key, field] of entries) {
        const part = field.read(reader, joined(name, key))
        if (part !== undefined) value[key] = part
      }
      return value as StructValue<S>
    },
  }
}

function joined(name: string, key: string): string {
  return name === '' ? key : `${name}.${key}`
}

/** One part of a descriptor text. The module returns the next part at the next request, until `last`. */
export interface TextPart {
  readonly last: boolean
  readonly text: string
}

/** Longest part in bytes, including the last part's NUL: the limit of the length byte. */
const MAX_PART_SIZE = 255
/** Printable ASCII except `%`. */
const ALLOWED = /^[\x20-\x24\x26-\x7e]*$/

function checkText(text: string, name: string): void {
  if (!ALLOWED.test(text)) throw new SdbpError('value', `${name} is not printable ASCII without %`, name)
}

/** Chaining byte (0 = last part), length, ASCII. The last part's length includes a terminating NUL. */
export const textPart: Field<TextPart> = {
  write: (writer, { last, text }, name) => {
    checkText(text, `${name}.text`)
    const size = text.length + (last ? 1 : 0)
    if (size > MAX_PART_SIZE) throw new SdbpError('value', `${name}.text takes ${size} bytes: 0…${MAX_PART_SIZE}`, `${name}.text`)
    writer.unsigned(last ? 0 : 1, 1)
    writer.unsigned(size, 1)
    writer.bytes(new TextEncoder().encode(text))
    if (last) writer.unsigned(0, 1)
  },
  read: (reader, name) => {
    const last = reader.unsigned(1) === 0
    const part = reader.bytes(reader.unsigned(1))
    const text = String.fromCharCode(...(last ? part.subarray(0, -1) : part))
    if (last && part.at(-1) !== 0) throw new SdbpError('value', `${name}.text does not end in NUL`, `${name}.text`)
    checkText(text, `${name}.text`)
    return { last, text }
  },
}
