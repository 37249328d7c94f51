import { describe, expect, it } from 'vitest'
import { ManualClock } from './manual-clock.ts'
import { Mutex } from './turns.ts'

describe('Mutex', () => {
  it('grants one turn at a time, in order of arrival, with run and take mixed', async () => {
    const clock = new ManualClock()
    const turns = new Mutex()
    const seen: string[] = []
    const run = (name: string) =>
      turns.run(async () => {
        seen.push(`${name} in`)
        await clock.sleep(10)
        seen.push(`${name} out`)
      })
    const take = async (name: string) => {
      const end = await turns.take()
      seen.push(`${name} in`)
      await clock.sleep(10)
      seen.push(`${name} out`)
      end()
    }
    const all = Promise.all([run('a'), take('b'), run('c'), take('d')])
    await clock.advance(40)
    await all
    expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out', 'd in', 'd out'])
  })

  it('grants a turn at once while it is free', () => {
    let begun = false
    void new Mutex().run(async () => {
      begun = true
    })
    expect(begun).toBe(true)
  })

  it('passes the turn on after work that fails, and passes the error through', async () => {
    const turns = new Mutex()
    const failing = turns.run(() => Promise.reject(new Error('a bug')))
    const next = turns.run(async () => 'next')
    await expect(failing).rejects.toThrow('a bug')
    await expect(next).resolves.toBe('next')
  })

  it('lets no newcomer overtake while a turn is passed on', async () => {
    const turns = new Mutex()
    const seen: number[] = []
    const end = await turns.take()
    const second = turns.run(async () => seen.push(2))
    end()
    const third = turns.run(async () => seen.push(3))
    await Promise.all([second, third])
    expect(seen).toEqual([2, 3])
  })

  it('ignores a second end of the same turn', async () => {
    const turns = new Mutex()
    const end = await turns.take()
    const second = turns.take()
    const third = turns.take()
    end()
    end()
    const endSecond = await second
    let thirdIn = false
    const waiting = third.then(() => {
      thirdIn = true
    })
    await Promise.resolve()
    await Promise.resolve()
    expect(thirdIn).toBe(false)
    endSecond()
    await waiting
    expect(thirdIn).toBe(true)
  })
})
