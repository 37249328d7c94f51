import { type ChoiceSchema, choice as choiceOf, fromText, integer, mistake, type Schema, type ValueOf } from '@slotwire/contract'
import { isVisible, quoted } from '@slotwire/core'

/** A valid value, or the problem with the text. */
export type Reading<Value> = { readonly value: Value } | { readonly problem: string }

/** A type of value that is written as one word. */
export interface ValueType<Value> {
  /** Allowed values, for users. */
  readonly wording: string
  readonly read: (text: string) => Reading<Value>
  /** How undefined is shown: a word, or null if it is never written. */
  readonly unset?: string | null
}

/** Highest TCP port. */
export const HIGHEST_PORT = 65_535

/** A value of a schema. Its mistakes have the same sentences as in JSON; the key goes in front. */
function ofSchema<Of extends Schema>(schema: Of, wording: string): ValueType<ValueOf<Of>> {
  return {
    wording,
    read: (text) => {
      const value = fromText(text, schema)
      const problem = mistake(schema, value, '')
      return problem === undefined ? { value: value as ValueOf<Of> } : { problem: problem.trimStart() }
    },
  }
}

/** A TCP port. */
export const port = ofSchema(integer({ min: 0, max: HIGHEST_PORT }), `a port: 0…${HIGHEST_PORT}; 0 chooses a free one`)

/** A whole number between two bounds, inclusive. */
export const wholeNumber = (min: number, max: number): ValueType<number> =>
  ofSchema(integer({ min, max }), `a whole number, ${min}…${max}`)

/** `type`, or the word `off` for undefined. */
export function orOff<Value>(type: ValueType<Value>): ValueType<Value | undefined> {
  return {
    wording: `${type.wording}; or off`,
    read: (text) => (text === 'off' ? { value: undefined } : type.read(text)),
    unset: 'off',
  }
}

/** `type`, or undefined for the system's value. */
export function orSystems<Value>(type: ValueType<Value>): ValueType<Value | undefined> {
  return { ...type, unset: null }
}

/** One of the given words. */
export const choice = <Word extends string>(words: readonly Word[]): ValueType<Word> =>
  ofSchema<ChoiceSchema<Word>>(choiceOf(words), words.join(', '))

/** Text with at most this many bytes (UTF-8). */
export function shortText(mostBytes: number): ValueType<string> {
  return {
    wording: `text, 1…${mostBytes} bytes`,
    read: (text) => {
      const bytes = new TextEncoder().encode(text).length
      if (text.trim() === '') return { problem: `is empty: write some text, or remove the setting for its default` }
      if (bytes > mostBytes) return { problem: `is too long, ${bytes} bytes: at most ${mostBytes}` }
      if (!isVisible(text)) return { problem: 'holds control characters or line breaks: write plain text in one line' }
      return { value: text }
    },
  }
}

const BROKER = /^mqtts?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?\/?$/i

/** The address of an MQTT broker. */
export const brokerUrl: ValueType<string> = {
  wording: 'mqtt:// or mqtts:// with a host, and a port if it is not 1883 or 8883',
  read: (text) => {
    if (BROKER.test(text) && URL.canParse(text)) return { value: text }
    return { problem: `this is not the address of a broker: write one like mqtts://broker.local, without user and password` }
  },
}

/** A file of this machine. */
export const filePath: ValueType<string> = {
  wording: 'the path of a file, from the root: /…',
  read: (text) =>
    /^\/./.test(text) && isVisible(text) ? { value: text } : { problem: `${quoted(text)} is not a path from the root: write /…` },
}

/** One level of a topic. */
export const topicLevel: ValueType<string> = {
  wording: '1…64 letters, digits, dots, dashes or underscores',
  read: (text) =>
    /^[\w.-]{1,64}$/.test(text)
      ? { value: text }
      : { problem: `${quoted(text)} is not a name for a topic: write 1…64 letters, digits, . - or _` },
}
