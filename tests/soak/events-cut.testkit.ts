import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { SystemClock } from '@slotwire/core'
import { addressesOf, TestNetwork } from '../../packages/network/src/network.testkit.ts'
import { bundleSources } from '../../tools/build/bundle-sources.mjs'

const sources = await bundleSources({
  device: 'packages/device/src/index.ts',
  chassis: 'packages/device/src/twin/index.ts',
  edge: 'packages/edge/src/index.ts',
  core: 'packages/core/src/index.ts',
  twin: 'packages/twin/src/index.ts',
})
const NETWORK = 1
const SERVER = addressesOf(1, NETWORK).ipv4
const PORT = 8080
const PER_SECOND = 100

/** Serves the stream of a journal with 100 alerts a second, and prints their number when its standard input says stop. */
const SERVER_PROGRAM = `
import { createDeviceService } from '${sources.device}'
import { defaultChassis } from '${sources.chassis}'
import { listen } from '${sources.edge}'
import { SystemClock, seededRandom } from '${sources.core}'
import { VolatileMemory } from '${sources.twin}'
const clock = new SystemClock()
const chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
const device = await createDeviceService({ backplane: chassis, clock, random: seededRandom(2) })
await listen(device.service, { host: '${SERVER}', port: ${PORT} })
const timer = setInterval(() => device.journal.add({ kind: 'alert', slot: 3, service: 'io', pin: 1 }), ${1000 / PER_SECOND})
process.stdin.once('data', () => {
  clearInterval(timer)
  console.log(device.journal.last.sequence)
})
console.log('ready')
`

/** Follows the stream as a client should: without a byte for 20 s, or after an error, it connects again after its last record. Prints ids and gaps. */
const CLIENT_PROGRAM = `
import { get } from 'node:http'
let last = '1-0'
function follow() {
  const headers = { host: 'localhost', 'last-event-id': last }
  const request = get({ host: '${SERVER}', port: ${PORT}, path: '/slotwire/events', headers, timeout: 20_000 }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (part) => {
      const messages = (text + part).split('\\n\\n')
      text = messages.pop()
      for (const message of messages) {
        const [, id, data = '{}'] = /^id: (\\S+)(?:\\ndata: (.*))?/m.exec(message)
        const { kind } = JSON.parse(data)
        if (kind === 'alert' || kind === 'gap') console.log(kind + ' ' + id)
        last = id
      }
    })
    response.on('error', () => undefined)
    response.on('close', () => setTimeout(follow, 500))
  })
  request.on('timeout', () => request.destroy())
  request.on('error', () => request.res ?? setTimeout(follow, 500))
}
follow()
`

/** Starts a program on a host of the network. */
function startIn({ hosts }: TestNetwork, index: number, program: string) {
  const host = hosts[index]
  const child = host?.start(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  if (host === undefined || child === undefined || child.stdout === null) throw new Error('the network has no such host')
  return { host, child, lines: createInterface({ input: child.stdout }) }
}

/** Cuts the connection between a service and a subscriber at 100 alerts a second. */
export async function cutConnection(seconds: number): Promise<{ added: number; sequences: number[]; gaps: number }> {
  const clock = new SystemClock()
  const network = await TestNetwork.make([{ hostName: 'device' }, { hostName: 'client' }])
  try {
    const server = startIn(network, 0, SERVER_PROGRAM)
    const printed = server.lines
    const ended = once(server.child, 'exit').then(() => {
      throw new Error('the server ended')
    })
    await Promise.race([once(printed, 'line'), ended])
    const client = startIn(network, 1, CLIENT_PROGRAM)
    const sequences: number[] = []
    let gaps = 0
    client.lines.on('line', (line) => {
      const [kind, id = ''] = line.split(' ')
      if (kind === 'gap') gaps++
      else sequences.push(Number(id.split('-')[1]))
    })
    for (let waited = 0; sequences.length < PER_SECOND && waited < 20_000; waited += 100) await clock.sleep(100)
    await network.plug(client.host, NETWORK, false)
    await clock.sleep(seconds * 1000)
    await network.plug(client.host, NETWORK, true)
    const counted = once(printed, 'line')
    server.child.stdin?.write('stop\n')
    const added = Number((await counted)[0])
    for (let waited = 0; sequences.at(-1) !== added && waited < 60_000; waited += 100) await clock.sleep(100)
    return { added, sequences, gaps }
  } finally {
    await network.close()
  }
}
