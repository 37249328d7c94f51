import { expect, it } from 'vitest'
import { nextTurn } from './clock.ts'
import { ManualClock } from './manual-clock.ts'
import { TURN_MS, Turns } from './turns.ts'

it('a turn of the event loop runs work while it has time left, and later turns the rest in order', async () => {
  const clock = new ManualClock()
  const turns = new Turns(clock)
  const done: number[] = []
  for (let number = 1; number <= 7; number++) {
    turns.run(() => {
      clock.skip(TURN_MS / 2)
      done.push(number)
    })
  }
  const after = [done.length]
  while (done.length < 7) {
    await nextTurn()
    after.push(done.length)
  }
  expect([after, done]).toEqual([
    [2, 4, 6, 7],
    [1, 2, 3, 4, 5, 6, 7],
  ])
  await nextTurn()
  turns.run(() => done.push(8))
  expect(done.at(-1)).toBe(8)
})

it('work that waits for its turn gives its result, or its error', async () => {
  const turns = new Turns(new ManualClock())
  expect(await turns.result(() => 1)).toBe(1)
  await expect(turns.result(() => BigInt('x'))).rejects.toThrow(SyntaxError)
})
