import { SdbpError } from './errors.ts'
import type { Field } from './fields.ts'

/** One piece of a descriptor text. The module gives the next piece at the next request, until `last`. */
export interface TextPart {
  readonly last: boolean
  readonly text: string
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

function check(text: string, name: string): void {
  if (!PRINTABLE_ASCII.test(text) || text.includes('%')) throw new SdbpError('value', `${name} is not printable ASCII without %`, name)
}

/** Chaining byte (0 = last part), length, ASCII; the last part's length counts a terminating NUL. */
export const textPart: Field<TextPart> = {
  write: (writer, { last, text }, name) => {
    check(text, name)
    writer.unsigned(last ? 0 : 1, 1)
    writer.unsigned(text.length + (last ? 1 : 0), 1)
    writer.bytes(new TextEncoder().encode(text))
    if (last) writer.unsigned(0, 1)
  },
  read: (reader, name) => {
    const last = reader.unsigned(1) === 0
    const part = reader.bytes(reader.unsigned(1))
    const text = String.fromCharCode(...(last ? part.subarray(0, -1) : part))
    if (last && part.at(-1) !== 0) throw new SdbpError('value', `${name} does not end in NUL`, name)
    check(text, name)
    return { last, text }
  },
}
