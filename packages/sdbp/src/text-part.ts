import { SdbpError, valueFault } from './errors.ts'
import type { Field } from './fields.ts'

/** One part of a descriptor text. The module returns the next part at the next request, until `last`. */
export interface TextPart {
  readonly last: boolean
  readonly text: string
}

/** Longest part in bytes, including the last part's NUL: the limit of the length byte. */
const MAX_PART_SIZE = 255
/** Printable ASCII except `%`. */
const ALLOWED = /^[\x20-\x24\x26-\x7e]*$/

function check(text: string, name: string): void {
  if (!ALLOWED.test(text)) throw new SdbpError('value', `${name} is not printable ASCII without %`, name)
}

/** Chaining byte (0 = last part), length, ASCII. The last part's length includes a terminating NUL. */
export const textPart: Field<TextPart> = {
  write: (writer, part, name) => {
    if (typeof part !== 'object' || part === null) throw valueFault(name, part, 'an object of last, text')
    const { last, text } = part
    if (typeof last !== 'boolean') throw valueFault(`${name}.last`, last, 'true or false')
    if (typeof text !== 'string') throw valueFault(`${name}.text`, text, 'a text')
    check(text, `${name}.text`)
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
    check(text, `${name}.text`)
    return { last, text }
  },
}
