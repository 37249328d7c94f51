import { describe, expect, it } from 'vitest'
import type { AnnouncedDoor } from './announced-entry.ts'
import { groupDevices, type KnownDoor } from './discover.ts'
import type { ProbeResult } from './examine-door.ts'

const WORKS: ProbeResult = { state: 'works', versions: { api: '1.0.0', service: '0.1.0' } }

function door(machineId: string | undefined, changes: Partial<AnnouncedDoor> = {}, result: ProbeResult = WORKS): KnownDoor {
  const plain = { scheme: 'https', host: 'press-4.local', port: 443, interfaceName: 'eth0', addresses: ['10.0.0.5'] } as const
  const own: AnnouncedDoor = { ...plain, machineIdPath: '/machine-id', tlsCaPath: '/ca.pem', ...changes }
  const entries = [{ service: 'io-module', path: '/api/io/', vendor: 'Acme', door: own }]
  return { door: own, entries, examined: { machineId, caFingerprint: undefined, results: [result] } }
}

describe('groupDevices', () => {
  it('separates devices by machine id even with one name in two networks', () => {
    const devices = groupDevices([door('a'), door('b', { interfaceName: 'eth1', addresses: ['10.1.0.5'] })])
    expect(devices.map(({ machineId, addresses }) => [machineId, addresses])).toEqual([
      ['a', ['10.0.0.5']],
      ['b', ['10.1.0.5']],
    ])
  })

  it('merges doors with one machine id across names, networks and ports', () => {
    const [device, ...others] = groupDevices([
      door('a'),
      door('a', { interfaceName: 'eth1', addresses: ['10.1.0.5'] }),
      door('a', { scheme: 'http', port: 80 }),
      door('a', { host: 'line-3.local', addresses: ['10.0.0.5', 'fd77::5'] }),
    ])
    expect(others).toEqual([])
    expect(device).toMatchObject({ machineId: 'a', hostNames: ['line-3.local', 'press-4.local'], vendor: 'Acme' })
    expect(device?.addresses).toEqual(['10.0.0.5', '10.1.0.5', 'fd77::5'])
    expect(device?.services.map(({ name, path, doors }) => [name, path, doors.map(({ url }) => url)])).toEqual([
      [
        'io-module',
        '/api/io/',
        ['https://press-4.local/api/io/', 'https://line-3.local/api/io/', 'http://press-4.local/api/io/'],
      ],
    ])
  })

  it('groups a door without machine id by its host', () => {
    const silent: ProbeResult = { state: 'unreachable', reason: 'connect ECONNREFUSED' }
    const devices = groupDevices([
      door('a'),
      door(undefined, { scheme: 'http', port: 80 }, silent),
      door(undefined, { host: 'x.local' }, silent),
      door(undefined, { host: 'x.local', scheme: 'http', port: 80 }, silent),
    ])
    expect(devices.map(({ machineId, services }) => [machineId, services[0]?.doors.map(({ state }) => state)])).toEqual([
      ['a', ['works', 'unreachable']],
      [undefined, ['unreachable', 'unreachable']],
    ])
  })

  it('shows the better result of a door seen in two networks', () => {
    const failing: ProbeResult = { state: 'failed', reason: 'status 500' }
    const doors = [door('a', {}, failing), door('a', { interfaceName: 'eth1' }), door('a', { interfaceName: 'eth2' }, failing)]
    expect(groupDevices(doors)[0]?.services[0]?.doors).toEqual([
      { url: 'https://press-4.local/api/io/', state: 'works', reason: undefined, versions: WORKS.versions },
    ])
  })
})
