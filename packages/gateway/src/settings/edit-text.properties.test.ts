import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { type NewValue, withValue } from './edit-text.ts'
import { parseSettings } from './parse-settings.ts'
import { formatProblem } from './problem.ts'
import { commentsOf, contentOf, SETTABLE, SOURCE, settingsText } from './settings-text.testkit.ts'
import { settingsTree } from './settings-tree.ts'

type Path = readonly [string, string?]

const pathOf = (key: string): Path => {
  const [group = '', inner] = key.split('.')
  return inner === undefined ? [group] : [group, inner]
}

const isList = (key: string) => ['names', 'doors.loopback-hosts', 'doors.listen', 'doors.cors-origins', 'proxies'].includes(key)

/** Any key with valid words or undefined. */
const change: fc.Arbitrary<{ path: Path; value: NewValue }> = fc.constantFrom(...Object.keys(SETTABLE)).chain((key) =>
  fc.option(SETTABLE[key] ?? fc.constant([])).map((words) => {
    const value = words === null ? undefined : isList(key) ? words : words[0]
    return { path: pathOf(key), value }
  }),
)

/** Expected content after a change; empty groups are omitted. */
function expected(before: unknown, [key, inner]: Path, value: NewValue): Record<string, unknown> {
  const top: Record<string, unknown> = { ...(before as Record<string, unknown>) }
  if (inner === undefined) top[key] = value
  else top[key] = { ...(top[key] as Record<string, unknown> | undefined), [inner]: value }
  return withoutEmpty(top)
}

function withoutEmpty(value: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (inner === undefined) return []
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return [[key, inner]]
    const clean = withoutEmpty(inner as Record<string, unknown>)
    return Object.keys(clean).length === 0 ? [] : [[key, clean]]
  })
  return Object.fromEntries(kept)
}

describe('any settings file', { timeout: 30_000 }, () => {
  it('has no problems if it is valid', () => {
    fc.assert(
      fc.property(settingsText, (text) => {
        expect(parseSettings(text, SOURCE).problems.map(formatProblem)).toEqual([])
      }),
    )
  })

  it('has the new values after any changes, and the old values elsewhere', () => {
    fc.assert(
      fc.property(settingsText, fc.array(change, { minLength: 1, maxLength: 5 }), (text, changes) => {
        let now = text
        for (const { path, value } of changes) {
          const after = expected(contentOf(now), path, value)
          now = withValue(now, path, value)
          expect(settingsTree(now).faults).toEqual([])
          expect(withoutEmpty(contentOf(now) as Record<string, unknown>)).toEqual(after)
        }
      }),
      { numRuns: cases(50) },
    )
  })

  it('keeps all comments through any changes', () => {
    fc.assert(
      fc.property(settingsText, fc.array(change, { minLength: 1, maxLength: 5 }), (text, changes) => {
        const changed = changes.reduce((now, { path, value }) => withValue(now, path, value), text)
        expect(commentsOf(changed)).toEqual(commentsOf(text))
      }),
      { numRuns: cases(50) },
    )
  })
})
