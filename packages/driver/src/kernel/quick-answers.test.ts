import { ManualClock } from '@slotwire/core'
import { expect, test } from 'vitest'
import { QUICK_ANSWER_MS, QuickAnswers } from './quick-answers.ts'

const QUICK_MS = QUICK_ANSWER_MS / 2

/** A loop that goes on by a turn when it is told to. */
function loop(processors = 2) {
  const clock = new ManualClock()
  let goOn: (() => void) | undefined
  const turn = (): Promise<void> => new Promise((resolve) => (goOn = resolve))
  const quick = new QuickAnswers({ clock, processors, turn })
  const nextTurn = async (): Promise<void> => {
    goOn?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  const exchange = async (tookMs: number): Promise<void> => {
    quick.began()
    await clock.advance(tookMs)
    await nextTurn()
    quick.ended()
  }
  return { clock, quick, exchange, nextTurn }
}

test('the first exchange is waited for asleep: nothing is known of the module', async () => {
  const { quick } = loop()
  quick.began()
  expect(quick.awake).toBe(false)
})

test('after a quick answer the next one is waited for awake, and so in a row', async () => {
  const { quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  for (let count = 0; count < 3; count++) {
    quick.began()
    await nextTurn()
    expect(quick.awake).toBe(true)
    quick.ended()
    await nextTurn()
    expect(quick.awake).toBe(true)
  }
})

test('after a slow answer it is slept', async () => {
  const { quick, exchange } = loop()
  await exchange(QUICK_MS)
  await exchange(QUICK_ANSWER_MS)
  quick.began()
  expect(quick.awake).toBe(false)
})

test('an answer that does not come is waited for awake only as long as a quick one takes', async () => {
  const { clock, quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  quick.began()
  expect(quick.awake).toBe(true)
  await clock.advance(QUICK_ANSWER_MS)
  await nextTurn()
  expect(quick.awake).toBe(false)
})

test('after the last of a row it is slept again', async () => {
  const { clock, quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  await exchange(QUICK_MS)
  await clock.advance(QUICK_ANSWER_MS)
  await nextTurn()
  expect(quick.awake).toBe(false)
})

test('an exchange that follows after a pause, as heartbeats do, is waited for asleep', async () => {
  const { clock, quick, exchange } = loop()
  await exchange(QUICK_MS)
  await clock.advance(QUICK_ANSWER_MS)
  quick.began()
  expect(quick.awake).toBe(false)
})

test('with a second exchange on its way it is slept: one of them wakes the loop soon enough', async () => {
  const { quick, exchange, nextTurn } = loop()
  await exchange(QUICK_MS)
  quick.began()
  quick.began()
  await nextTurn()
  expect(quick.awake).toBe(false)
})

test('a machine with one processor never waits awake: the processor is wanted by the one that has the answer', async () => {
  const { quick, exchange } = loop(1)
  await exchange(QUICK_MS)
  quick.began()
  expect(quick.awake).toBe(false)
})
