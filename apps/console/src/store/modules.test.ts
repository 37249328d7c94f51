import { ManualClock, nextTurn } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { Modules } from './modules.ts'

type Present = Readonly<Record<number, string>>

let clock: ManualClock
/** Sessions of io modules, by slot. */
let present: Present
let described: number[]
let modules: Modules
beforeEach(() => {
  clock = new ManualClock()
  ;[present, described] = [{ 3: 'A' }, []]
  const seen = new Map<number, string | undefined>()
  const device = {
    state: async () => ({
      modules: Object.entries(present).map(([slot, session]) => ({
        slot: Number(slot),
        service: 'io',
        session,
        since: '',
        state: {},
      })),
      leases: [],
    }),
    module: (_service: string, slot: number) => ({
      descriptor: async () => {
        described.push(slot)
        return { serial_code: `${slot}` }
      },
    }),
    context: {
      http: { closed: false },
      sessions: {
        at: (slot: number) => ({ session: seen.get(slot) }),
        seen: (slot: number, _service: string, session: string | undefined) => seen.set(slot, session),
      },
    },
  }
  modules = new Modules(device as never, clock, () => 1000)
})

async function read(now: Present): Promise<void> {
  present = now
  modules.refresh()
  await clock.advance(200)
  for (let turns = 0; turns < 3; turns++) await nextTurn()
}

const record = (fields: object) => ({ id: '1-1', at: '', up_ms: 0, ...fields }) as unknown as Parameters<Modules['hear']>[0]
const hear = (event: string): void => modules.hear(record({ kind: 'module', event, slot: 3, service: 'io' }))
const notices = () => [...modules.notices.value.values()].map(({ slot, what }) => [slot, what])

describe('Modules', () => {
  it.each<[string, Present[], unknown[]]>([
    ['the first look', [{ 3: 'A' }], []],
    ['the same session', [{ 3: 'A' }, { 3: 'A' }], []],
    ['a new session', [{ 3: 'A' }, { 3: 'B' }], [[3, 'new-session']]],
    ['a module that left', [{ 3: 'A' }, {}], [[3, 'left']]],
    ['a module that left and is back', [{ 3: 'A' }, {}, { 3: 'B' }], [[3, 'new-session']]],
    ['a module that is new', [{ 3: 'A' }, { 3: 'A', 5: 'C' }], []],
    [
      'a restart of the device',
      [{ 3: 'A', 5: 'C' }, {}, { 3: 'B', 5: 'D' }],
      [
        [3, 'new-session'],
        [5, 'new-session'],
      ],
    ],
  ])('note what is lost: %s', async (_, reads, expected) => {
    for (const each of reads) await read(each)
    expect(notices()).toEqual(expected)
  })

  it('forget a notice that the user has seen', async () => {
    await read({ 3: 'A' })
    await read({ 3: 'B' })
    modules.dismiss(3)
    await read({ 3: 'B' })
    expect(notices()).toEqual([])
  })

  it.each([
    [['hung'], [3]],
    [['hung', 'arrived'], []],
    [['hung', 'left'], []],
    [['arrived', 'hung'], [3]],
  ])('know which module does not answer after the records %j', async (events, expected) => {
    for (const event of events) hear(event)
    expect([...modules.hung.value.keys()]).toEqual(expected)
  })

  it.each([
    ['hung', ['left', 'hung'], [3], []],
    ['is gone', ['arrived', 'left'], [], [[3, 'left']]],
    ['came back', ['left', 'arrived'], [], [[3, 'new-session']]],
    ['has a new session', ['arrived', 'session'], [], [[3, 'new-session']]],
    ['came with the start of the service', ['arrived'], [], []],
  ])('know a module that %s before the page was opened', (_, events, hung, expected) => {
    modules.hearPast(events.map((event) => record({ kind: 'module', event, slot: 3, service: 'io', at: '1970-01-01T00:00:00Z' })))
    expect([[...modules.hung.value.keys()], notices()]).toEqual([hung, expected])
  })

  it.each([
    ['once for each session', [], 1],
    ['again after a grant of power', [{ kind: 'power', slot: 3, session: 'A' }], 2],
    ['again after a reset', [{ kind: 'write', endpoint: 'reset', slot: 3, session: 'A' }], 2],
    ['once after other writes', [{ kind: 'write', endpoint: 'setInputMode', slot: 3, session: 'A' }], 1],
  ])('read the descriptor %s', async (_, records, times) => {
    await read({ 3: 'A' })
    for (const each of records) modules.hear(record(each))
    await read({ 3: 'A' })
    expect([described, modules.list.value[0]?.descriptor?.serial_code]).toEqual([Array(times).fill(3), '3'])
  })
})
