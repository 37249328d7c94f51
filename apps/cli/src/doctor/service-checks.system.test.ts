import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { type Clock, ManualClock, SystemClock } from '@slotwire/core'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { lockState } from '../state/state-access.ts'
import type { Check, Finding, Service } from './check.ts'
import { expectKnownCommand, FakeMachine, STRANGER, text } from './doctor.testkit.ts'
import { ANSWER_DEADLINE_MS, findService } from './running-service.ts'
import { checkDoors, checkRunningService } from './service-checks.ts'

const READY = '{"status":"success"}'
const LOCAL = { name: 'loopback door' }
const NETWORK = { name: 'network door' }

let machine: FakeMachine
beforeEach(() => {
  machine = new FakeMachine()
})

const find = (planned: Partial<Service>, clock: Clock = new SystemClock()): Promise<Service> =>
  findService(machine.service(planned), clock)
const judge = async (check: Check, planned: Partial<Service>) => machine.look(check, { service: await find(planned) })

async function listen(server: Server | ReturnType<typeof createTcpServer>, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A service that reports this. */
function serve(more: object = {}, ready = READY, states: readonly string[] = ['usable']): Promise<number> {
  const missingDoors: readonly object[] = []
  const status = { pid: 4711, hardware: 'kernel', stateFolder: machine.state, services: ['io'], networkDoors: [], missingDoors }
  const metrics = states.map((state, slot) => `slotwire_slot_state{slot="${slot}",state="${state}"} 1\n`)
  const bodies: Readonly<Record<string, string>> = {
    '/slotwire/status': JSON.stringify({ ...status, ...more }),
    '/slotwire/readyz': ready,
    '/slotwire/metrics': `${metrics.join('')}slotwire_slot_state{slot="0",state="hung"} 0\n`,
  }
  return listen(createServer(({ url = '' }, response) => response.end(bodies[url])))
}

describe('a running service in doctor', () => {
  const WHO = (): string => `process 4711 serves this device, state folder ${machine.state}`

  it.each<readonly [string, string, readonly string[], string, string]>([
    ['is ready', READY, ['usable', 'empty', 'usable'], 'ok', '; ready, 2 modules can be used'],
    [
      'is not ready, with the reason',
      '{"message":"the device is restarting: wait"}',
      [],
      'warning',
      '; not ready: the device is restarting: wait',
    ],
    ['is not ready, without a reason', '', [], 'warning', '; not ready: no reason given'],
    [
      'is ready with slots that it does not serve',
      READY,
      ['bootloader', 'foreign', 'starting'],
      'ok',
      '; ready, 0 modules can be used',
    ],
  ])('%s', async (_, ready, states, outcome, found) => {
    const port = await serve({}, ready, states)
    expect(await judge(checkRunningService, { port })).toMatchObject([{ outcome, found: WHO() + found }])
  })

  it('is reported with the slot that it cannot use', async () => {
    const port = await serve({}, READY, ['usable', 'hung'])
    expect(await judge(checkRunningService, { port })).toMatchObject([
      { outcome: 'ok' },
      { outcome: 'failure', name: 'slot 1 as served', found: text('(hung)'), remedy: text('out of slot 1') },
    ])
  })

  it('reports its own doors, state folder and services, which override the settings', async () => {
    machine.write('state/settings.yaml', 'doors:\n  listen: [0.0.0.0]\n')
    const port = await serve({ stateFolder: '/srv/other' })
    expect(await find({ port })).toMatchObject({ pid: 4711, state: '/srv/other', services: ['io'] })
    expect(await judge(checkDoors, { port })).toEqual([
      { ...LOCAL, outcome: 'ok', found: `open: http://127.0.0.1:${port}` },
      { ...NETWORK, outcome: 'ok', found: 'closed' },
    ])
  })

  it('is reported with its network doors, and those that it cannot open', async () => {
    const networkDoors = [
      { scheme: 'https', host: '192.0.2.7', port: 443 },
      { scheme: 'http', host: '::', port: 8081 },
    ]
    const missingDoors = [{ scheme: 'https', host: '::1', port: 444, reason: 'EADDRINUSE' }]
    const port = await serve({ networkDoors, missingDoors })
    expect((await judge(checkDoors, { port })).slice(1)).toMatchObject([
      { ...NETWORK, outcome: 'ok', found: 'open: https://192.0.2.7:443' },
      { ...NETWORK, outcome: 'ok', found: 'open: http://[::]:8081' },
      { ...NETWORK, outcome: 'failure', found: 'cannot be opened (EADDRINUSE): https://[::1]:444' },
    ])
  })

  it('is ignored if its state folder is not the one given with --state', async () => {
    const port = await serve({ stateFolder: '/srv/other' })
    expect(await find({ port, isStateTyped: true })).not.toHaveProperty('running')
  })

  it('is found by its state folder at any port, and fails if it does not answer', async () => {
    const lock = lockState(machine.state)
    onTestFinished(() => lock.release())
    expect(await judge(checkRunningService, { port: 0 })).toMatchObject([
      {
        outcome: 'failure',
        found: `process ${process.pid} uses ${machine.state} and does not answer`,
        remedy: text('kill -KILL'),
      },
    ])
    const port = await serve({ pid: process.pid })
    expect(await find({ port: 0 })).toMatchObject({ running: { port } })
  })

  it.each(['hello', '[]', '{"status":"success"}'])('is not confused with another program that answers %j', async (body) => {
    const port = await listen(createServer((_, response) => response.end(body)))
    expect(await judge(checkRunningService, { port })).toMatchObject([
      { outcome: 'ok', found: text('none with the state folder') },
    ])
  })

  it('is not confused with a program that accepts and sends nothing: the wait ends after two seconds', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('error', () => undefined)))
    const clock = new ManualClock()
    const found = find({ port }, clock)
    let isDone = false
    void found.then(() => (isDone = true))
    await expect.poll(() => clock.advance(ANSWER_DEADLINE_MS).then(() => isDone)).toBe(true)
    expect(await found).not.toHaveProperty('running')
  })
})

describe('checkDoors for the next start', () => {
  const at = (address: string, users = ''): void =>
    machine.program('ss', `LISTEN 0  511  ${address}  *:*  ${users}\nLISTEN 0  5  [::]:22  [::]:*\n`)
  const open = (address: string): string =>
    machine.write('state/settings.yaml', `doors:\n  listen: ["${address}"]\n  https-port: 8443\n`)
  const NGINX = 'users:(("nginx: a",pid=4713,fd=6),("nginx",pid=4714,fd=6))'

  it('finds only the loopback door, unless settings open the network', async () => {
    at('127.0.0.1:1')
    expect(await judge(checkDoors, { port: 8099 })).toEqual([
      { ...LOCAL, outcome: 'ok', found: 'will open at 127.0.0.1 port 8099' },
      { ...NETWORK, outcome: 'ok', found: 'closed unless the service is started with --listen' },
    ])
    expect((await judge(checkDoors, { port: 0 }))[0]).toMatchObject({ found: 'will open at 127.0.0.1, on a free port' })
  })

  it('names the setting of a loopback port that a program has', async () => {
    machine.write('state/settings.yaml', 'doors:\n  port: 8099\n  loopback-ports: [8001, 8002]\n')
    at('127.0.0.1:8002')
    const [main, first, second] = await judge(checkDoors, {})
    expect([main, first]).toMatchObject([{ outcome: 'ok' }, { ...LOCAL, outcome: 'ok', found: text('port 8001') }])
    expect(second).toMatchObject({
      ...LOCAL,
      outcome: 'failure',
      remedy: text('config set doors.loopback-ports <number> --state'),
    })
    at('127.0.0.1:8099')
    expect((await judge(checkDoors, {}))[0]).toMatchObject({ remedy: text('config set doors.port <number> --state') })
  })

  it.each([
    ['192.0.2.7', '192.0.2.7:8443', NGINX, 'nginx: a (process 4713)'],
    ['192.0.2.7', '0.0.0.0:8443', NGINX, 'nginx: a (process 4713)'],
    ['0.0.0.0', '127.0.0.1:8443', '', "another user's program (process unknown)"],
    ['::', '127.0.0.1:8443', '', "another user's program (process unknown)"],
    ['2001:db8::7', '[2001:db8::7]:8443', '', "another user's program (process unknown)"],
    ['2001:db8::7', '*:8443', '', "another user's program (process unknown)"],
  ])('fails at %s if a program listens at %s', async (host, address, users, taker) => {
    open(host)
    at(address, users)
    const [, door] = await judge(checkDoors, { port: 0 })
    await expectKnownCommand(door as Finding)
    expect(door).toMatchObject({
      ...NETWORK,
      outcome: 'failure',
      found: `${host} port 8443 is taken by ${taker}`,
      remedy: text(`slotwire config set doors.https-port <number> --state ${machine.state}.`),
    })
  })

  it.each([
    ['127.0.0.1', '127.0.0.2:8443'],
    ['127.0.0.1', '127.0.0.1:8444'],
    ['::1', '127.0.0.1:8443'],
  ])('is ok at %s if a program listens at %s', async (host, address) => {
    open(host)
    at(address)
    expect((await judge(checkDoors, { port: 0 }))[1]).toMatchObject({ outcome: 'ok', found: `will open at ${host} port 8443` })
  })

  it('fails for a port in use on this machine, and does not connect to it', async () => {
    let calls = 0
    const port = await listen(createTcpServer(() => calls++))
    const [door] = await machine.look(checkDoors, { service: machine.service({ port }) })
    expect(door).toMatchObject({ ...LOCAL, outcome: 'failure', found: text(`(process ${process.pid})`) })
    expect(calls).toBe(0)
  })

  it.each<readonly [string, object, string | undefined, string]>([
    ['for root', { name: 'root', uid: 0, gids: [0] }, undefined, 'ok'],
    ['for another user', STRANGER, undefined, 'warning'],
    ['for a user whose unit has the capability', STRANGER, 'cap_chown cap_net_bind_service', 'ok'],
    ['for a user whose unit has another capability', STRANGER, 'cap_chown', 'warning'],
  ])('judges a port below 1024 %s: %s', async (_, user, AmbientCapabilities, outcome) => {
    at('127.0.0.1:1')
    const unit = AmbientCapabilities === undefined ? undefined : { Id: 'slotwire.service', AmbientCapabilities }
    const service = machine.service({ port: 1023, unit })
    expect((await machine.look(checkDoors, { user: { ...STRANGER, ...user }, service }))[0]).toMatchObject({ outcome })
    machine.write('proc/sys/net/ipv4/ip_unprivileged_port_start', '1023\n')
    expect((await machine.look(checkDoors, { user: STRANGER, service }))[0]).toMatchObject({ outcome: 'ok' })
  })
})
