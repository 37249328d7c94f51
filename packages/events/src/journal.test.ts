import { ManualClock, silentLog } from '@slotwire/core'
import { expect, it } from 'vitest'
import { Journal } from './journal.ts'
import { parsePosition } from './query.ts'

it('numbers records and gives them the time of the date, of the process and of the twin', async () => {
  const clock = new ManualClock()
  const twinTime = new ManualClock()
  const journal = new Journal({ boot: 7, clock, wallTime: () => 0, twinTime, log: silentLog })
  const seen: string[] = []
  const stop = journal.subscribe(({ id }) => seen.push(id))
  expect(journal.last).toEqual({ boot: 7, sequence: 0 })
  journal.add({ kind: 'device', state: 'up' })
  await clock.advance(1500)
  await twinTime.advance(20)
  const alert = journal.add({ kind: 'alert', slot: 3, service: 'io', session: 'abc', pin: 1 })
  stop()
  journal.add({ kind: 'device', state: 'restarting' })
  expect(JSON.stringify(alert)).toBe(
    '{"id":"7-2","at":"1970-01-01T00:00:00.000Z","up_ms":1500,"twin_ms":20,"kind":"alert","slot":3,"service":"io","session":"abc","pin":1}',
  )
  expect(seen).toEqual(['7-1', '7-2'])
  expect(journal.last).toEqual({ boot: 7, sequence: 3 })
})

it.each([
  ['1-0', { boot: 1, sequence: 0 }],
  ['12-345', { boot: 12, sequence: 345 }],
  ['0-1', undefined],
  ['1-01', undefined],
  ['1', undefined],
  ['1-2-3', undefined],
  [' 1-2', undefined],
  ['1-9999999999999999', undefined],
])('reads the position %j as %j', (id, position) => expect(parsePosition(id)).toEqual(position))
