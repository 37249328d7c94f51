import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { networkPortsCheck } from '../checks/check-network-ports.ts'
import { originalServicesCheck } from '../checks/check-original-services.ts'
import { slotHoldersCheck } from '../checks/check-slot-holders.ts'
import { FakeInstallation } from '../fake-installation.testkit.ts'
import { runSystemd } from '../fake-systemd.testkit.ts'
import { containing } from '../matchers.testkit.ts'

const STOP = 'Stop it: systemctl disable --now io-module.service.'
const LOOK = 'See what it is, and stop it where it was started: '
const UNIT = '/system.slice/io-module.service'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
  device.plug(3)
  unlinkSync(join(device.dev, 'slot3'))
  device.write('dev/slot3', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  device.remove()
})

const slot = () => join(device.dev, 'slot3')
const mainProcess = (pid: number, input = 'null') => runSystemd(device, { show: `StandardInput=${input}\nMainPID=${pid}\n` })
/** A program that listens where the original io service does. */
const listens = (pid: number, cgroup: string, command = 'io-server') => {
  device.write('proc/net/tcp', 'sl local rem st\n0: 0100007F:1F42 00000000:0000 0A 00:0 00:0 0 0 0 777 1\n')
  device.addProcess(pid, command, { fd: 'socket:[777]', cgroup })
}

describe('a unit whose main process has a slot open', () => {
  beforeEach(() => mainProcess(4711))

  it('is to be disabled', async () => {
    device.addProcess(4711, 'io-server', { fd: slot(), cgroup: UNIT })
    expect(await device.look(slotHoldersCheck)).toMatchObject([
      { outcome: 'failure', found: containing('io-server (process 4711 of io-module.service)'), remedy: STOP },
    ])
  })

  it('is to be disabled also where its port was looked at', async () => {
    listens(4711, UNIT)
    device.open(4711, slot())
    expect(await device.look(originalServicesCheck)).toMatchObject([{ outcome: 'failure', name: 'port 8002', remedy: STOP }])
  })

  it('has a name that a shell would take apart: the command quotes it', async () => {
    device.addProcess(4711, 'io-server', { fd: slot(), cgroup: '/system.slice/io\\x2dmodule.service' })
    expect(await device.look(slotHoldersCheck)).toMatchObject([
      { remedy: `Stop it: systemctl disable --now 'io\\x2dmodule.service'.` },
    ])
  })
})

describe('a unit is not to be disabled, only looked at,', () => {
  it.each([
    ['ssh.service', '/system.slice/ssh.service'],
    ['cron.service', '/system.slice/cron.service'],
    ['serial-getty@ttyS0.service', '/system.slice/system-serial\\x2dgetty.slice/serial-getty@ttyS0.service'],
    ['containerd.service', '/system.slice/containerd.service/kubepods/pod4'],
    ['docker-4f.scope', '/system.slice/docker-4f.scope'],
    ['session-3.scope', '/user.slice/user-1000.slice/session-3.scope'],
    ['machine-device.scope', '/machine.slice/machine-device.scope/payload/system.slice/io.service'],
  ])('where it is that of a program that %s started', async (unit, cgroup) => {
    mainProcess(300)
    device.addProcess(4711, 'socat', { fd: slot(), cgroup })
    expect(await device.look(slotHoldersCheck)).toMatchObject([
      {
        outcome: 'failure',
        found: containing(`socat (process 4711 of ${unit})`),
        remedy: `${LOOK}systemctl status 4711.`,
      },
    ])
  })

  it.each(['ssh.service', 'docker.service'])('where its main process has a port, and no slot: %s', async (unit) => {
    mainProcess(4711)
    listens(4711, `/system.slice/${unit}`, 'server')
    expect(await device.look(originalServicesCheck)).toMatchObject([
      { outcome: 'failure', found: containing(unit), remedy: `${LOOK}systemctl status 4711.` },
    ])
  })

  it('where its main process is a shell at a terminal', async () => {
    mainProcess(4711, 'tty')
    device.addProcess(4711, 'sh', { fd: slot(), cgroup: '/system.slice/system-getty.slice/getty@tty1.service' })
    expect(await device.look(slotHoldersCheck)).toMatchObject([{ remedy: `${LOOK}systemctl status 4711.` }])
  })

  it('where it is a user’s own, which is the inner one', async () => {
    mainProcess(4711)
    const cgroup = '/user.slice/user-1000.slice/user@1000.service/app.slice/app-terminal.slice/vte-spawn.scope'
    device.addProcess(4711, 'socat', { fd: slot(), cgroup })
    expect(await device.look(slotHoldersCheck)).toMatchObject([
      {
        found: containing('socat (process 4711 of vte-spawn.scope of user 1000)'),
        remedy: `${LOOK}systemctl --user status 4711, as user 1000.`,
      },
    ])
  })

  it('where systemd does not answer', async () => {
    device.addProcess(4711, 'io-server', { fd: slot(), cgroup: UNIT })
    expect(await device.look(slotHoldersCheck)).toMatchObject([{ remedy: `${LOOK}systemctl status 4711.` }])
  })
})

it('a program without a unit is looked at by its number', async () => {
  device.addProcess(4711, 'socat', { fd: slot(), cgroup: '/../../system.slice/ssh.service' })
  expect(await device.look(slotHoldersCheck)).toMatchObject([
    { found: containing('socat (process 4711)'), remedy: `${LOOK}ps -f -p 4711.` },
  ])
})

it('beside version 1 of control groups a unit is the one of systemd’s own hierarchy', async () => {
  device.addProcess(4711, 'io-server', { fd: slot() })
  device.write('proc/4711/cgroup', '9:devices:/some.service\n1:name=systemd:/system.slice/io-module.service\n0::/\n')
  expect(await device.look(slotHoldersCheck)).toMatchObject([{ found: containing('process 4711 of io-module.service') }])
})

describe('systemd, where it listens for others,', () => {
  const sockets = [
    '/run/dbus/system_bus_socket dbus.socket dbus.service',
    '10.0.0.10:8002 other.socket other.service',
    '127.0.0.1:8003 bmc.socket bmc.service',
    '127.0.0.1:8002 io.socket io.service',
  ].join('\n')

  it('is never to be killed: the unit of its socket is named', async () => {
    runSystemd(device, { 'list-sockets': `${sockets}\n` })
    listens(1, '/init.scope', 'systemd')
    expect(await device.look(originalServicesCheck)).toMatchObject([
      {
        outcome: 'failure',
        found: containing('taken by systemd (process 1 of io.socket)'),
        remedy: `${LOOK}systemctl status io.socket.`,
      },
    ])
  })

  it('is never to be killed, also where the socket is not told', async () => {
    listens(1, '/init.scope', 'systemd')
    expect(await device.look(originalServicesCheck)).toMatchObject([{ remedy: `${LOOK}systemctl list-sockets --all.` }])
  })

  it('is named for the network’s ports as well', async () => {
    runSystemd(device, { 'list-sockets': '[::]:8002 web.socket web.service\n' })
    listens(1, '/init.scope', 'systemd')
    device.write('state/settings.yaml', 'doors:\n  listen: [127.0.0.1]\n  https-port: 8002\n')
    expect(await device.look(networkPortsCheck)).toMatchObject([{ found: 'taken by systemd (process 1 of web.socket)' }])
  })

  it('is not named when it has handed the socket on', async () => {
    listens(1, '/init.scope', 'systemd')
    device.addProcess(4711, 'io-server', { fd: 'socket:[777]', cgroup: UNIT })
    expect(await device.look(originalServicesCheck)).toMatchObject([{ found: containing('io-server (process 4711 of') }])
  })
})
