import { describe, expect, it } from 'vitest'
import { getValue, RELAY } from '../slot/fake-module.testkit.ts'
import { MAX_REOPEN_DELAY_MS } from './bay.ts'
import { LOGGED_CHANGES, STABLE_AFTER_MS } from './flap-detector.ts'
import { device, usable } from './rack.testkit.ts'

const COMES_AND_GOES = 'the module comes and goes: no further changes are logged until it has been stable for 10 s'

async function flapping(times: number, pauseMs = 200) {
  const of = device()
  await of.rack.start()
  for (let time = 0; time < times; time++) {
    of.backplane.plug(3)
    await of.clock.advance(pauseMs)
    of.backplane.unplug(3)
    await of.clock.advance(pauseMs)
  }
  const logged = () => of.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)
  return { ...of, logged }
}

describe('the log for a module with a loose contact', () => {
  it('reports a few changes, then that the module comes and goes, then nothing', async () => {
    const { logged } = await flapping(3)
    expect(logged().filter((message) => message === 'module is usable')).toHaveLength(LOGGED_CHANGES / 2)
    expect(logged()).not.toContain(COMES_AND_GOES)
    const { logged: loggedOfMany } = await flapping(1000)
    expect(loggedOfMany()).toHaveLength(logged().length + 1)
    expect(loggedOfMany().at(-1)).toBe(COMES_AND_GOES)
  })

  it('continues while the module is still served', async () => {
    const { rack, backplane, clock } = await flapping(100)
    backplane.plug(3)
    await clock.advance(0)
    expect(usable(rack)).toEqual([3])
    expect(await rack.find(3, RELAY)?.read('value', { fresh: true }, (exchange) => exchange(getValue, {}))).toEqual({ value: 1 })
  })

  it('reports when the module is stable again, with the number of changes, and later changes after that', async () => {
    const { backplane, clock, log, logged } = await flapping(100)
    backplane.plug(3)
    await clock.advance(STABLE_AFTER_MS - 1)
    expect(logged().at(-1)).toBe(COMES_AND_GOES)
    await clock.advance(1)
    expect(log.linesOf('info').at(-1)).toEqual({
      level: 'info',
      fields: { slot: 3, changes: 201 },
      message: 'the module is stable again',
    })
    backplane.unplug(3)
    expect(logged().at(-1)).toBe('module is no longer used')
  })

  it('reports every change if each comes after a rest', async () => {
    const { logged } = await flapping(20, STABLE_AFTER_MS)
    expect(logged()).not.toContain(COMES_AND_GOES)
    expect(logged().filter((message) => message === 'module is usable')).toHaveLength(20)
  })

  it('leaves out failed starts, too', async () => {
    const { backplane, clock, log } = await flapping(4)
    const before = log.linesOf('warn').length
    for (let time = 0; time < 50; time++) {
      backplane.plug(3).misbehave(() => Uint8Array.of(9, 9, 9), { times: Number.POSITIVE_INFINITY })
      await clock.advance(100)
      backplane.unplug(3)
    }
    expect(log.linesOf('warn')).toHaveLength(before)
  })

  it('still reports other slots in full', async () => {
    const { backplane, clock, logged } = await flapping(100)
    backplane.plug(4)
    await clock.advance(0)
    expect(logged().at(-1)).toBe('module is usable')
  })
})

it('the log for a module that is lost and started again and again stays short, because the pauses grow', async () => {
  const { rack, backplane, clock, log } = device()
  const module = backplane.plug(3)
  await rack.start()
  for (let time = 0; time < 100; time++) {
    module.hang()
    await clock.advance(3000)
    module.recover()
    await clock.advance(3000)
  }
  expect(log.linesOf('warn').length + log.linesOf('info').length).toBeLessThan(60)
  await clock.advance(MAX_REOPEN_DELAY_MS)
  expect(usable(rack)).toEqual([3])
})
