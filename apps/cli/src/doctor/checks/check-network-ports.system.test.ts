import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockState } from '../../state/state-lock.ts'
import { FakeInstallation } from '../fake-installation.testkit.ts'
import { containing } from '../matchers.testkit.ts'
import { networkPortsCheck } from './check-network-ports.ts'

/** No address of any machine (RFC 5737, 3849). */
const NOWHERE = '192.0.2.7'
const NOWHERE_V6 = '2001:db8::7'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => {
  device.remove()
})

const open = (addresses: string, port = 8443) =>
  device.write('state/settings.yaml', `doors:\n  listen: [${addresses}]\n  https-port: ${port}\n`)
/** The kernel's list of what listens; `local` as the kernel writes it. */
const listens = (local: string, list = local.length > 13 ? 'tcp6' : 'tcp') =>
  device.write(`proc/net/${list}`, `  sl  local rem st\n   0: ${local} 0:0 0A 00:0 00:0 0 0 0 801 1\n`)
const program = () => device.addProcess(4713, 'nginx', { fd: 'socket:[801]' })
const TAKEN = { outcome: 'failure', found: 'taken by nginx (process 4713)' }
/** Port 8443 in the kernel's figures. */
const PORT = '20FB'
const ANY = '00000000'
const ANY_V6 = '0'.repeat(32)
/** 192.0.2.7, 127.0.0.1, 2001:db8::7, ::1, and 192.0.2.7 as IPv6 has it. */
const [AT_NOWHERE, AT_LOOPBACK] = ['070200C0', '0100007F']
const [AT_NOWHERE_V6, AT_LOOPBACK_V6, AT_MAPPED] = [
  'B80D0120000000000000000007000000',
  '00000000000000000000000001000000',
  '0000000000000000FFFF0000070200C0',
]

describe('a port of the network door', () => {
  it.each([
    [NOWHERE, AT_NOWHERE],
    [NOWHERE, ANY],
    [NOWHERE, ANY_V6],
    [NOWHERE, AT_MAPPED],
    ['0.0.0.0', AT_LOOPBACK],
    ['0.0.0.0', AT_NOWHERE],
    ['"::"', AT_LOOPBACK],
    ['"::"', AT_LOOPBACK_V6],
    [`"${NOWHERE_V6}"`, AT_NOWHERE_V6],
    [`"${NOWHERE_V6}"`, ANY_V6],
    ['"2001:DB8:0::7"', AT_NOWHERE_V6],
  ])('at %s is taken by who listens at %s', async (address, local) => {
    open(address)
    listens(`${local}:${PORT}`)
    program()
    expect(await device.look(networkPortsCheck)).toMatchObject([
      { ...TAKEN, remedy: containing('slotwire config set doors.https-port <number> --state') },
    ])
  })

  it.each([
    ['127.0.0.1', AT_NOWHERE],
    ['127.0.0.5', AT_LOOPBACK],
    ['127.0.0.1', AT_LOOPBACK_V6],
    ['"::1"', AT_LOOPBACK],
    ['"::1"', ANY],
    ['"::1"', AT_NOWHERE_V6],
    ['0.0.0.0', AT_LOOPBACK_V6],
  ])('at %s is free beside who listens at %s', async (address, local) => {
    open(address)
    listens(`${local}:${PORT}`)
    program()
    expect(await device.look(networkPortsCheck)).toMatchObject([{ outcome: 'ok', found: 'free' }])
  })

  it('is free beside who listens at another one', async () => {
    open('127.0.0.1')
    listens(`${AT_LOOPBACK}:20FC`)
    expect(await device.look(networkPortsCheck)).toEqual([{ outcome: 'ok', found: 'free', name: 'port 8443 at 127.0.0.1' }])
  })

  it.each([NOWHERE, `"${NOWHERE_V6}"`])('cannot be had at %s, which is no address of this machine', async (address) => {
    open(address)
    expect(await device.look(networkPortsCheck)).toMatchObject([
      {
        outcome: 'failure',
        found: `${address.replaceAll('"', '')} is no address of this machine now (EADDRNOTAVAIL)`,
        remedy: containing('slotwire config set doors.listen <address> --state'),
      },
    ])
  })

  it('is judged for each address, and for HTTP', async () => {
    device.write('state/settings.yaml', 'doors:\n  listen: [127.0.0.1, 127.0.0.2]\n  https-port: 8443\n  http-port: 8081\n')
    listens('0200007F:1F91')
    program()
    expect(await device.look(networkPortsCheck)).toMatchObject([
      { outcome: 'ok', name: 'port 8443 at 127.0.0.1' },
      { outcome: 'ok', name: 'port 8081 at 127.0.0.1' },
      { outcome: 'ok', name: 'port 8443 at 127.0.0.2' },
      { outcome: 'failure', name: 'port 8081 at 127.0.0.2', remedy: containing('doors.http-port') },
    ])
  })

  it('may be picked', async () => {
    open('127.0.0.1', 0)
    expect(await device.look(networkPortsCheck)).toMatchObject([{ outcome: 'ok', found: 'any free one is picked' }])
  })

  it('is taken as the kernel of this machine tells it, which nobody need call', async () => {
    let calls = 0
    const server = createServer(() => calls++).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    open('127.0.0.1', typeof address === 'object' ? address?.port : undefined)
    const roots = { ...device.installation().roots, proc: '/proc' }
    expect(await device.look(networkPortsCheck, { roots })).toMatchObject([
      { outcome: 'failure', found: containing(`process ${process.pid}`) },
    ])
    expect(calls).toBe(0)
    server.close()
  })
})

describe('a port of the network door that our service has', () => {
  const ours = { outcome: 'ok', found: 'a Slotwire runs here' }

  it('is known by its unit, at whichever address', async () => {
    open(NOWHERE)
    listens(`${AT_NOWHERE}:${PORT}`)
    device.addProcess(4714, 'node', { fd: 'socket:[801]', cgroup: '/system.slice/slotwire.service' })
    expect(await device.look(networkPortsCheck)).toMatchObject([ours])
  })

  it('is known by the state folder that is in use, where its process is hidden', async () => {
    open(NOWHERE)
    listens(`${AT_NOWHERE}:${PORT}`)
    expect(await device.look(networkPortsCheck)).toMatchObject([{ outcome: 'failure', found: containing('another user’s') }])
    const lock = lockState(device.state)
    expect(await device.look(networkPortsCheck)).toMatchObject([ours])
    lock.release()
  })

  it('is another’s where that one is seen, also while the state folder is in use', async () => {
    open(NOWHERE)
    listens(`${AT_NOWHERE}:${PORT}`)
    program()
    const lock = lockState(device.state)
    expect(await device.look(networkPortsCheck)).toMatchObject([TAKEN])
    lock.release()
  })

  it('is known by an ancestor of who listens', async () => {
    open(NOWHERE)
    listens(`${AT_NOWHERE}:${PORT}`)
    program()
    device.write('proc/4713/stat', '4713 (a (b) c) S 4712 0 0')
    device.write('proc/4712/stat', '4712 (sh) S 4711 0 0')
    device.write('proc/4711/stat', `4711 (sh) S ${process.pid} 0 0`)
    expect(await device.look(networkPortsCheck)).toMatchObject([TAKEN])
    const lock = lockState(device.state)
    expect(await device.look(networkPortsCheck)).toMatchObject([ours])
    lock.release()
  })
})
