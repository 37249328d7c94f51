import { silentLog } from '@slotwire/core'
import type { ListenerPolicy, OpenDoor } from '@slotwire/edge'
import { beforeEach, describe, expect, it } from 'vitest'
import { CONNECTIONS_PER_ADDRESS, NetworkDoors, type PlannedDoor, plannedDoors } from './network-doors.ts'

const certificate = { chain: 'chain', key: 'key' }
const renewed = { chain: 'new chain', key: 'new key' }

/** A service that notes what is asked of it; ports from 1000 on cannot be had. */
let events: string[]
let policy: ListenerPolicy[]
let taken: Set<number>
beforeEach(() => {
  events = []
  policy = []
  taken = new Set()
})
const service = {
  listen: async ({ host, port }: { host: string; port: number }, given: ListenerPolicy = {}): Promise<OpenDoor> => {
    if (taken.has(port)) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
    const name = `${given.tls === undefined ? 'http' : 'https'} ${host} ${port}`
    events.push(`open ${name}`)
    policy.push(given)
    return {
      address: { address: host, family: 'IPv4', port },
      renewCertificate: ({ cert }) => events.push(`renew ${name} ${cert}`),
      close: async () => void events.push(`close ${name}`),
    }
  },
}
const doors = (proxies: readonly string[] = []): NetworkDoors =>
  new NetworkDoors({ listen: service.listen, policy: {}, proxies: () => proxies, log: silentLog })
const planned = (listen: readonly string[], httpsPort = 443, httpPort?: number): readonly PlannedDoor[] =>
  plannedDoors({ listen, httpsPort, httpPort })

describe('the doors that settings ask for', () => {
  it('are none while nothing is to listen, and one or two for each address', () => {
    expect(planned([])).toEqual([])
    expect(planned(['10.0.0.5'], 8443, 80)).toEqual([
      { scheme: 'https', host: '10.0.0.5', port: 8443 },
      { scheme: 'http', host: '10.0.0.5', port: 80 },
    ])
  })

  it('are one where an address is named twice, or contained in another', () => {
    expect(planned(['10.0.0.5', '10.0.0.5'])).toHaveLength(1)
    expect(planned(['::', '0.0.0.0', '10.0.0.5', 'fd00::5'])).toEqual([{ scheme: 'https', host: '::', port: 443 }])
    expect(planned(['0.0.0.0', '10.0.0.5', 'fd00::5']).map(({ host }) => host)).toEqual(['0.0.0.0', 'fd00::5'])
  })
})

describe('network doors', () => {
  it('are opened, kept and closed as planned; what stays is not touched', async () => {
    const network = doors()
    await network.open(planned(['10.0.0.5', '10.0.0.6']), certificate)
    events.length = 0
    await network.open(planned(['10.0.0.6', '10.0.0.7']), certificate)
    expect(events).toEqual(['close https 10.0.0.5 443', 'open https 10.0.0.7 443'])
    expect(network.listening.map(({ host }) => host)).toEqual(['10.0.0.6', '10.0.0.7'])
  })

  it('that cannot be had are told, and tried again the next time; the others open', async () => {
    const network = doors()
    taken.add(80)
    const failures = await network.open(planned(['10.0.0.5'], 443, 80), certificate)
    expect(failures).toMatchObject([{ door: { scheme: 'http', port: 80 }, error: { code: 'EADDRINUSE' } }])
    expect(network.listening).toHaveLength(1)
    taken.clear()
    expect(await network.open(planned(['10.0.0.5'], 443, 80), certificate)).toEqual([])
    expect(network.listening).toHaveLength(2)
  })

  it('with TLS present a renewed certificate, those without have none', async () => {
    const network = doors()
    await network.open(planned(['10.0.0.5'], 443, 80), certificate)
    events.length = 0
    network.renew(renewed)
    expect(events).toEqual(['renew https 10.0.0.5 443 new chain'])
  })

  it('that open while the certificate is renewed present the new one', async () => {
    const slow = async (at: { host: string; port: number }, given?: ListenerPolicy): Promise<OpenDoor> => {
      const door = await service.listen(at, given)
      late.renew(renewed)
      return door
    }
    const late = new NetworkDoors({ listen: slow, policy: {}, proxies: () => [], log: silentLog })
    await late.open(planned(['10.0.0.5']), certificate)
    expect(events.at(-1)).toBe('renew https 10.0.0.5 443 new chain')
  })

  it('bound the connections of one address, but not of a configured proxy, which speaks for many', async () => {
    await doors(['10.0.0.9']).open(planned(['::']), certificate)
    const [{ connectionsPerAddress } = {}] = policy
    if (typeof connectionsPerAddress !== 'function') throw new Error('no bound')
    expect(connectionsPerAddress('10.0.0.8')).toBe(CONNECTIONS_PER_ADDRESS)
    expect(connectionsPerAddress('10.0.0.9')).toBe(Number.POSITIVE_INFINITY)
  })
})
