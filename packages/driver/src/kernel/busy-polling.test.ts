import { ManualClock } from '@slotwire/core'
import { expect, test } from 'vitest'
import { BusyPolling, QUICK_ANSWER_MS } from './busy-polling.ts'

const QUICK_MS = QUICK_ANSWER_MS / 2

/** An event loop that advances by one turn on request. */
function loop(processors = 2) {
  const clock = new ManualClock()
  let goOn: (() => void) | undefined
  const turn = (): Promise<void> => new Promise((resolve) => (goOn = resolve))
  const quick = new BusyPolling(clock, processors, turn)
  const nextTurn = async (): Promise<void> => {
    goOn?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  const exchange = async (tookMs: number): Promise<void> => {
    quick.onSent()
    await clock.advance(tookMs)
    await nextTurn()
    quick.onEnded()
  }
  return { clock, quick, exchange, nextTurn }
}

test('sleeps during the first exchange, since nothing is known of the module', async () => {
  const { quick } = loop()
  quick.onSent()
  expect(quick.active).toBe(false)
})

test('polls for the next answers after a quick one', async () => {
  const { quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  for (let count = 0; count < 3; count++) {
    quick.onSent()
    await nextTurn()
    expect(quick.active).toBe(true)
    quick.onEnded()
    await nextTurn()
    expect(quick.active).toBe(true)
  }
})

test('sleeps after a slow answer', async () => {
  const { quick, exchange } = loop()
  await exchange(QUICK_MS)
  await exchange(QUICK_ANSWER_MS)
  quick.onSent()
  expect(quick.active).toBe(false)
})

test('polls only as long as a quick answer takes', async () => {
  const { clock, quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  quick.onSent()
  expect(quick.active).toBe(true)
  await clock.advance(QUICK_ANSWER_MS)
  await nextTurn()
  expect(quick.active).toBe(false)
})

test('sleeps after the last exchange of a row', async () => {
  const { clock, quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  await exchange(QUICK_MS)
  await clock.advance(QUICK_ANSWER_MS)
  await nextTurn()
  expect(quick.active).toBe(false)
})

test('sleeps during an exchange that follows after a pause, as heartbeats do', async () => {
  const { clock, quick, exchange } = loop()
  await exchange(QUICK_MS)
  await clock.advance(QUICK_ANSWER_MS)
  quick.onSent()
  expect(quick.active).toBe(false)
})

test('sleeps while a second exchange is pending: one of them wakes the loop soon enough', async () => {
  const { quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  quick.onSent()
  quick.onSent()
  await nextTurn()
  expect(quick.active).toBe(false)
})

test('never polls on a machine with one processor, which the answering process needs', async () => {
  const { quick, exchange } = loop(1)
  await exchange(QUICK_MS)
  quick.onSent()
  expect(quick.active).toBe(false)
})
