import { silentLog } from '@slotwire/core'
import type { ListenerPolicy, OpenDoor } from '@slotwire/edge'
import { beforeEach, describe, expect, it } from 'vitest'
import { interfaceInfo } from './interface-info.testkit.ts'
import {
  CONNECTIONS_PER_ADDRESS,
  isLinkLocal,
  NetworkDoors,
  type PlannedDoor,
  plannedDoors,
  reachableAddresses,
} from './network-doors.ts'

const certificate = { cert: 'chain', key: 'key' }
const renewed = { cert: 'new chain', key: 'new key' }

/** A service that records calls; ports in `taken` fail. */
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

describe('plannedDoors', () => {
  it('returns no doors without listen addresses, and one or two per address', () => {
    expect(planned([])).toEqual([])
    expect(planned(['10.0.0.5'], 8443, 80)).toEqual([
      { scheme: 'https', host: '10.0.0.5', port: 8443 },
      { scheme: 'http', host: '10.0.0.5', port: 80 },
    ])
  })

  it('merges repeated addresses and addresses within another one', () => {
    expect(planned(['10.0.0.5', '10.0.0.5'])).toHaveLength(1)
    expect(planned(['::', '0.0.0.0', '10.0.0.5', 'fd00::5'])).toEqual([{ scheme: 'https', host: '::', port: 443 }])
    expect(planned(['0.0.0.0', '10.0.0.5', 'fd00::5']).map(({ host }) => host)).toEqual(['0.0.0.0', 'fd00::5'])
  })
})

describe('NetworkDoors', () => {
  it('opens, keeps and closes doors as planned, without touching those that stay', async () => {
    const network = doors()
    await network.open(planned(['10.0.0.5', '10.0.0.6']), certificate)
    events.length = 0
    await network.open(planned(['10.0.0.6', '10.0.0.7']), certificate)
    expect(events).toEqual(['close https 10.0.0.5 443', 'open https 10.0.0.7 443'])
    expect(network.listening.map(({ host }) => host)).toEqual(['10.0.0.6', '10.0.0.7'])
  })

  it('reports doors that cannot be opened, and tries them again the next time', async () => {
    const network = doors()
    taken.add(80)
    const failures = await network.open(planned(['10.0.0.5'], 443, 80), certificate)
    expect(failures).toMatchObject([{ door: { scheme: 'http', port: 80 }, error: { code: 'EADDRINUSE' } }])
    expect(network.listening).toHaveLength(1)
    taken.clear()
    expect(await network.open(planned(['10.0.0.5'], 443, 80), certificate)).toEqual([])
    expect(network.listening).toHaveLength(2)
  })

  it('presents a renewed certificate at TLS doors only', async () => {
    const network = doors()
    await network.open(planned(['10.0.0.5'], 443, 80), certificate)
    events.length = 0
    network.renew(renewed)
    expect(events).toEqual(['renew https 10.0.0.5 443 new chain'])
  })

  it('presents the new certificate at a door that opens during a renewal', async () => {
    const slow = async (at: { host: string; port: number }, given?: ListenerPolicy): Promise<OpenDoor> => {
      const door = await service.listen(at, given)
      late.renew(renewed)
      return door
    }
    const late = new NetworkDoors({ listen: slow, policy: {}, proxies: () => [], log: silentLog })
    await late.open(planned(['10.0.0.5']), certificate)
    expect(events.at(-1)).toBe('renew https 10.0.0.5 443 new chain')
  })

  it('limits the connections of an address, except of a configured proxy', async () => {
    await doors(['10.0.0.9']).open(planned(['::']), certificate)
    const mostOf = (address: string) => policy[0]?.connectionsPerAddress?.(address)
    expect([mostOf('10.0.0.8'), mostOf('10.0.0.9')]).toEqual([CONNECTIONS_PER_ADDRESS, Number.POSITIVE_INFINITY])
  })
})

const interfaces = {
  lo: [interfaceInfo('127.0.0.1'), interfaceInfo('::1')],
  eth0: [interfaceInfo('10.0.0.5'), interfaceInfo('fd00::5'), interfaceInfo('fe80::5')],
  eth1: [interfaceInfo('192.168.1.5')],
  gone: undefined,
}

it.each([
  [['0.0.0.0'], ['10.0.0.5', '192.168.1.5']],
  [['::'], ['10.0.0.5', 'fd00::5', '192.168.1.5']],
  [['fd00::5'], ['fd00::5']],
  [['192.168.1.5'], ['192.168.1.5']],
  [['127.0.0.1'], []],
  [['::1', '10.9.9.9'], []],
  [[], []],
])('reachableAddresses turns the listen addresses %j into %j', (listen, reachable) =>
  expect(reachableAddresses(listen, interfaces)).toEqual(reachable),
)

it('isLinkLocal accepts fe80 to febf', () => {
  const addresses = ['fe80::1', 'FEBF::1', 'fec0::1', 'fd77::1', '169.254.0.1']
  expect(addresses.filter(isLinkLocal)).toEqual(['fe80::1', 'FEBF::1'])
})
