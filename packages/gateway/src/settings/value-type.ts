import { isVisible, meant } from '@slotwire/core'
import { quoted } from './problem.ts'

/** A value as it was meant, or what is wrong with how it was written. */
export type Reading<Value> = { readonly value: Value } | { readonly problem: string }

/** A kind of value that is written as one word. */
export interface ValueType<Value> {
  /** What may be written, for people. */
  readonly wording: string
  readonly read: (text: string) => Reading<Value>
  /** How undefined is shown: the word for it, or null where it is not written. */
  readonly unset?: string | null
}

const HIGHEST_PORT = 65_535

/** A TCP port. */
export const port: ValueType<number> = {
  wording: `a port: 0…${HIGHEST_PORT}; 0 picks a free one`,
  read: (text) => {
    const value = Number(text)
    if (!/^\d{1,6}$/.test(text)) return { problem: `${quoted(text)} is no port: write a whole number, 0…${HIGHEST_PORT}` }
    if (value > HIGHEST_PORT) return { problem: `${text} is out of range: 0…${HIGHEST_PORT}` }
    return { value }
  },
}

/** `type`, or the word `off`, which is undefined. */
export function orOff<Value>(type: ValueType<Value>): ValueType<Value | undefined> {
  return {
    wording: `${type.wording}; or off`,
    read: (text) => (text === 'off' ? { value: undefined } : type.read(text)),
    unset: 'off',
  }
}

/** `type`, or nothing, which is undefined: the system has the value then. */
export function orSystems<Value>(type: ValueType<Value>): ValueType<Value | undefined> {
  return { ...type, unset: null }
}

/** One of some words. */
export function choice<Word extends string>(words: readonly Word[]): ValueType<Word> {
  return {
    wording: words.join(', '),
    read: (text) => {
      const value = words.find((word) => word === text)
      return value === undefined ? { problem: `${quoted(text)} is none of them: ${meant(text, words)}` } : { value }
    },
  }
}

/** Text for people, of so many bytes (UTF-8) at most. */
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
