import { integer, type WordType, wordOf } from '@slotwire/contract'
import { InvalidArgumentError } from 'commander'

/** Parser for a word. Throws `InvalidArgumentError` with the sentence that JSON gets for the same mistake. */
export function word<Value>(name: string, { read }: WordType<Value>): (text: string) => Value {
  return (text) => {
    try {
      return read(text, name)
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidArgumentError(`${error.message}.`)
      throw error
    }
  }
}

/** Parser for several words: collects them. */
export function words<Value>(one: (text: string) => Value): (text: string, before?: readonly Value[]) => readonly Value[] {
  return (text, before = []) => [...before, one(text)]
}

/** Parser for a whole number in a range; `unit` is its unit. */
export const wholeNumber = (name: string, min: number, max: number, unit?: string): ((text: string) => number) =>
  word(name, wordOf(integer({ min, max, unit })))
