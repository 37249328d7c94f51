import { it, type TestContext, vi } from 'vitest'
import { temporaryFolder } from '../../../../../tests/temporary-folder.testkit.ts'
import { bundleSources } from '../../../../../tools/build/bundle-sources.mjs'
import { describeWith } from '../../../../../tools/setup/describe-with.mjs'
import { addressesOf, type TestHost, TestNetwork } from '../../network.testkit.ts'
import { AnnouncerProgram } from '../announcer-program.testkit.ts'
import { PATIENCE } from '../avahi.testkit.ts'
import type { FoundDevice } from './found-device.ts'

vi.setConfig({ testTimeout: 90_000 })

const sources = await bundleSources({
  core: 'packages/core/src/index.ts',
  discover: 'packages/network/src/discovery/discover/discover.ts',
  message: 'packages/network/src/discovery/mdns/dns-message.ts',
})

/** Searches for devices for 1.5 s and prints them. */
const DISCOVER = `
  import os from 'node:os'
  import { discover } from '${sources.discover}'
  import { SystemClock, systemRandom } from '${sources.core}'
  const network = { interfaces: () => os.networkInterfaces(), hostName: () => os.hostname() }
  console.log(JSON.stringify(await discover({ network, clock: new SystemClock(), random: systemRandom, timeoutMs: 1500 })))`

/** A device with a machine id and one service that needs no token. */
const SERVER = `
  const version = { major: 1, minor: 0, patch: 0 }
  require('node:http').createServer((request, response) => {
    const answers = { '/machine-id': process.argv[1], '/api/io/': JSON.stringify({ version: { api: version, service: version } }) }
    response.end(answers[request.url])
  }).listen(80, '::')`

/** Announces hundreds of devices that do not exist, with malformed data, repeatedly. */
const CROWD = `
  import { createSocket } from 'node:dgram'
  import { encodeMessage, response } from '${sources.message}'
  import { SystemClock } from '${sources.core}'
  const type = '_http._tcp.local'
  const paths = ['/api/io/', 'http://elsewhere/', '//elsewhere/', '/\\u001b[2J']
  const messages = Array.from({ length: 300 }, (_, index) => {
    const name = 'crowd ' + index + '.' + type
    const host = 'crowd-' + index + '.local'
    const lines = ['service=io-module', 'path=' + paths[index % 4], 'machine-id=' + paths[index % 4], ...Array(4).fill('x'.repeat(250))]
    const address = index < 8 ? '10.77.1.' + (200 + index) : '10.77.1.2'
    const record = (name, type, data, flush = true) => ({ name, ttl: 120, flush, type, data })
    return encodeMessage(response({ answers: [
      record(type, 'PTR', name, false),
      record(name, 'SRV', { port: 1, target: host }),
      record(name, 'TXT', lines.map((line) => Buffer.from(line))),
      record(host, 'A', address),
    ] }))
  })
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.bind(5353, () => {
    const clock = new SystemClock()
    let next = 0
    const flood = () => {
      clock.after(20, flood)
      for (let count = 0; count < 10; count++) socket.send(messages[next++ % messages.length], 5353, '224.0.0.251')
      socket.send(messages[0].subarray(0, next % 200), 5353, '224.0.0.251')
    }
    flood()
  })`

describeWith(['namespaces', 'ip'], 'discover in real networks', () => {
  async function networkWith(context: TestContext, ...plans: Parameters<typeof TestNetwork.make>[0]) {
    const network = await TestNetwork.make(plans)
    context.onTestFinished(() => network.close())
    return network
  }

  const program = (source: string) => ['--input-type=module', '--eval', source] as const

  /** A device that can be reached over plain HTTP. */
  function device(context: TestContext, host: TestHost, machineId: string) {
    host.start(process.execPath, ['--eval', SERVER, machineId])
    const announcer = new AnnouncerProgram(host, 'own', temporaryFolder({ context }))
    const addresses = host.networks.flatMap((network) => Object.values(addressesOf(host.number, network)))
    announcer.announce({ addresses, doors: [{ scheme: 'http', port: 80 }] })
    return announcer
  }

  async function discovered(host: TestHost): Promise<readonly FoundDevice[]> {
    const { stdout, stderr } = await host.run(process.execPath, program(DISCOVER))
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as FoundDevice[]
  }

  const urlsAndStates = ({ services }: FoundDevice) =>
    services.flatMap(({ doors }) => doors.map(({ url, state }) => `${url} ${state}`))

  it.concurrent('separates two hosts with one name, and lists a device in two networks once', async (context) => {
    const { expect } = context
    const press = { hostName: 'press-4' }
    const network = await networkWith(context, { ...press, networks: [1, 2] }, press, { hostName: 'laptop', networks: [1, 2] })
    const announcers = [device(context, network.host(0), 'machine-1'), device(context, network.host(1), 'machine-2')]
    await expect.poll(() => announcers.map(({ names }) => names.at(-1)).sort(), PATIENCE).toEqual(['press-4', 'press-4-2'])
    const look = async () => (await discovered(network.host(2))).map(({ machineId }) => machineId).sort()
    await expect.poll(look, PATIENCE).toEqual(['machine-1', 'machine-2'])
    const devices = await discovered(network.host(2))
    const one = devices.find(({ machineId }) => machineId === 'machine-1')
    expect(new Set(one?.addresses)).toEqual(new Set([addressesOf(1, 1), addressesOf(1, 2)].flatMap((own) => Object.values(own))))
    expect(devices.map(({ hostNames }) => hostNames)).toEqual([['press-4-2.local'], ['press-4.local']])
    expect(devices.flatMap(urlsAndStates)).toEqual(['http://press-4-2.local/api/io/ works', 'http://press-4.local/api/io/ works'])
  })

  it.concurrent('finds a device among hundreds of false announcements, and ends in time', async (context) => {
    const { expect } = context
    const network = await networkWith(context, { hostName: 'press-4' }, { hostName: 'crowd' }, { hostName: 'laptop' })
    const announcer = device(context, network.host(0), 'machine-1')
    await expect.poll(() => announcer.names, PATIENCE).toEqual(['press-4'])
    network.host(1).start(process.execPath, program(CROWD), { stdio: 'ignore' })
    const look = async () => {
      const devices = await discovered(network.host(2))
      return { devices, mine: devices.filter(({ machineId }) => machineId === 'machine-1') }
    }
    await expect
      .poll(async () => (await look()).mine.map(urlsAndStates), PATIENCE)
      .toEqual([['http://press-4.local/api/io/ works']])
    const { devices } = await look()
    expect(devices.length).toBeGreaterThan(100)
    expect(JSON.stringify(devices)).not.toContain('elsewhere')
  })
})
