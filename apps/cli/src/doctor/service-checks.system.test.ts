import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { type Clock, ManualClock, SystemClock } from '@slotwire/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lockState } from '../state/state-access.ts'
import { type Circumstances, FakeMachine, type Files, itFinds, like, STRANGER } from './doctor.testkit.ts'
import * as host from './host.ts'
import * as checks from './service-checks.ts'

const ALL = 'slotwire.service'
const MANAGER = 'slotwire-power-manager.service'

function unit(Id: string, ActiveState: string, UnitFileState: string, more: host.SystemdUnit = {}): host.SystemdUnit {
  const StateDirectory = Id === ALL ? 'slotwire' : ''
  return { Id, ActiveState, UnitFileState, StateDirectory, SubState: 'running', Result: 'success', NRestarts: '0', ...more }
}

describe('checkUnits', () => {
  const AGAIN = { SubState: 'auto-restart', Result: 'exit-code', NRestarts: '12' }
  const LOOK = `See why: journalctl -u ${ALL} -n 50`
  const ENDED = 'it ended unexpectedly and was restarted once'
  const of = (...units: host.SystemdUnit[]): Circumstances => ({ systemd: 'answers', units })

  itFinds(checks.checkUnits, [
    ['ok: systemd does not run here', {}, { systemd: 'absent' }],
    ['warning: systemd does not answer → Check its state: systemctl status.', {}, { systemd: 'silent' }],
    ['ok: none is installed', {}, of()],
    ['ok: none runs, and none is enabled', {}, of(unit(ALL, 'inactive', 'disabled'))],
    [`ok ${ALL}: active, enabled`, {}, of(unit(ALL, 'active', 'enabled'))],
    [
      `failure ${ALL}: failed (exit-code) → ${LOOK}; then: systemctl restart ${ALL}.`,
      {},
      of(unit(ALL, 'failed', 'enabled', { Result: 'exit-code' })),
    ],
    [
      `failure ${ALL}: ended (exit-code), waits for its next start, restarted 12 times so far → ${LOOK}.`,
      {},
      of(unit(ALL, 'activating', 'enabled', AGAIN)),
    ],
    [
      `warning ${ALL}: active; ${ENDED} → ${LOOK}; systemctl restart ${ALL} resets the count.`,
      {},
      of(unit(ALL, 'active', 'enabled', { NRestarts: '1' })),
    ],
    [`ok ${MANAGER}: active, started for ${ALL}`, {}, of(unit(MANAGER, 'active', 'disabled', { WantedBy: ALL }))],
    [`warning ${MANAGER}: active, but not enabled → …systemctl enable ${MANAGER}.`, {}, of(unit(MANAGER, 'active', 'disabled'))],
  ])
})

describe('serviceOf', () => {
  const off = unit(ALL, 'inactive', 'disabled')
  const running = unit(ALL, 'active', 'disabled', { StatusText: '2 modules at http://127.0.0.1:9002' })
  const found = { state: '/var/lib/slotwire' }

  it.each<readonly [string, readonly host.SystemdUnit[], ReturnType<typeof host.serviceOf>]>([
    ['no service without units', [], undefined],
    ['the state folder of the unit', [off], { ...found, port: undefined, unit: off }],
    ['the port that the running unit reports', [running], { ...found, port: 9002, unit: running }],
    ['no service of other units', [unit(MANAGER, 'active', 'enabled')], undefined],
  ])('finds %s', (_, units, service) => expect(host.serviceOf(units)).toEqual(service))
})

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const READY = '{"status":"success"}'
const NONE = 'ok: none with the state folder ~/state: the other checks apply to the next start'

/** A service that reports this. Returns its port. */
function serve(
  { state }: FakeMachine,
  more: object = {},
  ready = READY,
  states: readonly string[] = ['usable'],
): Promise<number> {
  const doors = { networkDoors: [], missingDoors: [] }
  const status = { pid: 4711, hardware: 'kernel', stateFolder: state, services: ['io'], ...doors, ...more }
  const metrics = states.map((one, slot) => `slotwire_slot_state{slot="${slot}",state="${one}"} 1\n`)
  const bodies: Readonly<Record<string, string>> = {
    '/slotwire/status': JSON.stringify(status),
    '/slotwire/readyz': ready,
    '/slotwire/metrics': `${metrics.join('')}slotwire_slot_state{slot="0",state="hung"} 0\n`,
  }
  return listen(createServer(({ url = '' }, response) => response.end(bodies[url])))
}

const find = async (
  machine: FakeMachine,
  planned: Partial<host.CheckedService>,
  clock: Clock = new SystemClock(),
): Promise<host.CheckedService> => host.findService(machine.service(planned), { clock, sockets: await host.listeningSockets() })
/** A running service that reports this. */
const serving =
  (...report: [more?: object, ready?: string, states?: readonly string[]]) =>
  async (machine: FakeMachine): Promise<Circumstances> => ({
    service: await find(machine, { port: await serve(machine, ...report) }),
  })

describe('a running service in doctor', () => {
  const WHO = 'process 4711 serves this device, state folder ~/state; '
  const WAIT = 'Run this again in a minute. If it stays not ready, read its log, on standard error.'
  const answering = (body: string) => async (machine: FakeMachine) => {
    const port = await listen(createServer((_, response) => response.end(body)))
    return { service: await find(machine, { port }) }
  }

  itFinds(checks.checkRunningService, [
    [`ok: ${WHO}ready, 2 modules can be used`, {}, serving({}, READY, ['usable', 'empty', 'usable'])],
    [`warning: ${WHO}not ready: wait → ${WAIT}`, {}, serving({}, '{"message":"wait"}', [])],
    [`warning: ${WHO}not ready: no reason given → ${WAIT}`, {}, serving({}, '', [])],
    [`ok: ${WHO}ready, 0 modules can be used`, {}, serving({}, READY, ['bootloader', 'foreign', 'starting'])],
    [
      'ok: …\nfailure slot 1 as served: the service cannot use the module (hung) and keeps retrying → …out of slot 1…',
      {},
      serving({}, READY, ['usable', 'hung']),
    ],
    // Other programs that answer.
    ...['hello', '[]', '{"status":"success"}'].map((body) => [NONE, {}, answering(body)] as const),
  ])

  itFinds(checks.checkDoors, [
    [
      'ok loopback door: open: http://127.0.0.1:…\nok network door: open: https://192.0.2.7:443\nok network door: open: http://[::]:8081\n' +
        "failure network door: cannot be opened (EADDRINUSE): https://[::1]:444 → …ss -ltnp 'sport = :444'; ip address.",
      {},
      serving({
        networkDoors: [
          { scheme: 'https', host: '192.0.2.7', port: 443 },
          { scheme: 'http', host: '::', port: 8081 },
        ],
        missingDoors: [{ scheme: 'https', host: '::1', port: 444, reason: 'EADDRINUSE' }],
      }),
    ],
    [
      'ok loopback door: open: http://127.0.0.1:…\nok network door: closed',
      { 'state/settings.yaml': 'doors:\n  listen: [0.0.0.0]\n' },
      serving(),
    ],
  ])

  it('reports its own state folder and services, unless its state folder is not the one given with --state', async () => {
    const machine = new FakeMachine()
    const port = await serve(machine, { stateFolder: '/srv/other' })
    expect(await find(machine, { port })).toMatchObject({ pid: 4711, state: '/srv/other', services: ['io'] })
    expect(await find(machine, { port, isStateTyped: true })).not.toHaveProperty('running')
  })

  it('is found by its state folder at any port, and fails if it does not answer', async () => {
    const machine = new FakeMachine()
    const lock = lockState(machine.state)
    onTestFinished(() => lock.release())
    const service = await find(machine, { port: 0 })
    const failure = `failure: process ${process.pid} uses ~/state and does not answer → If this does not change: kill -KILL …`
    expect(await machine.reported(checks.checkRunningService, { service })).toEqual(like(failure))
    const port = await serve(machine, { pid: process.pid })
    expect(await find(machine, { port: 0 })).toMatchObject({ running: { port } })
  })

  it('is not confused with a program that accepts and sends nothing: the wait ends after two seconds', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('error', () => undefined)))
    const clock = new ManualClock()
    const found = find(new FakeMachine(), { port }, clock)
    let isDone = false
    void found.then(() => (isDone = true))
    await expect.poll(() => clock.advance(host.ANSWER_DEADLINE_MS).then(() => isDone)).toBe(true)
    expect(await found).not.toHaveProperty('running')
  })
})

/** A machine on which `ss` reports a program at this address, and a service at this loopback port. */
const beside =
  (address: string, users = '', service: Partial<host.CheckedService> = { port: 0 }, more: Partial<host.Subject> = {}) =>
  (machine: FakeMachine): Circumstances => {
    machine.program('ss', `LISTEN 0  511  ${address}  *:*  ${users}\nLISTEN 0  5  [::]:22  [::]:*\n`)
    return { ...more, service }
  }

describe('checkDoors for the next start', () => {
  const NGINX = 'users:(("nginx: a",pid=4713,fd=6),("nginx",pid=4714,fd=6))'
  const HIDDEN = "another user's program (process unknown)"
  const CLOSED = 'ok network door: closed unless the service is started with --listen'
  const free = (port: number): string => `ok loopback door: will open at 127.0.0.1 port ${port}`
  const RANDOM = 'ok loopback door: will open at 127.0.0.1, on a free port'
  const taken = (setting: string): string =>
    `→ Stop that program … choose another port: slotwire config set doors.${setting} <number> --state ~/state.`
  const opening = (address: string): Files => ({
    'state/settings.yaml': `doors:\n  listen: ["${address}"]\n  https-port: 8443\n`,
  })
  const THREE = { 'state/settings.yaml': 'doors:\n  port: 8099\n  loopback-ports: [8001, 8002]\n' }
  const BROKEN = { 'state/settings.yaml': 'doors: 7\n', 'state/settings.last-good.yaml': 'doors:\n  port: 8099\n' }
  const PARTLY = { 'state/settings.yaml': 'doors:\n  port: 8099\n  htp-port: 80\n' }
  const FREE = '127.0.0.1:1'
  const ROOT: host.Account = { name: 'root', uid: 0, gids: [0] }
  const low = (user: host.Account, AmbientCapabilities = '') =>
    beside(FREE, '', { port: 1023, unit: { AmbientCapabilities } }, { user })

  /** A machine without `ss`. */
  const without = (machine: FakeMachine): Circumstances => {
    vi.stubEnv('PATH', machine.at('bin'))
    return { service: { port: 8099 } }
  }

  itFinds(checks.checkDoors, [
    [`${free(8099)}\n${CLOSED}`, {}, beside(FREE, '', { port: 8099 })],
    [`${RANDOM}\n${CLOSED}`, {}, beside(FREE)],
    [`${free(8099)}\n${CLOSED}`, BROKEN, beside(FREE, '', {})],
    [`${free(8099)}\n${CLOSED}`, PARTLY, beside(FREE, '', {})],
    [`warning loopback door: …port 8099: cannot run ss … → Install it: apt-get install iproute2.\n${CLOSED}`, {}, without],
    [
      `${free(8099)}\n${free(8001)}\nfailure loopback door: …port 8002 is taken by ${HIDDEN} ${taken('loopback-ports')}\n${CLOSED}`,
      THREE,
      beside('127.0.0.1:8002', '', {}),
    ],
    [
      `failure loopback door: 127.0.0.1 port 8099 is taken… ${taken('port')}\n${free(8001)}\n${free(8002)}\n${CLOSED}`,
      THREE,
      beside('127.0.0.1:8099', '', {}),
    ],
    ...[
      ['192.0.2.7', '192.0.2.7:8443', NGINX, 'nginx: a (process 4713)'],
      ['192.0.2.7', '0.0.0.0:8443', NGINX, 'nginx: a (process 4713)'],
      ['0.0.0.0', '127.0.0.1:8443', '', HIDDEN],
      ['::', '127.0.0.1:8443', '', HIDDEN],
      ['2001:db8::7', '[2001:db8::7]:8443', '', HIDDEN],
      ['2001:db8::7', '*:8443', '', HIDDEN],
    ].map(([at = '', address = '', users = '', taker = '']) => {
      const found = `${RANDOM}\nfailure network door: ${at} port 8443 is taken by ${taker} ${taken('https-port')}`
      return [found, opening(at), beside(address, users)] as const
    }),
    ...[
      ['127.0.0.1', '127.0.0.2:8443'],
      ['127.0.0.1', '127.0.0.1:8444'],
      ['::1', '127.0.0.1:8443'],
    ].map(([at = '', address = '']) => {
      return [`${RANDOM}\nok network door: will open at ${at} port 8443`, opening(at), beside(address)] as const
    }),
    [`${free(1023)}\n${CLOSED}`, {}, low(ROOT)],
    [
      `warning loopback door: 127.0.0.1 port 1023 is free, but stranger may not use ports below 1024 → Give the unit AmbientCapabilities=CAP_NET_BIND_SERVICE, or choose another port: …\n${CLOSED}`,
      {},
      low(STRANGER, 'cap_chown'),
    ],
    [`${free(1023)}\n${CLOSED}`, {}, low(STRANGER, 'cap_chown cap_net_bind_service')],
    [`${free(1023)}\n${CLOSED}`, { 'proc/sys/net/ipv4/ip_unprivileged_port_start': '1023\n' }, low(STRANGER)],
  ])

  it('fails for a port in use on this machine, and does not connect to it', async () => {
    let calls = 0
    const port = await listen(createTcpServer(() => calls++))
    const [door] = await new FakeMachine().reported(checks.checkDoors, { service: { port } })
    expect(door).toMatch(new RegExp(`^failure loopback door: .*\\(process ${process.pid}\\)`))
    expect(calls).toBe(0)
  })
})

describe('checkOriginalServices', () => {
  const NO_TRACE = 'ok: none: no program has their ports, no file of nginx or avahi names them'
  const doors = { networkDoors: [], missingDoors: [], slotStates: {} }
  const running = {
    hardware: 'kernel',
    pid: 712,
    port: 8002,
    stateFolder: '/',
    services: ['io'],
    notReady: undefined,
    ...doors,
  } as const
  const nginx = 'etc/nginx/conf.d/other.conf'

  itFinds(checks.checkOriginalServices, [
    [NO_TRACE, { [nginx]: 'server { listen 80; location / { proxy_pass http://127.0.0.1:3000; } }' }],
    [
      'warning: port 8002 of the original io service is used by io-service (process 712) → Stop it…systemctl status 712 its unit.',
      {},
      beside('127.0.0.1:8002', 'users:(("io-service",pid=712,fd=20))'),
    ],
    [NO_TRACE, {}, beside('127.0.0.1:8002', 'users:(("node",pid=712,fd=20))', { running })],
    ...Object.entries({
      'etc/nginx/nginx.conf': 'http { upstream io { server 127.0.0.1:8002; } }',
      'etc/nginx/conf.d/bmc.conf': 'location /api/bmc/ { proxy_pass http://bmc; }',
      'etc/nginx/sites-enabled/default': 'proxy_pass http://localhost:8001;',
      'etc/avahi/services/power.service': '<txt-record>power-module</txt-record><port>443</port>',
    }).map(([file, content]) => [`ok: named by ~/${file}: see …`, { [file]: content }] as const),
  ])
})
