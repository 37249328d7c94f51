import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import { parseSettings } from './parse-settings.ts'
import { formatProblem } from './setting.ts'
import { SOURCE, settingsText } from './settings-text.testkit.ts'

/** Pieces of settings files and of YAML, for random order. */
const pieces = [
  ...['host-name', 'vendor', 'names', 'doors', 'https-port', 'listen', 'loopback-ports', 'paths', 'discovery', 'off', '443'],
  ...[
    ': ',
    ':',
    '- ',
    '? ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '\n',
    '\n  ',
    '\n    ',
    '\t',
    '"',
    "'",
    '#',
    ' # a\n',
    '|',
    '>',
    '|-\n',
    '&a ',
    '*a',
  ],
  ...[
    '!!str ',
    '!',
    '%YAML 1.1\n',
    '---\n',
    '...\n',
    '<<: ',
    '~',
    'null',
    '\r\n',
    '\r',
    '\\',
    '@',
    '`',
    '\u2028',
    '\ufeff',
    'é',
    '\ud800',
  ],
]
const shuffled = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))

/** A valid file with a random piece replaced. */
const damaged = fc
  .tuple(settingsText, fc.nat(), fc.nat({ max: 5 }), fc.constantFrom(...pieces))
  .map(([text, place, length, piece]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + piece + text.slice(at + length)
  })

describe('parseSettings of any text', { timeout: 30_000 }, () => {
  it.each([
    ['random characters', fc.string({ unit: anyCharacter, maxLength: 300 })],
    ['random pieces of YAML', shuffled],
    ['a damaged file', damaged],
  ] as const)('reports problems of %s only in existing lines', (_, texts) =>
    fc.assert(
      fc.property(texts, (text) => {
        const { problems, settings } = parseSettings(text, SOURCE)
        const lines = text.split('\n').length
        for (const problem of problems) {
          expect(problem.line).toBeGreaterThanOrEqual(1)
          expect(problem.line).toBeLessThanOrEqual(lines)
          expect(problem.message).toMatch(/\S/)
          expect(formatProblem(problem)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        }
        expect(Object.keys(settings)).toHaveLength(28)
      }),
      { numRuns: cases(80) },
    ),
  )
})
