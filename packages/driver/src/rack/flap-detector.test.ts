import { describe, expect, it } from 'vitest'
import { getValue, RELAY } from '../slot/fake-module.testkit.ts'
import { REST_MS, TOLD_CHANGES } from './flap-detector.ts'
import { device, usable } from './rack.testkit.ts'

const COMES_AND_GOES = 'the module comes and goes: no more is said of it until nothing has changed for 10 s'

async function restless(times: number, pauseMs = 200) {
  const of = device()
  await of.rack.start()
  for (let time = 0; time < times; time++) {
    of.backplane.plug(3)
    await of.clock.advance(pauseMs)
    of.backplane.unplug(3)
    await of.clock.advance(pauseMs)
  }
  const told = () => of.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)
  return { ...of, told }
}

describe('a module at a loose contact', () => {
  it('is told a few times, then that it comes and goes, and no more', async () => {
    const { rack, told } = await restless(3)
    expect(told().filter((message) => message === 'module is usable')).toHaveLength(TOLD_CHANGES / 2)
    expect(told()).not.toContain(COMES_AND_GOES)
    const { rack: other, told: toldOfMany, clock } = await restless(1000)
    expect(toldOfMany()).toHaveLength(told().length + 1)
    expect(toldOfMany().at(-1)).toBe(COMES_AND_GOES)
    await Promise.all([rack.stop(), other.stop()])
    expect(clock.pending).toBe(0)
  })

  it('is served all the same', async () => {
    const { rack, backplane, clock } = await restless(100)
    backplane.plug(3)
    await clock.advance(0)
    expect(usable(rack)).toEqual([3])
    expect(await rack.find(3, RELAY)?.read('value', { fresh: true }, (exchange) => exchange(getValue, {}))).toEqual({ value: 1 })
    await rack.stop()
  })

  it('is told to have come to rest, with how often it changed, and is news again after that', async () => {
    const { rack, backplane, clock, log, told } = await restless(100)
    backplane.plug(3)
    await clock.advance(REST_MS - 1)
    expect(told().at(-1)).toBe(COMES_AND_GOES)
    await clock.advance(1)
    expect(log.at('info').at(-1)).toEqual({
      level: 'info',
      fields: { slot: 3, changes: 201 },
      message: 'the module has come to rest',
    })
    backplane.unplug(3)
    expect(told().at(-1)).toBe('module is no longer used')
    await rack.stop()
  })

  it('is news for ever when it is changed at leisure', async () => {
    const { rack, told } = await restless(20, REST_MS)
    expect(told()).not.toContain(COMES_AND_GOES)
    expect(told().filter((message) => message === 'module is usable')).toHaveLength(20)
    await rack.stop()
  })

  it('is quiet about starts that fail, too', async () => {
    const { rack, backplane, clock, log } = await restless(4)
    const before = log.at('warn').length
    for (let time = 0; time < 50; time++) {
      backplane.plug(3).misbehave(() => Uint8Array.of(9, 9, 9), { times: Number.POSITIVE_INFINITY })
      await clock.advance(100)
      backplane.unplug(3)
    }
    expect(log.at('warn')).toHaveLength(before)
    await rack.stop()
  })

  it('says nothing of it in the middle: neighbours are news', async () => {
    const { rack, backplane, clock, told } = await restless(100)
    backplane.plug(4)
    await clock.advance(0)
    expect(told().at(-1)).toBe('module is usable')
    await rack.stop()
  })
})

describe('a module that is lost and started over and over', () => {
  it('is told as often', async () => {
    const { rack, backplane, clock, log } = device()
    const module = backplane.plug(3)
    await rack.start()
    for (let time = 0; time < 100; time++) {
      module.hang()
      await clock.advance(3000)
      module.recover()
      await clock.advance(3000)
    }
    expect(log.at('warn').filter(({ message }) => message === COMES_AND_GOES)).toHaveLength(1)
    expect(log.at('warn').length + log.at('info').length).toBeLessThan(40)
    expect(usable(rack)).toEqual([3])
    await rack.stop()
    expect(clock.pending).toBe(0)
  })
})
