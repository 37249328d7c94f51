import { ManualClock } from '@slotwire/core'
import { beforeEach, expect, it } from 'vitest'
import { FakeSlot } from '../fake-slot.testkit.ts'
import { Past } from './past.ts'

const HOUR_MS = 3_600_000
const slot = new FakeSlot(3)
let clock: ManualClock
let past: Past
beforeEach(() => {
  clock = new ManualClock()
  past = new Past(clock)
  slot.session = 'A'
})

/** Rows as `[age, values]`. */
function rows(sinceMs = HOUR_MS) {
  const { ago_milliseconds: ages, series } = past.of(slot, 'getLevel', sinceMs)
  return ages.map((age, index) => [age, ...series.map(({ values }) => values[index])])
}

async function keepEvery(ms: number, levels: readonly number[]): Promise<void> {
  for (const level of levels) {
    past.keep(slot, 'getLevel', { level })
    await clock.advance(ms)
  }
}

const pins = (type: string, values: readonly number[]) => ({
  pins: values.map((value, index) => ({ pin: index + 1, pin_type: type, value })),
})

it.each([
  ['the numbers of a reply', { a: 1, b: 2.1, c: true, d: 'x' }, ['{"field":"a","values":[1]}', '{"field":"b","values":[2.1]}']],
  [
    'the value of each item in a list, with the other fields of the item',
    pins('volt', [3301, 0.1]),
    ['{"pin":1,"pin_type":"volt","values":[3301]}', '{"pin":2,"pin_type":"volt","values":[0.1]}'],
  ],
  ['nothing of a reply without numbers', { on: true }, []],
])('the past has %s', (_, reply, expected) => {
  past.keep(slot, 'getLevel', reply)
  expect(past.of(slot, 'getLevel', HOUR_MS).series.map((each) => JSON.stringify(each))).toEqual(expected)
})

it.each<[string, string, number, readonly (number | null)[]]>([
  ['no gap while readings come in their rhythm', 'A', 5000, [1, 2, 3]],
  ['a gap where a new session began', 'B', 2000, [1, 2, null, 3]],
  ['a gap where no client read', 'A', 5001, [1, 2, null, 3]],
])('the past has %s', async (_, session, pauseMs, expected) => {
  await keepEvery(2000, [1, 2])
  await clock.advance(pauseMs - 2000)
  slot.session = session
  await keepEvery(0, [3])
  expect(rows().map(([, value]) => value)).toEqual(expected)
})

it('the past ends with a gap when no client reads any more', async () => {
  await keepEvery(1000, [1, 2])
  expect(rows().at(-1)).toEqual([1000, 2])
  await clock.advance(2001)
  expect(rows().at(-1)).toEqual([3000, null])
})

it('a number has a gap while the replies do not have it', async () => {
  for (const type of ['volt', 'hertz', 'volt']) {
    past.keep(slot, 'getLevel', pins(type, [5]))
    await clock.advance(1000)
  }
  expect(rows()).toEqual([
    [3000, 5, null],
    [2000, null, 5],
    [1000, 5, null],
  ])
})

it('the newest 600 readings stay as they were, and of older ones the lowest and the highest of each 2 s in their order', async () => {
  const levels = Array.from({ length: 12_000 }, (_, index) => (index === 42 ? 99 : index === 41 ? -1 : 5))
  for (let to = 600; to <= levels.length; to += 200) {
    await keepEvery(250, levels.slice(to === 600 ? 0 : to - 200, to))
    expect(rows().slice(-600)).toEqual(levels.slice(to - 600, to).map((level, index) => [(600 - index) * 250, level]))
  }
  const all = rows()
  expect(all.length).toBeLessThan(4440)
  const peak = all.findIndex(([, value]) => value === -1)
  expect(all.slice(peak - 1, peak + 3).map(([, value]) => value)).toEqual([5, -1, 99, 5])
  expect(rows(10_000)).toHaveLength(40)
})

it('a gap stays when it is thinned out', async () => {
  await keepEvery(250, Array(50).fill(1) as number[])
  slot.session = 'B'
  await keepEvery(250, Array(4440).fill(2) as number[])
  const values = rows().map(([, value]) => value)
  expect(values.length).toBeLessThan(4000)
  expect(values.filter((value, index) => value !== values[index - 1])).toEqual([1, null, 2])
})

it('an hour of all 12 reads of the default device, at any speed, takes less than 2 MB, and what is older is forgotten', async () => {
  // Two io modules, power and bmc. Each pin has each type in turn.
  const replies = [6, 6, 6, 6, 7, 12, 9, 2, 1, 2, 2, 3].map((count) => Array(count).fill(1.5) as number[])
  const types = ['volt', 'level', 'hertz']
  for (let reading = 0; reading < 15_000; reading++) {
    const type = types[reading % types.length] ?? ''
    for (const [index, values] of replies.entries())
      past.keep(slot, `get${index === 0 ? 'Level' : index}`, pins(index < 2 ? type : '', values))
    await clock.advance(250)
  }
  expect(past.bytes).toBeGreaterThan(1_500_000)
  expect(past.bytes).toBeLessThan(2_000_000)
  expect(rows(HOUR_MS * 2)[0]?.[0]).toBeLessThan(HOUR_MS + 120_000)
  await clock.advance(HOUR_MS + 1)
  past.keep(new FakeSlot(4), 'getLevel', pins('', [1]))
  expect(past.bytes).toBeLessThan(1000)
}, 60_000)
