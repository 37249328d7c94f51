import { ManualClock, nextTurn, silentLog } from '@slotwire/core'
import { get } from 'sparkplug-payload'
import type { UPayload } from 'sparkplug-payload/lib/sparkplugbpayload.js'
import { expect, it } from 'vitest'
import { bridgedDevice, MACHINE_ID, METRICS, PUBLISHED } from './bridged-device.testkit.ts'
import type { Publication } from './broker.ts'
import { MemoryBroker, type MemoryConnection } from './memory-broker.testkit.ts'
import { type SparkplugCodec, sparkplugPayload } from './sparkplug.ts'
import type { Output } from './watched-device.ts'

const NOW = 1_790_000_000_000
const ALERT_AT = '2026-11-24T20:00:00.000Z'
const VALUES = { [METRICS.volts.path]: 3.3, [METRICS.level.path]: 'high', [METRICS.total.path]: 7, [METRICS.mode.path]: 'analog' }
const payloads = get('spBv1.0')
if (payloads === null) throw new Error('no codec')
const codec: SparkplugCodec = {
  encode: (payload) => payloads.encodePayload(payload as UPayload),
  decode: (bytes) => payloads.decodePayload(bytes),
}

interface Message extends Publication {
  readonly verb: string
  readonly body: UPayload
}

const read = (publication: Publication): Message => ({
  ...publication,
  verb: publication.topic.split('/')[2] ?? '',
  body: payloads.decodePayload(publication.payload as Uint8Array),
})
const numberOf = (value: unknown): number => Number(String(value))
const valueOf = ({ body }: Message, name: string): unknown => body.metrics?.find((metric) => metric.name === name)?.value
const namesOf = ({ body }: Message): readonly unknown[] => (body.metrics ?? []).map(({ name }) => name)

/** A device as an edge node, on a broker in memory. */
function world({ hasCommands = true } = {}) {
  const broker = new MemoryBroker()
  const clock = new ManualClock()
  const commands: unknown[] = []
  const payload = sparkplugPayload({ codec, group: 'g', clock, wallTime: () => NOW, log: silentLog })
  const current: { connection?: MemoryConnection; output?: Output } = {}
  const output = (): Output => current.output as Output
  return {
    broker,
    clock,
    commands,
    output,
    /** A connection with its birth; the one before is lost. */
    connect: async (): Promise<MemoryConnection> => {
      const connection = await broker.connect({
        clientId: MACHINE_ID,
        will: payload.will(PUBLISHED),
        signal: new AbortController().signal,
      })
      const command = async (path: string, word: string): Promise<undefined> => {
        commands.push({ path, word })
      }
      const device = bridgedDevice(undefined, VALUES)
      const context = { broker: connection as MemoryConnection, device, published: PUBLISHED, command }
      current.output = payload.outputs({ ...context, commands: hasCommands ? 'all' : 'off' })[0] as Output
      await connection.subscribe(output().filters ?? [])
      output().onDevice()
      return connection as MemoryConnection
    },
    change: (value: number): void => output().onValues([{ metric: METRICS.volts, value }]),
    command: async (verb: string, name: string, value: string | boolean, retain = false): Promise<void> => {
      const type = typeof value === 'string' ? 'String' : 'Boolean'
      const bytes = codec.encode({ timestamp: NOW, metrics: [{ name, type, value, timestamp: NOW }] })
      broker.deliver(`spBv1.0/g/${verb}/${MACHINE_ID}`, bytes, { retain })
      await nextTurn()
    },
    sent: (): readonly Message[] => broker.published.map(read),
  }
}

/** Everything in the life of an edge node, in this order. */
async function session() {
  const node = world()
  const connection = await node.connect()
  node.change(3.4)
  await node.output().onRecord?.({
    kind: 'alert',
    slot: 3,
    pin: 1,
    at: ALERT_AT,
    alerts: ['high_voltage_alert', 'high_current_alert'],
  })
  await node.clock.advance(5000)
  await node.command('NCMD', 'Node Control/Rebirth', true)
  await connection.close()
  return { will: read(connection.will as Publication), sent: node.sent(), filters: connection.filters }
}

const { will, sent, filters } = await session()
const of = (...verbs: readonly string[]): readonly Message[] => sent.filter(({ verb }) => verbs.includes(verb))
const one = (verb: string): Message => of(verb)[0] ?? will
const numbered = sent.filter(({ verb }) => verb !== 'NDEATH')
const births = of('NBIRTH')
const data = of('NDATA')
const topicOf = (verb: string): string => `spBv1.0/g/${verb}/${MACHINE_ID}`

/** What each rule of the specification asks of what an edge node sends. */
const RULES: readonly [rules: string, holds: () => void][] = [
  ...['NBIRTH', 'NDATA', 'NDEATH'].map((verb): [string, () => void] => [
    `tck-id-topics-${verb.toLowerCase()}-topic`,
    () => expect(new Set(of(verb).map(({ topic }) => topic))).toEqual(new Set([topicOf(verb)])),
  ]),
  ...['NBIRTH', 'NDATA'].map((verb): [string, () => void] => [
    `tck-id-topics-${verb.toLowerCase()}-mqtt`,
    () => expect(of(verb).every(({ qos, retain }) => qos === 0 && retain !== true)).toBe(true),
  ]),
  ...['nbirth', 'ndata'].map((verb): [string, () => void] => [
    `tck-id-topics-${verb}-timestamp`,
    () => expect(of(verb.toUpperCase()).map(({ body }) => numberOf(body.timestamp))).not.toContain(Number.NaN),
  ]),
  [
    'tck-id-topics-nbirth-seq-num, tck-id-payloads-sequence-num-zero-nbirth',
    () => expect(of('NBIRTH').map(({ body }) => numberOf(body.seq))).toEqual([0, 0]),
  ],
  [
    'tck-id-payloads-sequence-num-incrementing',
    () => {
      const expected: number[] = []
      for (const { verb } of numbered) expected.push(verb === 'NBIRTH' ? 0 : (expected.at(-1) ?? 0) + 1)
      expect(numbered.map(({ body }) => numberOf(body.seq))).toEqual(expected)
    },
  ],
  ['tck-id-topics-nbirth-bdseq-included', () => expect(namesOf(one('NBIRTH'))).toContain('bdSeq')],
  [
    'tck-id-topics-nbirth-bdseq-matching',
    () => expect(numberOf(valueOf(one('NBIRTH'), 'bdSeq'))).toBe(numberOf(valueOf(will, 'bdSeq'))),
  ],
  [
    'tck-id-topics-nbirth-rebirth-metric, tck-id-operational-behavior-data-commands-rebirth-name, -datatype, -value',
    () =>
      expect(one('NBIRTH').body.metrics).toContainEqual(
        expect.objectContaining({ name: 'Node Control/Rebirth', type: 'Boolean', value: false }),
      ),
  ],
  [
    'tck-id-topics-nbirth-metric-reqs',
    () => {
      const announced = namesOf(one('NBIRTH'))
      const unknown = data.flatMap(namesOf).filter((name) => !announced.includes(name))
      expect(unknown).toEqual([])
    },
  ],
  [
    'tck-id-topics-nbirth-metrics, tck-id-payloads-name-birth-data-requirement',
    () => {
      for (const metric of [...births, ...data].flatMap(({ body }) => body.metrics ?? [])) {
        expect(metric).toMatchObject({
          name: expect.any(String) as string,
          type: expect.any(String) as string,
          timestamp: expect.anything() as unknown,
        })
        expect(metric).toHaveProperty('value')
      }
    },
  ],
  [
    'tck-id-topics-ndeath-payload, tck-id-payloads-ndeath-bdseq',
    () => expect([will, one('NDEATH')].map(namesOf)).toEqual([['bdSeq'], ['bdSeq']]),
  ],
  [
    'tck-id-topics-ndeath-seq',
    () => expect([will, one('NDEATH')].map(({ body }) => body.seq ?? undefined)).toEqual([undefined, undefined]),
  ],
  ['tck-id-payloads-ndeath-will-message', () => expect(will.topic).toBe(topicOf('NDEATH'))],
  [
    'tck-id-payloads-ndeath-will-message-qos, -retain',
    () => expect({ ...will, retain: will.retain ?? false }).toMatchObject({ qos: 1, retain: false }),
  ],
  ['tck-id-operational-behavior-edge-node-intentional-disconnect-ndeath', () => expect(sent.at(-1)?.verb).toBe('NDEATH')],
  ['tck-id-message-flow-edge-node-ncmd-subscribe', () => expect([...filters]).toEqual([topicOf('NCMD')])],
  [
    'tck-id-operational-behavior-data-commands-rebirth-action-2',
    () => expect(sent.map(({ verb }) => verb)).toEqual(['NBIRTH', 'NDATA', 'NDATA', 'NBIRTH', 'NDEATH']),
  ],
  [
    'tck-id-operational-behavior-data-commands-rebirth-action-3',
    () => expect(new Set(of('NBIRTH').map((message) => numberOf(valueOf(message, 'bdSeq'))))).toEqual(new Set([0])),
  ],
]

it.each(RULES)('keeps %s', (_rules, holds) => holds())

it('keeps tck-id-topics-nbirth-bdseq-increment: from 0, by one with each connection, and to 0 after 255', async () => {
  const node = world()
  const seen: number[] = []
  for (let count = 0; count < 258; count++)
    seen.push(numberOf(valueOf(read((await node.connect()).will as Publication), 'bdSeq')))
  expect(seen).toEqual([...Array.from({ length: 256 }, (_, index) => index), 0, 1])
})

it('counts messages to 255 and then from 0', async () => {
  const node = world()
  await node.connect()
  for (let count = 0; count < 300; count++) node.change(count)
  expect(node.sent().map(({ body }) => numberOf(body.seq))).toEqual(Array.from({ length: 301 }, (_, index) => index % 256))
})

it('sends types, values, units, and which can be written, in a birth certificate', () =>
  expect(one('NBIRTH').body.metrics?.slice(2)).toMatchObject([
    { name: METRICS.volts.path, type: 'Double', value: 3.3, properties: { engUnit: { value: 'V' }, readOnly: { value: true } } },
    { name: METRICS.level.path, type: 'String', value: 'high' },
    { name: METRICS.emergency.path, type: 'Boolean' },
    { name: METRICS.total.path, type: 'Int64' },
    { name: METRICS.output.path, type: 'String', value: null, properties: { readOnly: { value: false } } },
    { name: METRICS.fan.path, type: 'String', value: null },
    { name: METRICS.mode.path, type: 'String', value: 'analog' },
    { name: 'io/3/pin/1/alert', type: 'String', value: null },
  ]))

it('sends an alert with its flags and its time', () => {
  const [, alert] = of('NDATA')
  expect(alert?.body.metrics).toMatchObject([{ name: 'io/3/pin/1/alert', value: 'high_voltage_alert,high_current_alert' }])
  expect(numberOf(alert?.body.metrics?.[0]?.timestamp)).toBe(Date.parse(ALERT_AT))
})

it('answers many requests for a rebirth with one, a second after the last birth', async () => {
  const node = world()
  await node.connect()
  for (let count = 0; count < 100; count++) await node.command('NCMD', 'Node Control/Rebirth', true)
  expect(node.sent().filter(({ verb }) => verb === 'NBIRTH')).toHaveLength(1)
  await node.clock.advance(1000)
  expect(node.sent().filter(({ verb }) => verb === 'NBIRTH')).toHaveLength(2)
})

it.each([
  ['carries out a command', METRICS.output.path, 'high', false, [{ path: METRICS.output.path, word: 'high' }]],
  ['ignores a retained command', METRICS.output.path, 'high', true, []],
  ['ignores a value that is no word', METRICS.output.path, true, false, []],
] as const)('an edge node %s', async (_what, name, value, retain, expected) => {
  const node = world()
  await node.connect()
  await node.command('NCMD', name, value, retain)
  expect(node.commands).toEqual(expected)
  expect(node.sent().map(({ verb }) => verb)).toEqual(['NBIRTH'])
})

it('notices no commands unless they are served, and no bytes that are no payload', async () => {
  const node = world({ hasCommands: false })
  await node.connect()
  await node.command('NCMD', METRICS.output.path, 'high')
  node.broker.deliver(topicOf('NCMD'), 'not a payload')
  expect(node.commands).toEqual([])
})
