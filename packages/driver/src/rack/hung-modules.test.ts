import { LinkError } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { type FakeModule, RELAY } from '../slot/fake-module.testkit.ts'
import { HEARTBEAT_GAP_LIMIT_MS } from '../slot/heartbeat.ts'
import { PROBATION_MS } from './bay.ts'
import { device, usable } from './rack.testkit.ts'
import { STOP_DEADLINE_MS } from './rack.ts'

const CLOSE_MS = 560
const unanswered = (module: FakeModule): void => module.fail('transfer-failed', { times: Number.POSITIVE_INFINITY })

describe('modules that hang', () => {
  it('are closed one at a time, and between two closes their neighbour gets a heartbeat', async () => {
    const { clock, backplane, rack } = device()
    const modules = [3, 4, 5, 6].map((slot) => backplane.plug(slot))
    const neighbour = modules[3] as FakeModule
    await rack.start()
    const session = rack.usable(RELAY).at(-1)?.session
    const closes: { beganMs: number; endedMs: number }[] = []
    let closing = 0
    // A close keeps the bus: the neighbour's heartbeat fails meanwhile.
    neighbour.misbehave(
      () =>
        closing > 0 ? Promise.reject(new LinkError('busy', 'the bus is taken')) : Promise.resolve(Uint8Array.of(1, 3, 3, 0)),
      { name: 'MODE_RUN', times: Number.POSITIVE_INFINITY },
    )
    for (const module of modules.slice(0, 3)) {
      unanswered(module)
      module.close = async () => {
        const beganMs = clock.now()
        closing++
        await clock.sleep(CLOSE_MS)
        closing--
        closes.push({ beganMs, endedMs: clock.now() })
      }
    }
    await clock.advance(HEARTBEAT_GAP_LIMIT_MS + 100 + 3 * (CLOSE_MS + 200))
    expect(closes.slice(0, 3).map(({ endedMs, beganMs }) => endedMs - beganMs)).toEqual([CLOSE_MS, CLOSE_MS, CLOSE_MS])
    for (const [index, { beganMs }] of closes.slice(1, 3).entries()) {
      const { endedMs } = closes[index] as { endedMs: number }
      expect(neighbour.sent.some(({ atMs }) => atMs >= endedMs && atMs <= beganMs)).toBe(true)
    }
    expect(rack.usable(RELAY).map((slot) => slot.session)).toEqual([session])
    const stop = rack.stop()
    await clock.advance(STOP_DEADLINE_MS)
    await stop
  })

  it('three times within ten seconds are usable again only after three seconds of acknowledged heartbeats', async () => {
    const { clock, backplane, rack } = device()
    const module = backplane.plug(3)
    await rack.start()
    for (const [times, pauseMs] of [500, 1000].entries()) {
      unanswered(module)
      await clock.advance(1000)
      expect(usable(rack)).toEqual([])
      module.recover()
      await clock.advance(pauseMs)
      expect([times, usable(rack)]).toEqual([times, [3]])
    }
    unanswered(module)
    await clock.advance(1000)
    module.recover()
    await clock.advance(2000 + PROBATION_MS - 300)
    expect(usable(rack)).toEqual([])
    module.fail('transfer-failed', { name: 'MODE_RUN' })
    await clock.advance(4000 + PROBATION_MS)
    expect(usable(rack)).toEqual([])
    await clock.advance(400)
    expect(usable(rack)).toEqual([3])
    await rack.stop()
  })
})
