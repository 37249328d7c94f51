import { type Signal, signal } from '@preact/signals'
import { ClientError, type WatchUpdate } from '@slotwire/client'
import { ManualClock, nextTurn } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import type { LinkState } from './link.ts'
import { SharedReading } from './readings.ts'

const LIVE: LinkState = { isConnected: true, lostAtMs: 0, lostAtDate: 0, error: undefined }
const lostAt = (lostAtMs: number): LinkState => ({ ...LIVE, isConnected: false, lostAtMs })

let clock: ManualClock
let link: Signal<LinkState>
let now: Signal<number>
let followed: { everyMs: number; take: (reading: WatchUpdate<number>) => void; end: (error: unknown) => void }[]
let reading: SharedReading<number>
beforeEach(() => {
  clock = new ManualClock()
  link = signal<LinkState>(LIVE)
  now = signal(clock.now())
  followed = []
  reading = new SharedReading<number>(reads, clock, { state: link, heard: () => undefined }, now)
})

async function* reads(everyMs: number, end: AbortSignal): AsyncGenerator<WatchUpdate<number>> {
  const each: (typeof followed)[number] = { everyMs, take: () => undefined, end: () => undefined }
  followed.push(each)
  end.addEventListener('abort', () => followed.splice(followed.indexOf(each), 1))
  for (;;)
    yield await new Promise<WatchUpdate<number>>((resolve, reject) => {
      each.take = resolve
      each.end = reject
    })
}

function take(update: WatchUpdate<number>): Promise<void> {
  followed.at(-1)?.take(update)
  return nextTurn()
}

const value = (number: number): WatchUpdate<number> => ({ kind: 'value', value: number })
const failure = (): WatchUpdate<number> => ({ kind: 'error', error: new ClientError('no answer', { kind: 'module' }) })

async function pass(ms: number): Promise<void> {
  await clock.advance(ms)
  now.value = clock.now()
}

describe('SharedReading', () => {
  it.each([
    ['a value that does not change', [], 60_000, { value: 5, isOld: false, isStale: false, ageMs: 0, error: undefined }],
    ['a module that cannot be read', ['fail'], 4000, { value: 5, isOld: false, isStale: true, ageMs: 4000, error: 'no answer' }],
    [
      'a module that can be read again',
      ['fail', 'take'],
      4000,
      { value: 6, isOld: false, isStale: false, ageMs: 0, error: undefined },
    ],
    [
      'a connection lost for less than the interval',
      ['lose'],
      1000,
      { value: 5, isOld: false, isStale: false, ageMs: 1000, error: undefined },
    ],
    ['a connection lost for longer', ['lose'], 4000, { value: 5, isOld: false, isStale: true, ageMs: 4000, error: undefined }],
    ['a connection that is back', ['lose', 'find'], 4000, { value: 5, isOld: false, isStale: false, ageMs: 0, error: undefined }],
  ])('shows %s', async (_, steps, ms, expected) => {
    reading.use(1000)
    await take(value(5))
    for (const step of steps) {
      if (step === 'fail') await take(failure())
      if (step === 'take') await take(value(6))
      if (step === 'lose') link.value = lostAt(clock.now())
      if (step === 'find') link.value = LIVE
    }
    await pass(ms)
    expect(reading.shown.value).toEqual(expected)
  })

  it('counts the age from the first failure', async () => {
    reading.use(1000)
    await take(failure())
    await pass(2000)
    followed[0]?.end(new ClientError('the stream ended', { kind: 'unreachable' }))
    await nextTurn()
    await pass(1000)
    expect(reading.shown.value).toEqual({ value: undefined, isOld: true, isStale: true, ageMs: 3000, error: 'the stream ended' })
  })

  it.each([
    ['without a user', [], true],
    ['at a longer interval', [5000], true],
    ['at a shorter interval', [100], false],
  ])('says that a value read %s is old until it is read again', async (_, others, isOld) => {
    const ends = [...others, 60_000].map((everyMs) => reading.use(everyMs))
    await take(value(5))
    if (others.length === 0) for (const end of ends) end()
    reading.use(1000)
    expect(reading.shown.value).toMatchObject({ value: 5, isOld })
    await take(value(5))
    expect(reading.shown.value).toMatchObject({ value: 5, isOld: false })
  })

  it.each([
    [[1000], 1000],
    [[1000, 250], 250],
    [[250, 1000], 250],
  ])('is read once for users at %j ms, every %i ms', (intervals, expected) => {
    const ends = intervals.map((everyMs) => reading.use(everyMs))
    expect(followed.map(({ everyMs }) => everyMs)).toEqual([expected])
    for (const end of ends) end()
    expect([followed, reading.isUsed]).toEqual([[], false])
  })
})
