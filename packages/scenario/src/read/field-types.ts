import {
  boolean,
  type ChoiceSchema,
  choice as choiceOf,
  expectation,
  fromText,
  missingField,
  mistake,
  rangeText,
  type Schema,
  type ValueOf,
} from '@slotwire/contract'
import { isVisible, shown } from '@slotwire/core'
import { SLOT_COUNT } from '@slotwire/twin'
import { type FieldType, textType } from './field.ts'
import { jsonOf } from './json.ts'
import type { Reading } from './reading.ts'

/** A pin by slot and pin number. */
export interface PinPlace {
  readonly slot: number
  readonly pin: number
  /** `slot/pin`, as in `3/1`. */
  readonly name: string
}

const MAX_SLOT = SLOT_COUNT - 1
/** Limits for given names, and for texts for people. */
const MAX_NAME_LENGTH = 64
const MAX_TEXT_LENGTH = 1000

/** A type with single-word values. */
export function word<Value>(
  wording: string,
  parse: (text: string, name: string, reading: Reading) => Value | string,
): FieldType<Exclude<Value, string>> {
  return textType(wording, (text, name, fail, reading) => {
    const value = parse(text, name, reading)
    return typeof value === 'string' ? fail(value) : (value as Exclude<Value, string>)
  })
}

/** How a value of a schema is written, for the tables of the guide: `0…1 V`. */
function wordingOf(schema: Schema): string {
  if (schema.type === 'string' && 'enum' in schema) return schema.enum.join(', ')
  if (schema.type === 'string' && 'maxLength' in schema) return `text, at most ${schema.maxLength} characters`
  if ((schema.type !== 'integer' && schema.type !== 'number') || 'enum' in schema) return expectation(schema)
  const range = rangeText({ min: schema.minimum, max: schema.maximum, unit: schema['x-unit'] })
  return schema.type === 'integer' ? `a whole number, ${range}` : range
}

/** A value of a schema, written as one text. Its mistakes have the same sentences as in JSON. */
export function leaf<Of extends Schema>(schema: Of): FieldType<ValueOf<Of>> {
  return {
    wording: wordingOf(schema),
    read: (tree, reading, name) => {
      if (tree.kind === 'nothing') return reading.fail(tree, missingField(name, expectation(schema)))
      const value = tree.kind === 'text' ? fromText(tree.text, schema) : jsonOf(tree)
      const problem = mistake(schema, value, name)
      return problem === undefined ? (value as ValueOf<Of>) : reading.fail(tree, problem)
    },
  }
}

export const slotNumber: FieldType<number> = word(`a slot, 0…${MAX_SLOT}`, (text, name) =>
  /^\d$/.test(text) && Number(text) <= MAX_SLOT ? Number(text) : `${name}: there is no slot ${shown(text)}: 0…${MAX_SLOT}`,
)

/** A slot, or this word instead of one. */
export function slotOr<const Word extends string>(other: Word): FieldType<number | Word> {
  return {
    wording: `${slotNumber.wording}, or ${other}`,
    read: (tree, reading, name) => (tree.kind === 'text' && tree.text === other ? other : slotNumber.read(tree, reading, name)),
  }
}

export const pinPlace: FieldType<PinPlace> = word('a pin as slot/pin, as in 3/1', (text, name, { maxPins }) => {
  const [, slot, pin] = /^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []
  if (slot === undefined || pin === undefined) return `${name} is ${shown(text)}: write slot/pin, as in 3/1`
  return (
    placeOf(Number(slot), Number(pin), maxPins) ??
    `${name}: there is no pin ${text}: slots 0…${MAX_SLOT}, pins 1…${maxPins}, as in 3/1`
  )
})

/** A pin by its numbers; undefined if no module type has it. */
export function placeOf(slot: number, pin: number, maxPins: number): PinPlace | undefined {
  const exists = Number.isInteger(slot) && slot >= 0 && slot <= MAX_SLOT && Number.isInteger(pin) && pin >= 1 && pin <= maxPins
  return exists ? { slot, pin, name: `${slot}/${pin}` } : undefined
}

export const yesOrNo: FieldType<boolean> = leaf(boolean())

/** One of several words. */
export const choice = <const Word extends string>(words: readonly Word[]): FieldType<Word> =>
  leaf<ChoiceSchema<Word>>(choiceOf(words))

function limited(wording: string, fits: (text: string) => boolean): FieldType<string> {
  return textType(wording, (text, name, fail) => (fits(text) ? text : fail(`${name} is ${shown(text)}: write ${wording}`)))
}

/** A name that other steps can use. */
export const givenName: FieldType<string> = limited(
  `a name: letters, digits, - and _, at most ${MAX_NAME_LENGTH}`,
  (text) => text.length <= MAX_NAME_LENGTH && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(text),
)

/** A name from the device: of an action, a defect, a module type. */
export const deviceWord: FieldType<string> = limited('a word in small letters, digits and _', (text) =>
  /^[a-z0-9_]{1,64}$/.test(text),
)

/** Text of at most this many UTF-16 units. */
export function textUpTo(maxLength: number): FieldType<string> {
  return limited(`text, at most ${maxLength} characters`, (text) => text.trim() !== '' && text.length <= maxLength)
}

/** Text for people. */
export const freeText: FieldType<string> = textUpTo(MAX_TEXT_LENGTH)

/** One line of text for people, for reports. */
export const lineOfText: FieldType<string> = limited(
  `one line of text without control characters, at most ${MAX_TEXT_LENGTH} characters`,
  (text) => text.trim() !== '' && text.length <= MAX_TEXT_LENGTH && isVisible(text),
)
