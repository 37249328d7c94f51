import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { networkPortsCheck } from './checks/check-network-ports.ts'
import { portCheck } from './checks/check-port.ts'
import { FakeInstallation, STRANGER } from './fake-installation.testkit.ts'
import { runSystemd, shown } from './fake-systemd.testkit.ts'
import { containing } from './matchers.testkit.ts'

/** The highest of them: nobody is likely to have it. */
const PORT = 1023
const STATE = '/var/lib/slotwire-of-a-test'
const user = { ...STRANGER, name: 'slotwire' }

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => {
  vi.unstubAllEnvs()
  device.remove()
})

/** The unit for this state folder, and another one. */
function service(more: Readonly<Record<string, string>> = {}): void {
  const unit = { User: 'slotwire', StateDirectory: 'slotwire-of-a-test', AmbientCapabilities: 'cap_chown cap_net_bind_service' }
  const other = { Id: 'slotwire-io.service', User: 'slotwire', StateDirectory: 'slotwire/io', AmbientCapabilities: '' }
  const show = [shown(other), shown({ Id: 'slotwire.service', ...unit, ...more })].join('\n')
  runSystemd(device, { 'list-unit-files': 'slotwire.service disabled enabled\n', show })
}
const look = (more: object = {}) => device.look(portCheck, { overrides: { loopbackPort: PORT }, user, state: STATE, ...more })
const NEEDS_LEAVE = { outcome: 'warning', found: 'free, but slotwire needs leave to use ports below 1024' }

describe('a port below 1024', () => {
  it('is root’s', async () => {
    expect(await look({ user: { name: 'root', uid: 0, gids: [0] } })).toMatchObject([{ outcome: 'ok', found: 'free' }])
  })

  it('needs leave otherwise: a unit may give it', async () => {
    expect(await look()).toMatchObject([{ ...NEEDS_LEAVE, remedy: containing('--port <number>') }])
  })

  it('is given by the unit that runs the service of this state folder', async () => {
    service()
    expect(await look()).toEqual([{ outcome: 'ok', found: 'free', name: `port ${PORT}` }])
  })

  it.each([
    [{ AmbientCapabilities: 'cap_chown' }],
    [{ User: 'root' }],
    [{ StateDirectory: 'slotwire' }],
    [{ LoadState: 'masked' }],
  ])('is given by no other: %j', async (more) => {
    service(more)
    expect(await look()).toMatchObject([NEEDS_LEAVE])
  })

  it('needs leave for the network door as well', async () => {
    device.write('state/settings.yaml', `doors:\n  listen: [127.0.0.1]\n  https-port: ${PORT}\n`)
    expect(await device.look(networkPortsCheck, { user })).toMatchObject([
      { ...NEEDS_LEAVE, remedy: containing('CAP_NET_BIND_SERVICE') },
    ])
  })
})

it('the first port for everybody is the one that the system says', async () => {
  device.write('proc/sys/net/ipv4/ip_unprivileged_port_start', `${PORT}\n`)
  expect(await look()).toMatchObject([{ outcome: 'ok' }])
  device.write('proc/sys/net/ipv4/ip_unprivileged_port_start', `${PORT + 1}\n`)
  expect(await look()).toMatchObject([{ outcome: 'warning' }])
})
