import { ManualClock, nextTurn, silentLog } from '@slotwire/core'
import { get } from 'sparkplug-payload'
import type { UPayload } from 'sparkplug-payload/lib/sparkplugbpayload.js'
import { expect, it } from 'vitest'
import { bridgedDevice, MACHINE_ID, METRICS, MemoryBroker } from '../bridged-device.testkit.ts'
import type { Publication } from '../broker.ts'
import type { BridgedDevice } from '../output.ts'
import type { SparkplugCodec } from './payload.ts'
import { SparkplugOutput } from './sparkplug-output.ts'

const NOW = 1_790_000_000_000
const ALERT_AT = '2026-11-24T20:00:00.000Z'
const VALUES = { [METRICS.volts.path]: 3.3, [METRICS.level.path]: true, [METRICS.total.path]: 7, [METRICS.mode.path]: 'analog' }
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

/** An edge node with one device, on a broker in memory. */
function world({ hasCommands = true } = {}) {
  const broker = new MemoryBroker()
  const clock = new ManualClock()
  let device: BridgedDevice = bridgedDevice(undefined, VALUES)
  const commands: unknown[] = []
  const output = new SparkplugOutput({
    context: {
      name: 'b1',
      hasCommands,
      devices: () => [device],
      command: async (_device, path, word) => {
        commands.push({ path, word })
        return undefined
      },
    },
    openBroker: broker.open,
    codec,
    group: 'g',
    clock,
    wallTime: () => NOW,
    log: silentLog,
  })
  return {
    broker,
    clock,
    output,
    commands,
    connect: async (): Promise<void> => {
      broker.change(true)
      await nextTurn()
    },
    set: (next: BridgedDevice): void => {
      device = next
      output.onDevice(next)
    },
    change: (value: number): void => output.onValues(device, [{ metric: METRICS.volts, value }]),
    command: async (verb: string, name: string, value: string | boolean, retain = false): Promise<void> => {
      const type = typeof value === 'string' ? 'String' : 'Boolean'
      const topic = `spBv1.0/g/${verb}/b1${verb === 'DCMD' ? `/${MACHINE_ID}` : ''}`
      broker.receive(topic, codec.encode({ timestamp: NOW, metrics: [{ name, type, value, timestamp: NOW }] }), retain)
      await nextTurn()
    },
    sent: (): readonly Message[] => broker.published.map(read),
    will: (): Message => read(broker.will ?? { topic: '', payload: '', qos: 0 }),
  }
}

/** Everything in the life of an edge node, in this order. */
async function session() {
  const node = world()
  await node.connect()
  const will = node.will()
  node.change(3.4)
  await node.output.onRecord(bridgedDevice(), {
    kind: 'alert',
    slot: 3,
    pin: 1,
    at: ALERT_AT,
    alerts: ['high_voltage_alert', 'high_current_alert'],
  })
  node.set(bridgedDevice(undefined, VALUES, false))
  node.set(bridgedDevice(undefined, VALUES))
  await node.clock.advance(5000)
  await node.command('NCMD', 'Node Control/Rebirth', true)
  await node.output.close()
  return { will, sent: node.sent(), filters: node.broker.filters }
}

const { will, sent, filters } = await session()
const of = (...verbs: readonly string[]): readonly Message[] => sent.filter(({ verb }) => verbs.includes(verb))
const one = (verb: string): Message => of(verb)[0] ?? will
const numbered = sent.filter(({ verb }) => verb !== 'NDEATH')
const births = of('NBIRTH', 'DBIRTH')
const data = of('NDATA', 'DDATA')
const topicOf = (verb: string): string => `spBv1.0/g/${verb}/b1${verb.startsWith('D') ? `/${MACHINE_ID}` : ''}`

/** What each rule of the specification asks of what an edge node sends. */
const RULES: readonly [rules: string, holds: () => void][] = [
  ...['NBIRTH', 'NDATA', 'NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'].map((verb): [string, () => void] => [
    `tck-id-topics-${verb.toLowerCase()}-topic`,
    () => expect(new Set(of(verb).map(({ topic }) => topic))).toEqual(new Set([topicOf(verb)])),
  ]),
  ...['NBIRTH', 'NDATA', 'DBIRTH', 'DDATA', 'DDEATH'].map((verb): [string, () => void] => [
    `tck-id-topics-${verb.toLowerCase()}-mqtt`,
    () => expect(of(verb).every(({ qos, retain }) => qos === 0 && retain !== true)).toBe(true),
  ]),
  ...['nbirth', 'dbirth', 'ndata', 'ddata'].map((verb): [string, () => void] => [
    `tck-id-topics-${verb}-timestamp`,
    () => expect(of(verb.toUpperCase()).map(({ body }) => numberOf(body.timestamp))).not.toContain(Number.NaN),
  ]),
  [
    'tck-id-topics-nbirth-seq-num, tck-id-payloads-sequence-num-zero-nbirth',
    () => expect(of('NBIRTH').map(({ body }) => numberOf(body.seq))).toEqual([0, 0]),
  ],
  [
    'tck-id-payloads-sequence-num-incrementing, tck-id-topics-dbirth-seq, tck-id-topics-ddeath-seq-num',
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
    'tck-id-topics-nbirth-metric-reqs, tck-id-topics-dbirth-metric-reqs',
    () => {
      for (const level of ['N', 'D']) {
        const announced = namesOf(one(`${level}BIRTH`))
        expect(
          of(`${level}DATA`)
            .flatMap(namesOf)
            .filter((name) => !announced.includes(name)),
        ).toEqual([])
      }
    },
  ],
  [
    'tck-id-topics-nbirth-metrics, tck-id-topics-dbirth-metrics, tck-id-payloads-name-birth-data-requirement',
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
  [
    'tck-id-message-flow-edge-node-ncmd-subscribe, tck-id-message-flow-device-dcmd-subscribe',
    () => expect([...filters]).toEqual(['spBv1.0/g/NCMD/b1', 'spBv1.0/g/DCMD/b1/+']),
  ],
  [
    'tck-id-payloads-dbirth-order, tck-id-payloads-ddata-order',
    () => expect(sent.slice(0, 3).map(({ verb }) => verb)).toEqual(['NBIRTH', 'DBIRTH', 'DDATA']),
  ],
  [
    'tck-id-operational-behavior-data-commands-rebirth-action-2',
    () =>
      expect(sent.slice(sent.lastIndexOf(of('NBIRTH')[1] ?? will)).map(({ verb }) => verb)).toEqual([
        'NBIRTH',
        'DBIRTH',
        'NDEATH',
      ]),
  ],
  [
    'tck-id-operational-behavior-data-commands-rebirth-action-3',
    () => expect(new Set(of('NBIRTH').map((message) => numberOf(valueOf(message, 'bdSeq'))))).toEqual(new Set([0])),
  ],
  [
    'tck-id-operational-behavior-device-ddeath',
    () => expect(sent.map(({ verb }) => verb).join(' ')).toContain('DDEATH NDATA DBIRTH'),
  ],
]

it.each(RULES)('keeps %s', (_rules, holds) => holds())

it('keeps tck-id-topics-nbirth-bdseq-increment: from 0, by one with each connection, and to 0 after 255', async () => {
  const node = world()
  const seen: number[] = []
  for (let count = 0; count < 258; count++) {
    node.broker.change(true)
    seen.push(numberOf(valueOf(node.will(), 'bdSeq')))
    node.broker.change(false)
  }
  expect(seen).toEqual([...Array.from({ length: 256 }, (_, index) => index), 0, 1])
})

it('counts messages to 255 and then from 0', async () => {
  const node = world()
  await node.connect()
  for (let count = 0; count < 300; count++) node.change(count)
  expect(node.sent().map(({ body }) => numberOf(body.seq))).toEqual(Array.from({ length: 302 }, (_, index) => index % 256))
})

it('sends types, values, units, and which can be written, in a birth certificate', () => {
  expect(one('DBIRTH').body.metrics).toMatchObject([
    { name: METRICS.volts.path, type: 'Double', value: 3.3, properties: { engUnit: { value: 'V' }, readOnly: { value: true } } },
    { name: METRICS.level.path, type: 'Boolean', value: true },
    { name: METRICS.total.path, type: 'Int64' },
    { name: METRICS.output.path, type: 'String', value: null, properties: { readOnly: { value: false } } },
    { name: METRICS.fan.path, type: 'String', value: null },
    { name: METRICS.mode.path, type: 'String', value: 'analog' },
    { name: 'io/3/pin/1/alert', type: 'String', value: null },
  ])
})

it('sends an alert with its flags and its time', () => {
  const [, alert] = of('DDATA')
  expect(alert?.body.metrics).toMatchObject([{ name: 'io/3/pin/1/alert', value: 'high_voltage_alert,high_current_alert' }])
  expect(numberOf(alert?.body.metrics?.[0]?.timestamp)).toBe(Date.parse(ALERT_AT))
})

it('leaves an alert in the device while there is no birth certificate', async () => {
  const node = world()
  const record = { kind: 'alert', slot: 3, pin: 1, at: ALERT_AT, alerts: ['high_voltage_alert'] }
  await expect(node.output.onRecord(bridgedDevice(), record)).rejects.toThrow('no birth certificate')
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
  [
    'carries out a command to a device',
    'DCMD',
    METRICS.output.path,
    'high',
    false,
    [{ path: METRICS.output.path, word: 'high' }],
  ],
  ['ignores a retained command', 'DCMD', METRICS.output.path, 'high', true, []],
  ['ignores a command to the node that it does not know', 'NCMD', 'Node Control/Reboot', true, false, []],
] as const)('an edge node %s', async (_what, verb, name, value, retain, expected) => {
  const node = world()
  await node.connect()
  await node.command(verb, name, value, retain)
  expect(node.commands).toEqual(expected)
  expect(node.sent().map(({ verb: sentVerb }) => sentVerb)).toEqual(['NBIRTH', 'DBIRTH'])
})

it('notices no commands unless they are served, and no bytes that are no payload', async () => {
  const node = world({ hasCommands: false })
  await node.connect()
  await node.command('DCMD', METRICS.output.path, 'high')
  node.broker.receive(topicOf('NCMD'), 'not a payload')
  expect(node.commands).toEqual([])
  expect([...node.broker.filters]).toEqual(['spBv1.0/g/NCMD/b1'])
})
