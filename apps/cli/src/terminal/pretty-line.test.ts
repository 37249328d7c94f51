import { describe, expect, it } from 'vitest'
import { prettyLine } from './standard-log.ts'
import { colorsFor } from './text.ts'

const TIME = new Date(2026, 10, 23, 12, 3, 4).getTime()
const write = { level: 30, msg: 'write', method: 'POST', path: '/api/io/1.0/3/output/state', slot: 3, status: 200, ms: 2 }
const plain = colorsFor({}, {})

describe('a line of the log for people', () => {
  it.each([
    [write, 'slot 3 io: output/state 200 2 ms'],
    [
      { ...write, twin: 7, status: 409, refused: 'pin-is-input' },
      'twin 7 slot 3 io: output/state 409 2 ms (refused pin-is-input)',
    ],
    [{ ...write, method: 'DELETE' }, 'slot 3 io: DELETE output/state 200 2 ms'],
    [{ ...write, slot: undefined, status: 404 }, 'POST /api/io/1.0/3/output/state 404 2 ms'],
    [{ level: 30, slot: 3, vendorProductId: 12, msg: 'module is usable' }, 'slot 3: module is usable (vendorProductId 12)'],
    [{ level: 40, slot: 3, reason: 'a CRC', msg: 'module is not usable' }, 'warning: slot 3: module is not usable (a CRC)'],
    [{ level: 50, err: { message: 'no space', stack: 'at …' }, msg: 'nothing is saved' }, 'error: nothing is saved (no space)'],
    [{ level: 20, msg: 'x', names: ['a', 'b'] }, 'x (names ["a","b"])'],
    [{ ...write, slot: undefined, path: '/a\n12:00:00 b\x1b[2J\u202e' }, 'POST /a\\n12:00:00 b\\u{1b}[2J\\u{202e} 200 2 ms'],
  ])('shows %j as words', (fields, shown) =>
    expect(prettyLine(`${JSON.stringify({ time: TIME, ...fields })}\n`, plain)).toBe(`12:03:04 ${shown}\n`),
  )

  it('is red for an error on a terminal', () => {
    const line = JSON.stringify({ level: 50, time: TIME, msg: 'x' })
    expect(prettyLine(line, colorsFor({ isTTY: true }, { TERM: 'xterm' }))).toBe('\x1b[31m12:03:04 error: x\x1b[39m\n')
  })
})
