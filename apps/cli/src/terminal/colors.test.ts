import { describe, expect, it } from 'vitest'
import { colorsFor } from './text.ts'

const RED = '\x1b[31mfailed\x1b[39m'

describe('colours', () => {
  const cases = [
    ['on a terminal', { isTTY: true }, { TERM: 'xterm' }, RED],
    ['in no other output', {}, { TERM: 'xterm' }, 'failed'],
    ['not in the log of a build', {}, { CI: 'true' }, 'failed'],
    ['not on a terminal without colours', { isTTY: true }, { TERM: 'dumb' }, 'failed'],
    ['not with NO_COLOR', { isTTY: true }, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'failed'],
    ['in any output with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, RED],
  ] as const
  it.each(cases)('are shown %s', (_title, output, environment, shown) =>
    expect(colorsFor(output, environment).red('failed')).toBe(shown),
  )
})
