import { describe, expect, it } from 'vitest'
import { mutationsOf } from './mutations.mjs'

/** The source after each of its mutations. */
function mutants(code: string): string[] {
  return mutationsOf(code).map(({ start, end, text }) => code.slice(0, start) + text + code.slice(end))
}

describe('mutationsOf', () => {
  it.each([
    ['a comparison', 'x = a < b', [';', 'x = a <= b']],
    ['a sum', 'x = a + b', [';', 'x = a - b']],
    ['a number', 'const x = 1_000', ['const x = 1001']],
    ['a boolean', 'const x = true', ['const x = false']],
    ['a negation', 'const x = !a', ['const x = a']],
    ['a default', 'const x = a ?? b', ['const x = a && b']],
    ['an optional access', 'const x = a?.b', ['const x = a.b']],
    ['a choice of a method', 'const x = Math.min(a, b)', ['const x = Math.max(a, b)']],
    ['a condition', 'if (a) {}', ['if (true) {}', 'if (false) {}']],
    ['a negated condition', 'if (!a) {}', ['if (true) {}', 'if (false) {}', 'if (a) {}']],
    ['the condition of a choice', 'const x = a ? b : c', ['const x = true ? b : c', 'const x = false ? b : c']],
    ['a call', 'send()', [';']],
    ['an increment', 'for (;;x++) {}', ['for (;;x--) {}']],
  ])('changes %s', (_what, code, expected) => {
    expect(mutants(code)).toEqual(expected)
  })

  it.each([
    "const x = 'a' + b",
    'type A = 1 | true',
    'interface A { a: 2 }',
    "import a from 'a'",
    'class A { constructor() { super() } }',
  ])('leaves texts, types, imports and super() as they are: %s', (code) => {
    expect(mutants(code)).toEqual([])
  })
})
