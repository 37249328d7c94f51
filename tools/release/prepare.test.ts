import { describe, expect, it } from 'vitest'
import { PackError } from '../pack/pack-error.mjs'
import { prepareSources, released } from './prepare.mjs'

describe('released', () => {
  const before = '# Changelog\n\n## Unreleased\n\n- A new thing.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n'

  it('gives the unreleased changes a version and a day', () =>
    expect(released(before, '0.2.0', '2026-11-23')).toBe(
      before.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 (2026-11-23)\n'),
    ))

  it('refuses a changelog without unreleased changes', () => {
    for (const text of [before.replace('- A new thing.\n', ''), '# Changelog\n']) {
      expect(() => released(text, '0.2.0', '2026-11-23')).toThrow(PackError)
    }
  })
})

it.each([undefined, '1', '0.2', '0.2.0-rc.1', 'v0.2.0', '0.1.9', '0.2.0'])('prepareSources refuses %s after 0.2.0', (version) =>
  expect(() => prepareSources(version, { current: '0.2.0', day: '2026-11-23' })).toThrow('write a version later than 0.2.0'),
)
