import {
  boolean,
  type ChoiceSchema,
  choice as choiceOf,
  type DecimalSchema,
  decimal,
  duration as durationWord,
  expectation,
  formed,
  mistake,
  type Schema,
  textOfForm,
  type ValueOf,
  wordOf,
} from '@slotwire/contract'
import { isVisible } from '@slotwire/core'
import { nameText, pinField, slotField } from '@slotwire/twin'
import { type FieldType, textType, word } from './field.ts'

/** A pin by slot and pin number. */
export interface PinPlace {
  readonly slot: number
  readonly pin: number
  /** `slot/pin`, as in `3/1`. */
  readonly name: string
}

/** Limit for texts for people. */
const MAX_TEXT_LENGTH = 1000
/** Longest duration in a scenario, in ms. */
const MAX_DURATION_MS = 2_592_000_000

/** A value of a schema, written as one text. Its mistakes have the same sentences as in JSON. */
export function leaf<Of extends Schema>(schema: Of): FieldType<ValueOf<Of>> {
  const { wording, read } = wordOf(schema)
  return { ...textType(expectation(schema), read), wording }
}

/** A duration, in ms. Its unit is required, except for 0. */
export const durationOf = (schema: DecimalSchema): FieldType<number> => word(durationWord(schema))

/** A duration from `min` ms to 30 days. */
export const durationFrom = (min: number): FieldType<number> =>
  durationOf(decimal({ unit: 'ms', min, max: MAX_DURATION_MS, range: `${min} ms to 720 h` }))

export const duration = durationFrom(0)

export const slotNumber = word(wordOf(slotField, `a slot, ${slotField.minimum}…${slotField.maximum}`))

/** A slot, or this word instead of one. */
export function slotOr<const Word extends string>(other: Word): FieldType<number | Word> {
  return {
    wording: `${slotNumber.wording}, or ${other}`,
    read: (tree, state, name) => (tree.kind === 'text' && tree.text === other ? other : slotNumber.read(tree, state, name)),
  }
}

export const pinPlace: FieldType<PinPlace> = textType(wordOf(pinField({})).wording, (text, name, { pin }) =>
  placeNamed(wordOf(pin).read(text, name)),
)

/** A pin by its name. */
export function placeNamed(name: string): PinPlace {
  const [slot = 0, pin = 0] = name.split('/').map(Number)
  return { slot, pin, name }
}

/** A pin by its name; undefined if no module type has it. */
export const existingPlace = (name: string, pin: Schema): PinPlace | undefined =>
  mistake(pin, name, 'pin') === undefined ? placeNamed(name) : undefined

export const yesOrNo: FieldType<boolean> = leaf(boolean())

/** One of several words. */
export const choice = <const Word extends string>(words: readonly Word[]): FieldType<Word> =>
  leaf<ChoiceSchema<Word>>(choiceOf(words))

/** A name that other steps can use. */
export const givenName = leaf(nameText)

/** A name from the device: of an action, a defect, a module type. */
export const deviceWord = leaf(formed('^[a-z0-9_]{1,64}$', 'a word in small letters, digits and _'))

const isLimited = (text: string): boolean => text.trim() !== '' && text.length <= MAX_TEXT_LENGTH

/** Text for people. */
export const freeText = word(textOfForm(`text, at most ${MAX_TEXT_LENGTH} characters`, isLimited))

/** One line of text for people, for reports. */
export const lineOfText = word(
  textOfForm(
    `one line of text without control characters, at most ${MAX_TEXT_LENGTH} characters`,
    (text) => isLimited(text) && isVisible(text),
  ),
)
