import { expect, it } from 'vitest'
import { hostLabel, nextHostLabel } from './announcement-zone.ts'

const LONG = 'x'.repeat(63)

it.each([
  ['press-4', 'press-4'],
  ['Press-4.example.com', 'Press-4'],
  ['line 3_b', 'line-3-b'],
  ['-press-', 'press'],
  ['日本', 'slotwire'],
  ['', 'slotwire'],
  [`${LONG}y`, LONG],
])('hostLabel turns %j into %j', (wish, label) => expect(hostLabel(wish)).toBe(label))

it.each([
  ['press', 'press', 'press-2'],
  ['press', 'press-2', 'press-3'],
  ['press', 'press-9', 'press-10'],
  ['press-4', 'press-4', 'press-4-2'],
  ['press-4', 'press-4-2', 'press-4-3'],
  ['press', 'press-9999', 'press'],
  [LONG, LONG, `${'x'.repeat(61)}-2`],
  [LONG, `${'x'.repeat(61)}-9`, `${'x'.repeat(60)}-10`],
  [`${'x'.repeat(60)}-yz`, `${'x'.repeat(60)}-yz`, `${'x'.repeat(60)}-2`],
])('nextHostLabel prefers %s, finds %s taken and tries %s', (wish, taken, next) => expect(nextHostLabel(wish, taken)).toBe(next))
