import { describe, expect, it } from 'vitest'
import { Earlier } from './earlier.ts'

const all = { kinds: [], slot: undefined, renewals: false }
const record = (boot: number, sequence: number, kind = 'alert') => ({ id: `${boot}-${sequence}`, kind, slot: 3 })

/** A device with `inMemory` records of its second start, and `stored` ones. */
function storeOf(inMemory: readonly object[], stored: readonly { id: string }[], live: readonly object[] = []) {
  const asked: unknown[] = []
  const device = {
    state: async () => ({ last: '2-5' }),
    extension: async (path: string) => {
      asked.push(path)
      const isFirst = path.endsWith('-0')
      return { messages: isFirst ? inMemory : [], next: '2-5' }
    },
    async *history({ since }: { since?: string }) {
      asked.push(since)
      const start = since === undefined ? -1 : stored.findIndex(({ id }) => id === since)
      yield* stored.slice(start + 1)
    },
  }
  return { store: { device, records: { list: { peek: () => live } } } as never, asked }
}
const idsOf = ({ entries }: Earlier): unknown[] => entries.value.map((entry) => ('id' in entry ? entry['id'] : undefined))

describe('Earlier', () => {
  it('reads the memory first: what came before the stream', async () => {
    const { store, asked } = storeOf([{ kind: 'hello' }, record(2, 3), record(2, 4), record(2, 5)], [], [record(2, 5)])
    const earlier = new Earlier(store, all)
    await earlier.more()
    expect([idsOf(earlier), earlier.until, earlier.state.value]).toEqual([['2-3', '2-4'], '2-5', 'ready'])
    expect(asked).toEqual(['/slotwire/events?wait=0s&after=2-0'])
  })

  it('then reads the history, up to its beginning', async () => {
    const stored = [record(1, 1), record(1, 2), record(2, 1), record(2, 3)]
    const earlier = new Earlier(storeOf([record(2, 3), record(2, 4)], stored).store, all)
    await earlier.more()
    await earlier.more()
    expect([idsOf(earlier), earlier.state.value]).toEqual([['1-1', '1-2', '2-1', '2-3', '2-4'], 'end'])
  })

  it('reads the newest page of a long history', async () => {
    const stored = Array.from({ length: 3000 }, (_, index) => record(2, index + 1))
    const { store, asked } = storeOf([], stored, [record(2, 3000)])
    const earlier = new Earlier(store, all)
    await earlier.more()
    await earlier.more()
    const ids = idsOf(earlier)
    expect([ids.length, ids[0], ids.at(-1), earlier.state.value]).toEqual([200, '2-2800', '2-2999', 'ready'])
    expect(asked.slice(1)).toEqual(['2-2000'])
  })

  it('selects kinds', async () => {
    const earlier = new Earlier(storeOf([record(2, 3), record(2, 4, 'write')], []).store, { ...all, kinds: ['write'] })
    await earlier.more()
    expect(idsOf(earlier)).toEqual(['2-4'])
  })

  it('says why it cannot be read', async () => {
    const { store } = storeOf([], [])
    ;(store as { device: { state: () => Promise<never> } }).device.state = () => Promise.reject(new Error('no way'))
    const earlier = new Earlier(store, all)
    await earlier.more()
    expect([earlier.problem.value, earlier.state.value]).toEqual(['no way', 'ready'])
  })
})
