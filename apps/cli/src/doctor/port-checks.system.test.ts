import { once } from 'node:events'
import { chmodSync, linkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockState } from '../state/state-lock.ts'
import type { Finding } from './check.ts'
import { discoveryCheck } from './checks/check-discovery.ts'
import { networkPortsCheck } from './checks/check-network-ports.ts'
import { originalServicesCheck } from './checks/check-original-services.ts'
import { portCheck } from './checks/check-port.ts'
import { powerManagerCheck } from './checks/check-power-manager.ts'
import { FakeInstallation, STRANGER } from './fake-installation.testkit.ts'
import { containing, matching } from './matchers.testkit.ts'

let device: FakeInstallation
let servers: Server[]
let heard: string
beforeEach(() => {
  device = new FakeInstallation()
  servers = []
  heard = ''
})
afterEach(async () => {
  for (const server of servers) {
    const closed = once(server, 'close')
    server.close()
    await closed
  }
  device.remove()
})

/** Listens at a path or at a free port; what it hears is kept, and answered with `answer`. */
async function listen(at: string | { readonly host: string; readonly port: number }, answer?: string): Promise<number> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      heard += String(bytes)
      if (answer !== undefined) socket.end(answer)
    })
  })
  servers.push(server)
  server.listen(at)
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'string' ? 0 : (address?.port ?? 0)
}

const LOOPBACK = { host: '127.0.0.1', port: 0 }
const answerOf = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
const SLOTWIRE = answerOf('{"status":"success"}')

/** The kernel's list of sockets with one that listens. */
const listening = (local: string, inode: number) =>
  device.write(
    'proc/net/tcp',
    `  sl  local_address rem_address   st\n   0: ${local} 00000000:0000 0A 00:0 00:0 0 0 0 ${inode} 1\n`,
  )

describe('the port of the service', () => {
  const roots = () => ({ ...device.installation().roots, proc: '/proc' })

  it('is free', async () => {
    const port = await listen(LOOPBACK)
    const [server] = servers.splice(0)
    const closed = once(server as Server, 'close')
    server?.close()
    await closed
    expect(await device.look(portCheck, { overrides: { loopbackPort: port }, roots: roots() })).toEqual([
      { outcome: 'ok', found: 'free', name: `port ${port}` },
    ])
  })

  it('is that of the settings where none is named', async () => {
    device.write('state/settings.yaml', 'doors:\n  loopback-port: 0\n')
    expect(await device.look(portCheck)).toMatchObject([{ outcome: 'ok', found: 'any free one is picked' }])
  })

  it('is taken by another program, and that one is named', async () => {
    const port = await listen(LOOPBACK, answerOf('hello'))
    expect(await device.look(portCheck, { overrides: { loopbackPort: port }, roots: roots() })).toMatchObject([
      {
        outcome: 'failure',
        found: matching(new RegExp(`^taken by .*process ${process.pid}`)),
        remedy: containing(`ss -ltnp 'sport = :${port}'`),
      },
    ])
  })

  it('is taken by another program where the kernel tells nothing', async () => {
    const port = await listen(LOOPBACK, answerOf('hello'))
    expect(await device.look(portCheck, { overrides: { loopbackPort: port } })).toMatchObject([
      { outcome: 'failure', found: 'taken by a program' },
    ])
  })

  it('is taken by one that accepts and says nothing: two seconds are enough for it', async () => {
    const port = await listen(LOOPBACK)
    const clock = new ManualClock()
    let findings: readonly Finding[] | undefined
    void device.look(portCheck, { overrides: { loopbackPort: port } }, clock).then((found) => (findings = found))
    await expect.poll(() => heard).toContain('GET /slotwire/livez')
    await clock.advance(2000)
    await expect.poll(() => findings).toMatchObject([{ outcome: 'failure' }])
  })

  it('is served by a Slotwire', async () => {
    const port = await listen(LOOPBACK, SLOTWIRE)
    expect(await device.look(portCheck, { overrides: { loopbackPort: port } })).toMatchObject([
      { outcome: 'ok', found: 'a Slotwire runs here' },
    ])
  })

  it('is served by the service of this state folder, even when it is too busy to answer', async () => {
    const port = await listen(LOOPBACK)
    const lock = lockState(device.state)
    expect(await device.look(portCheck, { overrides: { loopbackPort: port }, roots: roots() })).toMatchObject([{ outcome: 'ok' }])
    expect(heard).toBe('')
    lock.release()
  })
})

describe('the original services', () => {
  it('do not run', async () => {
    expect(await device.look(originalServicesCheck)).toEqual([
      { outcome: 'ok', found: 'nobody listens at the ports 8001, 8002, 8003' },
    ])
  })

  it.each(['0100007F:1F42', '00000000:1F42'])('run: at %s there is one, and how it is stopped', async (local) => {
    listening(local, 777)
    device.addProcess(4711, 'io-server', { fd: 'socket:[777]', cgroup: '/system.slice/io-module.service' })
    expect(await device.look(originalServicesCheck)).toMatchObject([
      {
        outcome: 'failure',
        name: 'port 8002',
        found: matching(/^taken by io-server \(process 4711 of io-module\.service\): the original io service/),
        remedy: 'See what it is, and stop it where it was started: systemctl status 4711.',
      },
    ])
  })

  it('run, but whose they are this user may not know', async () => {
    listening('0100007F:1F43', 778)
    expect(await device.look(originalServicesCheck)).toMatchObject([
      { outcome: 'failure', name: 'port 8003', found: containing('another user’s program') },
    ])
  })

  it('harm nobody who does not serve their modules, or at another address', async () => {
    listening('0100007F:1F43', 778)
    expect(await device.look(originalServicesCheck, { services: ['io', 'power'] })).toMatchObject([{ outcome: 'ok' }])
    listening('0A00000A:1F43', 778)
    expect(await device.look(originalServicesCheck)).toMatchObject([{ outcome: 'ok' }])
  })

  it('are replaced by ours', async () => {
    listening('0100007F:1F42', 779)
    device.addProcess(4712, 'node', { fd: 'socket:[779]', cgroup: '/system.slice/slotwire-io.service' })
    expect(await device.look(originalServicesCheck)).toMatchObject([{ outcome: 'ok', name: 'port 8002' }])
  })
})

describe('the ports of the network door', () => {
  const open = () => device.write('state/settings.yaml', 'doors:\n  listen: [0.0.0.0]\n  https-port: 443\n')

  it('are none while it is closed', async () => {
    expect(await device.look(networkPortsCheck)).toMatchObject([{ outcome: 'ok', found: 'none: the network door is closed' }])
  })

  it('are free, and need leave', async () => {
    open()
    const root = { name: 'root', uid: 0, gids: [0] }
    expect(await device.look(networkPortsCheck, { user: root })).toMatchObject([
      { outcome: 'ok', found: 'free', name: 'port 443 at 0.0.0.0' },
    ])
    expect(await device.look(networkPortsCheck, { user: STRANGER })).toMatchObject([
      { outcome: 'warning', remedy: containing('CAP_NET_BIND_SERVICE') },
    ])
  })

  it('are taken', async () => {
    open()
    listening('00000000:01BB', 801)
    device.addProcess(4713, 'nginx', { fd: 'socket:[801]' })
    expect(await device.look(networkPortsCheck)).toMatchObject([
      { outcome: 'failure', found: 'taken by nginx (process 4713)', remedy: containing('slotwire config set') },
    ])
  })
})

const REMOVAL = /\b(rm|rmdir|unlink|[Rr]emove)\b/

/** A socket whose server is no more. */
async function leaveBehind(socket: string): Promise<void> {
  await listen(`${socket}.alive`)
  linkSync(`${socket}.alive`, socket)
  const [server] = servers.splice(0)
  const closed = once(server as Server, 'close')
  server?.close()
  await closed
}

describe('the power manager', () => {
  const socket = () => join(device.run, 'power.socket')
  const look = (isNamed = false, more = {}) =>
    device.look(powerManagerCheck, { powerManager: { socket: socket(), isNamed }, ...more })

  it('need not be there', async () => {
    expect(await look()).toMatchObject([{ outcome: 'ok', found: containing('shares the power out itself') }])
  })

  it('must be there when it is named', async () => {
    expect(await look(true)).toMatchObject([{ outcome: 'failure', found: `${socket()} does not exist` }])
  })

  it('is asked for nothing where no module is', async () => {
    await listen(socket())
    expect(await look()).toMatchObject([{ outcome: 'ok', found: containing(`${socket()} accepts`) }])
    expect(heard).toBe('')
  })

  it('has died, and left its socket', async () => {
    await leaveBehind(socket())
    expect(await look()).toMatchObject([
      {
        outcome: 'failure',
        found: `${socket()} is left over: nobody listens`,
        remedy: containing(`rm ${socket()}`),
      },
    ])
  })

  it('is not for this user', async () => {
    await listen(socket())
    chmodSync(socket(), 0o660)
    expect(await look(false, { user: STRANGER })).toMatchObject([
      { outcome: 'failure', remedy: containing(`chown stranger ${socket()}`) },
    ])
    chmodSync(device.run, 0o700)
    expect(await look(false, { user: STRANGER })).toMatchObject([
      { outcome: 'failure', found: `stranger may not enter ${device.run}` },
    ])
  })

  it.each([true, false])('is a file, whether named (%s) or not: nobody is told to remove it', async (isNamed) => {
    device.write('run/power.socket', '')
    const [finding] = await look(isNamed)
    expect(finding).toMatchObject({
      outcome: 'failure',
      found: `${socket()} is no socket`,
      remedy: containing('Name the socket of the power manager with --power-manager <socket>'),
    })
    expect(finding?.remedy).not.toMatch(REMOVAL)
  })

  it.each(['/', '/run', '/etc', '/dev/null'])('is %s, which somebody typed: nobody is told to remove it', async (typed) => {
    const [finding] = await device.look(powerManagerCheck, { powerManager: { socket: typed, isNamed: true } })
    expect(finding).toMatchObject({ outcome: 'failure', found: `${typed} is no socket` })
    expect(finding?.remedy).not.toMatch(REMOVAL)
  })

  it('is somebody’s socket at which nobody listens, and that was typed: nobody is told to remove it', async () => {
    await leaveBehind(socket())
    const [finding] = await look(true)
    expect(finding).toMatchObject({ outcome: 'failure', found: `${socket()} is left over: nobody listens` })
    expect(finding?.remedy).not.toMatch(REMOVAL)
  })
})

describe('discovery', () => {
  const open = (discovery: string) =>
    device.write('state/settings.yaml', `doors:\n  listen: [0.0.0.0]\ndiscovery: ${discovery}\n`)
  const avahi = () => join(device.run, 'avahi-daemon', 'socket')

  it('is for devices with an open network door', async () => {
    expect(await device.look(discoveryCheck)).toMatchObject([{ outcome: 'ok', found: containing('not announced') }])
  })

  it('is avahi’s', async () => {
    open('auto')
    device.write('run/avahi-daemon/pid', '')
    await listen(avahi())
    expect(await device.look(discoveryCheck)).toMatchObject([{ outcome: 'ok', found: 'avahi announces the device' }])
  })

  it('is avahi’s, who does not answer', async () => {
    open('auto')
    device.write('run/avahi-daemon/socket', '')
    expect(await device.look(discoveryCheck)).toMatchObject([
      { outcome: 'warning', remedy: containing('systemctl restart avahi-daemon') },
    ])
  })

  it('is to be avahi’s, who does not run', async () => {
    open('avahi')
    expect(await device.look(discoveryCheck)).toMatchObject([{ outcome: 'warning', found: 'avahi does not run' }])
  })

  it('is our own, beside others', async () => {
    open('auto')
    expect(await device.look(discoveryCheck)).toMatchObject([{ outcome: 'ok', found: 'by this service itself' }])
    device.write('proc/net/udp', '  sl  local_address\n  1: 00000000:14E9 00000000:0000 07\n')
    expect(await device.look(discoveryCheck)).toMatchObject([
      { outcome: 'ok', found: 'port 5353 is shared with another program' },
    ])
  })
})
