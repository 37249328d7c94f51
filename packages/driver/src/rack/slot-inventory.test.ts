import { describe, expect, it } from 'vitest'
import { EXCHANGE_DEADLINE_MS } from '../slot/bus.ts'
import { RELAY } from '../slot/fake-module.testkit.ts'
import { outcomeOf, readValue } from '../slot/slot.testkit.ts'
import type { Slot } from '../slot/slot.ts'
import { REOPEN_DELAY_MS } from './bay.ts'
import { device } from './rack.testkit.ts'
import type { Rack } from './rack.ts'

function states(rack: Rack): Record<number, string> {
  return Object.fromEntries(rack.inventory().map(({ slot, state }) => [slot, state]))
}

describe('the inventory of a rack', () => {
  it('has the state of each module', async () => {
    const { clock, backplane, rack } = device()
    backplane.plug(1, { bootloaderState: 'in bootloader mode' })
    backplane.plug(2, { vendorProductId: 'example.org/other' })
    backplane.plug(3).firmwareMajor = 2
    backplane.plug(4)
    backplane.plug(5).fail('transfer-failed', { times: 4 })
    const never = new Promise<void>(() => undefined)
    backplane.plug(6)
    backplane.beforeOpen = () => (backplane.opened.at(-1) === 6 ? never : Promise.resolve())
    const start = rack.start()
    await clock.advance(0)
    expect(states(rack)).toEqual({
      1: 'bootloader',
      2: 'foreign',
      3: 'incompatible',
      4: 'usable',
      5: 'failed',
      6: 'starting',
    })
    expect(rack.inventory().map(({ descriptor }) => descriptor?.vendorProductId)).toEqual([
      RELAY,
      'example.org/other',
      RELAY,
      RELAY,
      RELAY,
      RELAY,
    ])
    await clock.advance(REOPEN_DELAY_MS)
    expect(states(rack)[5]).toBe('usable')
    await rack.stop()
    await clock.advance(10_000)
    await start
  })

  it('shows a module that hangs, and one whose link broke, until they are back', async () => {
    const { clock, backplane, rack } = device()
    const [hanging, breaking] = [backplane.plug(3), backplane.plug(4)]
    await rack.start()
    hanging.hang()
    outcomeOf(readValue(rack.find(3, RELAY) as Slot))
    await clock.advance(EXCHANGE_DEADLINE_MS)
    breaking.fail('gone')
    outcomeOf(readValue(rack.find(4, RELAY) as Slot))
    await clock.advance(0)
    expect(states(rack)).toEqual({ 3: 'hung', 4: 'lost' })
    hanging.recover()
    await clock.advance(REOPEN_DELAY_MS)
    expect(states(rack)).toEqual({ 3: 'usable', 4: 'usable' })
  })

  it('keeps an emptied slot without its module', async () => {
    const { backplane, rack } = device()
    backplane.plug(3)
    await rack.start()
    backplane.unplug(3)
    expect(rack.inventory()).toMatchObject([{ slot: 3, state: 'empty', descriptor: undefined, waitingJobs: 0 }])
  })

  it('continues its counters when the module returns, or another one comes', async () => {
    const { clock, backplane, rack } = device()
    backplane.plug(3)
    await rack.start()
    const before = rack.inventory()[0]?.statistics.transactions ?? 0
    backplane.unplug(3)
    await clock.advance(1000)
    backplane.plug(3)
    await clock.advance(0)
    expect(rack.inventory()[0]).toMatchObject({ state: 'usable', statistics: { transactions: 2 * before, sessions: 2 } })
  })

  it('is ordered by slot number', async () => {
    const { backplane, rack } = device()
    for (const slot of [5, 3, 4]) backplane.plug(slot)
    await rack.start()
    expect(rack.inventory().map(({ slot }) => slot)).toEqual([3, 4, 5])
  })
})
