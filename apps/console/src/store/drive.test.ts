import { signal } from '@preact/signals'
import { ClientError, type Lease, type LeaseOptions } from '@slotwire/client'
import type { StateDocument } from '@slotwire/contract'
import { ManualClock, nextTurn } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { isLeased, PageLeases } from './drive.ts'

type Document = Pick<StateDocument, 'modules' | 'leases'>
const module = (slot: number, service: string) => ({ slot, service, type: '', session: '', since: '', state: {} })
const MODULES = [module(0, 'bmc'), module(1, 'power'), module(3, 'io'), module(5, 'io')]
const leased = () => new ClientError('leased', { kind: 'leased' })

let clock: ManualClock
let document: ReturnType<typeof signal<Document | undefined>>
let requests: { slots: readonly number[]; force: boolean }[]
let held: { number: number; slots: readonly number[]; lose: () => void }[]
let isTaken: boolean
let drive: PageLeases
beforeEach(() => {
  clock = new ManualClock()
  document = signal<Document | undefined>({ modules: MODULES, leases: [] })
  ;[requests, held, isTaken] = [[], [], false]
  drive = new PageLeases({ lease: grant }, clock, document)
})

async function grant(slots: readonly number[], { force = false }: LeaseOptions): Promise<Lease> {
  requests.push({ slots, force })
  if (isTaken && !force) throw leased()
  let lose: () => void = () => undefined
  const lost = new Promise<ClientError>((resolve) => {
    lose = () => resolve(leased())
  })
  const lease = { number: requests.length, slots, lose }
  held.push(lease)
  return { ...lease, lost, release: async () => void held.splice(held.indexOf(lease), 1) } as unknown as Lease
}

const step = () => drive.state.value.step

describe('Drive', () => {
  it('begins without any right, takes all slots with one lease, and gives them back', async () => {
    expect([step(), drive.holds([3])]).toEqual(['off', false])
    await drive.take('Ada')
    expect(drive.state.value).toEqual({ step: 'on', holder: 'Ada', slots: [0, 1, 3, 5] })
    expect([requests.length, drive.holds([3, 5]), drive.holds([6])]).toEqual([1, true, false])
    await drive.giveBack()
    expect([step(), held, drive.holds([3])]).toEqual(['off', [], false])
  })

  it('takes slots over from another client only by force', async () => {
    isTaken = true
    await expect(drive.take('Ada')).rejects.toSatisfy(isLeased)
    expect(step()).toBe('off')
    await drive.take('Ada', true)
    expect([step(), requests.at(-1)]).toEqual(['on', { slots: [0, 1, 3, 5], force: true }])
  })

  it.each([
    ['is taken too', false, true],
    ['stays with the client that has it', true, false],
  ])('a module that is plugged in while driving %s', async (_, taken, expected) => {
    await drive.take('Ada')
    isTaken = taken
    for (let reads = 0; reads < 3; reads++) {
      document.value = { modules: [...MODULES, module(6, 'io')], leases: [] }
      await nextTurn()
    }
    expect([drive.holds([6]), drive.holds([3]), requests.length]).toEqual([expected, true, 2])
  })

  it.each([
    [59_999, 'on'],
    [60_000, 'off'],
  ])('after %i ms in a hidden page is %s', async (ms, expected) => {
    await drive.take('Ada')
    drive.setHidden(true)
    await clock.advance(ms)
    expect([step(), held.length > 0]).toEqual([expected, expected === 'on'])
    if (expected === 'off') expect(drive.state.value).toEqual({ step: 'off', ended: 'hidden' })
  })

  it('continues when the page is visible again in time', async () => {
    await drive.take('Ada')
    drive.setHidden(true)
    await clock.advance(40_000)
    drive.setHidden(false)
    await clock.advance(40_000)
    expect([step(), clock.pending]).toEqual(['on', 0])
  })

  it('ends with all slots when a lease is lost', async () => {
    await drive.take('Ada')
    held[0]?.lose()
    await nextTurn()
    expect([drive.state.value, held]).toEqual([{ step: 'off', ended: 'lost' }, []])
  })

  it.each<[readonly object[], { readonly by?: string }]>([
    [[], {}],
    [[{ number: 77, slots: [3], holder: 'Eve' }], { by: 'Eve' }],
  ])('ends when its lease was listed and is not any more, and names who has a slot now: %j', async (leases, by) => {
    await drive.take('Ada')
    document.value = { modules: MODULES, leases }
    expect([step(), drive.holderOf([3])]).toEqual(['on', by.by ?? 'Ada'])
    document.value = { modules: MODULES, leases: [{ number: 1, slots: [0, 1, 3, 5], holder: 'Ada' }] as never }
    document.value = { modules: MODULES, leases }
    await nextTurn()
    expect([drive.state.value, held, drive.holderOf([0])]).toEqual([{ step: 'off', ended: 'lost', ...by }, [], undefined])
  })

  it('gives back a lease that is granted after the user stopped', async () => {
    const taking = drive.take('Ada')
    await drive.giveBack()
    await taking
    expect([step(), held]).toEqual(['off', []])
  })

  it('shows the leases of others, and holds no slot that another client took over', async () => {
    await drive.take('Ada')
    const other = { number: 77, slots: [3], holder: 'line 3', token: 'press' }
    document.value = { modules: MODULES, leases: [{ number: 1, slots: [0, 1, 5], holder: 'Ada' }, other] as never }
    expect([drive.others.value, drive.holds([3]), drive.holds([5])]).toEqual([[other], false, true])
  })
})
