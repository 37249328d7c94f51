import { describe, expect, it } from 'vitest'
import { checked, type DeclaredValue, problemOf, wholeNumber, wordingOf } from './declared-value.ts'

const volts = { type: 'number', unit: 'V', min: -1, max: 25 } as const
const word = { type: 'choice', words: ['stop', 'continue'] } as const

describe('a declared value', () => {
  const cases: readonly (readonly [
    declared: DeclaredValue,
    wording: string,
    right: readonly unknown[],
    wrong: unknown,
    problem: string,
  ])[] = [
    [volts, '-1…25 V', [-1, 0.5, 25], 25.1, 'is 25.1: -1…25 V'],
    [volts, '-1…25 V', [], '5', 'is 5: -1…25 V'],
    [volts, '-1…25 V', [], Number.NaN, 'is NaN: -1…25 V'],
    [wholeNumber(0, 9), 'a whole number, 0…9', [0, 9], 0.5, 'is 0.5: a whole number, 0…9'],
    [{ type: 'boolean' }, 'true or false', [true, false], 'true\n', 'is true\\n: true or false'],
    [word, 'stop, continue', ['stop', 'continue'], 'sotp', 'is sotp: did you mean stop?'],
    [word, 'stop, continue', [], undefined, 'is undefined: write stop or continue'],
  ]
  it.each(cases)('%j accepts %s', (declared, wording, right, wrong, problem) => {
    expect(wordingOf(declared)).toBe(wording)
    for (const value of right) expect(checked('a', declared, value)).toBe(value)
    expect(problemOf(declared, wrong)).toBe(problem)
    expect(() => checked('a', declared, wrong)).toThrow(new RangeError(`a ${problem}`))
  })
})
