import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { FakeBroker } from './fake-broker.testkit.ts'
import { Fleet } from './fleet.ts'
import { ownerOf } from './ownership.ts'
import { presenceTopic } from './topics.ts'

const ids = Array.from({ length: 1000 }, (_, index) => index.toString(16).padStart(32, '0'))

describe('ownerOf', () => {
  it('shares devices about equally', () => {
    const counts = new Map<string, number>()
    for (const id of ids)
      counts.set(String(ownerOf(id, ['a', 'b', 'c'])), (counts.get(String(ownerOf(id, ['a', 'b', 'c']))) ?? 0) + 1)
    expect([...counts.values()].every((count) => count > 250 && count < 420)).toBe(true)
  })

  it('moves only the devices of a bridge that leaves, whatever the order of the others', () => {
    for (const id of ids) {
      const before = ownerOf(id, ['a', 'b', 'c'])
      expect(ownerOf(id, ['c', 'a'])).toBe(before === 'b' ? ownerOf(id, ['a', 'c']) : before)
    }
  })

  it('has no owner without a bridge', () => expect(ownerOf('x', [])).toBeUndefined())
})

describe('Fleet', () => {
  async function joined() {
    const clock = new ManualClock()
    const broker = new FakeBroker()
    const state = { changes: 0 }
    const onChange = (): void => {
      state.changes++
    }
    const fleet = new Fleet({ fleet: 'f', name: 'a', broker, clock, onChange })
    broker.onMessage((message) => fleet.onMessage(message))
    await fleet.join()
    const say = (bridge: string, word: string): void => broker.deliver(presenceTopic('f', bridge), word)
    return { clock, broker, fleet, state, say }
  }

  it('has no devices before it knows the other bridges', async () => {
    const { clock, fleet, say, state } = await joined()
    expect(fleet.has('x')).toBe(false)
    say('b', 'online')
    await clock.advance(1000)
    expect([fleet.bridges, state.changes]).toEqual([['a', 'b'], 1])
    expect(ids.filter((id) => fleet.has(id)).length).toBeGreaterThan(300)
  })

  it('forgets a bridge by its will, and one that is silent', async () => {
    const { clock, fleet, say, state } = await joined()
    await clock.advance(1000)
    for (const bridge of ['b', 'c']) say(bridge, 'online')
    await clock.advance(300)
    say('b', 'offline')
    await clock.advance(300)
    expect([fleet.bridges, state.changes]).toEqual([['a', 'c'], 3])
    await clock.advance(12_000)
    expect(fleet.bridges).toEqual(['a'])
  })

  it('says that it is there again after the late will of its earlier connection', async () => {
    const { clock, broker, say } = await joined()
    await clock.advance(1000)
    say('a', 'offline')
    expect(broker.at('/a/presence')).toEqual(['online', 'online'])
  })

  it('ends without a timer, and says goodbye', async () => {
    const { clock, broker, fleet } = await joined()
    await clock.advance(1000)
    await fleet.goodbye()
    fleet.leave()
    expect([broker.at('/a/presence').at(-1), clock.pending]).toEqual(['offline', 0])
  })
})
