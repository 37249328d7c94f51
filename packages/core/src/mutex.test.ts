import { describe, expect, it } from 'vitest'
import { ManualClock } from './manual-clock.ts'
import { Mutex } from './mutex.ts'

describe('turns', () => {
  it('go to one at a time, in order of arrival, whichever way they are asked for', async () => {
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

  it('begin at once while nobody has one', () => {
    let begun = false
    void new Mutex().run(async () => {
      begun = true
    })
    expect(begun).toBe(true)
  })

  it('are passed on by work that fails, which fails as it would without', async () => {
    const turns = new Mutex()
    const failing = turns.run(() => Promise.reject(new Error('a bug')))
    const next = turns.run(async () => 'next')
    await expect(failing).rejects.toThrow('a bug')
    await expect(next).resolves.toBe('next')
  })

  it('cannot be overtaken by who comes while one is handed over', async () => {
    const turns = new Mutex()
    const seen: number[] = []
    const end = await turns.take()
    const second = turns.run(async () => seen.push(2))
    end()
    const third = turns.run(async () => seen.push(3))
    await Promise.all([second, third])
    expect(seen).toEqual([2, 3])
  })

  it('end once only: a second call takes no turn away', async () => {
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
