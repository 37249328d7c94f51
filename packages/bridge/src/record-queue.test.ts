import { ManualClock, silentLog } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { type DeviceRecord, RecordQueue } from './record-queue.ts'

function delivery(position = '1-5') {
  const clock = new ManualClock()
  const published: string[] = []
  const stored: string[] = []
  const state = { refusals: 0, overflows: 0, isStuck: false }
  const queue = new RecordQueue(position, {
    clock,
    log: silentLog,
    publish: async (record: DeviceRecord) => {
      if (state.isStuck) return new Promise<void>(() => undefined)
      if (state.refusals-- > 0) throw new Error('quota exceeded')
      published.push(typeof record['id'] === 'string' ? record['id'] : record.kind)
    },
    store: async (id) => {
      stored.push(id)
    },
    onOverflow: () => {
      state.overflows++
    },
  })
  const add = (sequence: number): void => queue.add({ kind: 'alert', id: `1-${sequence}` })
  return { queue, clock, published, stored, state, add }
}

describe('RecordQueue', () => {
  it('publishes records in order, and stores the position of the last at most once a second', async () => {
    const { clock, published, stored, add, queue } = delivery()
    for (const sequence of [6, 7, 8]) add(sequence)
    await clock.advance(0)
    expect([published, queue.position]).toEqual([['1-6', '1-7', '1-8'], '1-8'])
    expect(stored).toEqual(['1-6'])
    await clock.advance(1000)
    expect(stored).toEqual(['1-6', '1-8'])
  })

  it('sends a refused record again after a pause, and never leaves one out', async () => {
    const { clock, published, state, add, queue } = delivery()
    state.refusals = 2
    add(6)
    add(7)
    await clock.advance(4999)
    expect([published, queue.position]).toEqual([[], '1-5'])
    await clock.advance(5001)
    expect(published).toEqual(['1-6', '1-7'])
  })

  it('moves its position with a gap only when something after it has an id', async () => {
    const { clock, published, add, queue } = delivery()
    queue.add({ kind: 'gap', missing: 3 })
    await clock.advance(0)
    expect([published, queue.position]).toEqual([['gap'], '1-5'])
    queue.add({ position: '2-0' })
    await clock.advance(0)
    expect(queue.position).toBe('2-0')
    add(9)
  })

  it('delivers what waits, and leaves in the device what it cannot hold', async () => {
    const { clock, published, state, add, queue } = delivery()
    for (let sequence = 6; sequence < 1100; sequence++) add(sequence)
    await clock.advance(0)
    expect([state.overflows, queue.position, published.length]).toEqual([1, '1-1005', 1000])
  })

  it('asks for nothing more while the broker does not take what waits', async () => {
    const { clock, state, add, queue } = delivery()
    state.isStuck = true
    for (let sequence = 6; sequence < 1100; sequence++) add(sequence)
    await clock.advance(60_000)
    expect([state.overflows, queue.position]).toEqual([0, '1-5'])
  })

  it('publishes nothing after it was stopped', async () => {
    const { clock, published, add, queue } = delivery()
    queue.stop()
    add(6)
    await clock.advance(0)
    expect(published).toEqual([])
  })
})
