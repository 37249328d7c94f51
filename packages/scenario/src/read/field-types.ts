import { isVisible, type NumberValue, problemOf, shown, type TextValue, wordingOf } from '@slotwire/core'
import { SLOT_COUNT } from '@slotwire/twin'
import { type FieldType, textType } from './field.ts'
import { readQuantity } from './quantity.ts'
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
const PERCENT = 100

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

/** A declared number, with or without its unit. */
export function quantity(declared: NumberValue): FieldType<number> {
  return word(wordingOf(declared), (text, name) => {
    const figure = readQuantity(text, declared.unit)
    if ('problem' in figure) return `${name}: ${figure.problem}${Number.isFinite(declared.max) ? `, ${wordingOf(declared)}` : ''}`
    const problem = problemOf(declared, figure.value)
    if (problem === undefined) return figure.value
    // 30 instead of 30%.
    const isPercent =
      declared.unit === '' && declared.max === 1 && /\d$/.test(text) && figure.value > 0 && figure.value <= PERCENT
    return isPercent
      ? `${name} is ${shown(text)}: write ${shown(text)}%, or a share of ${wordingOf(declared)}`
      : `${name} ${problem}`
  })
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

export const yesOrNo: FieldType<boolean> = word(wordingOf({ type: 'boolean' }), (text, name) => {
  if (text === 'true' || text === 'false') return text === 'true'
  return `${name} ${problemOf({ type: 'boolean' }, text)}`
})

/** Any text with a limit. */
export function textWithin(declared: TextValue): FieldType<string> {
  return textType(wordingOf(declared), (text, name, fail) => {
    const problem = problemOf(declared, text)
    return problem === undefined ? text : fail(`${name} ${problem}`)
  })
}

/** One of several words. */
export function choice<const Word extends string>(words: readonly Word[]): FieldType<Word> {
  const declared = { type: 'choice', words } as const
  return textType(wordingOf(declared), (text, name, fail) => {
    const problem = problemOf(declared, text)
    return problem === undefined ? (text as Word) : fail(`${name} ${problem}`)
  })
}

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
