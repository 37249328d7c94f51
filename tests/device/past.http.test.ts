import { listen } from '@slotwire/edge'
import { expect, it } from 'vitest'
import * as firmwares from '../../modules/firmwares.ts'
import { describeDevice } from './device.testkit.ts'

interface PastAnswer {
  readonly ago_milliseconds: readonly number[]
  readonly series: readonly { readonly pin: number; readonly values: readonly (number | null)[] }[]
}

describeDevice('GET /slotwire/past', (device) => {
  const io = device.module('io', 5)
  const inject = (query: string) => device.service.inject(`/slotwire/past?${query}`)
  const past = async (query = 'watch=io/5/input/values'): Promise<PastAnswer> => (await inject(query)).json<PastAnswer>()

  it('has what clients and metrics read, the same for each reader, and asks the bus for nothing', async () => {
    const unread = device.bus.count
    // The second answer is cached: no reading.
    for (const _ of [1, 2]) await io.read('input/values')
    expect(device.bus.count - unread).toBe(1)
    await device.advance(5000)
    await device.service.inject('/slotwire/metrics')
    await device.advance(1)
    const before = device.bus.count
    const [one, other] = await Promise.all([past(), past('watch=io/5/input/values/&since=10m')])
    expect(other).toEqual(one)
    expect(device.bus.count).toBe(before)
    const { ago_milliseconds: ages, series } = one
    expect(ages).toEqual([5001, 5000, 1])
    expect(series.map(({ pin }) => pin)).toEqual([1, 2, 3, 4, 5, 6])
    expect(series[2]).toEqual({ pin: 3, pin_type: 'voltage_millivolt', values: [3270, null, 3270] })
    expect((await past('watch=power/1/stats')).series[0]).toEqual({ field: 'voltage_3v3', values: [expect.any(Number)] })
    expect((await past('watch=io/3/input/values/current&since=1s')).series).not.toEqual([])
  })

  it.each([
    ['io', 200],
    ['power', 403],
  ])('shows a token the past of its services: one for %s gets %i', async (service, status) => {
    const sees = (path: string): boolean => path === `/api/${service}/1.0`
    const caller = { door: 'network', address: '192.0.2.7', readOnly: true, sees } as const
    const { address } = await listen(device.service, { host: '127.0.0.1', port: 0 }, { checkAccess: () => ({ caller }) })
    const answer = await fetch(`http://127.0.0.1:${address.port}/slotwire/past?watch=io/5/input/values`)
    await answer.text()
    expect(answer.status).toBe(status)
  })

  it('has a gap where a module left and came back', async () => {
    await io.read('input/values')
    device.chassis.unplug(5)
    await device.advance(1000)
    device.chassis.plug(5, firmwares.io)
    await device.advance(1000)
    await io.read('input/values')
    expect((await past()).series[0]?.values).toEqual([0, null, 0])
  })

  it.each([
    ['', 'cannot be read'],
    ['watch=io/5/input/mode', 'cannot be read'],
    ['watch=io/9/input/values', 'the slot of watch'],
    ['watch=io/5/descriptor', 'has no past: use a read that has metrics, as io/3/input/values'],
    ['watch=io/5/input/values&since=2h', 'since is 2h: write a time from 1s to 1h'],
    ['watch=io/5/input/values&since=999ms', 'since is 999ms: write a time from 1s to 1h'],
    ['watch=io/5/input/values&every=1s', 'the parameter every is unknown'],
  ])('refuses %j', async (query, message) => {
    const answer = await inject(query)
    expect([answer.statusCode, answer.body]).toEqual([422, expect.stringContaining(message)])
  })
})
