import { get } from 'sparkplug-payload'
import type { UPayload } from 'sparkplug-payload/lib/sparkplugbpayload.js'
import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { bridge, send, twins } from './bridges.testkit.ts'
import { mosquitto } from './mosquitto.testkit.ts'

const LIMIT_MS = 60_000
const WITHIN = { timeout: 20_000, interval: 50 }
const codec = get('spBv1.0')
if (codec === null) throw new Error('no codec')

interface Message {
  readonly verb: string
  readonly body: UPayload
}

describeWith('mosquitto', 'Sparkplug B over a real broker', (program) => {
  it('bears a device as an edge node, sends changes, obeys commands and requests, and reports its death by its will', {
    timeout: LIMIT_MS,
  }, async () => {
    const broker = await mosquitto(program)
    const { twins: devices } = await twins(1)
    const [device] = devices
    if (device === undefined) throw new Error('no twin')
    const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 20 }))
    await send(device.url, '/api/io/1.0/5/power-management', { config })
    const client = await broker.client()
    const messages: Message[] = []
    client.on('message', (topic, payload) => {
      const [, , verb = ''] = topic.split('/')
      messages.push({ verb, body: codec.decodePayload(payload) })
    })
    await client.subscribeAsync(['NBIRTH', 'NDATA', 'NDEATH'].map((verb) => `spBv1.0/plant/${verb}/${device.id}`))
    const options = ['--payload', 'sparkplug', '--sparkplug-group', 'plant', '--commands', 'all', '--every', '100ms']
    const started = bridge(broker.url, devices, ...options)
    /** The newest value of a metric of the machine. */
    const valueOf = (name: string): unknown =>
      messages.flatMap(({ body }) => body.metrics ?? []).findLast((metric) => metric.name === name)?.value
    const command = (name: string, value: string | boolean): Promise<unknown> => {
      const type = typeof value === 'string' ? 'String' : 'Boolean'
      const topic = `spBv1.0/plant/NCMD/${device.id}`
      return client.publishAsync(topic, Buffer.from(codec.encodePayload({ timestamp: 1, metrics: [{ name, type, value }] })))
    }
    await expect.poll(() => valueOf('power/1/rail/12v/volts'), WITHIN).toBeGreaterThan(11)
    expect(messages[0]).toMatchObject({ verb: 'NBIRTH' })
    // The module restarts with its power, which takes a moment.
    const turnOn = async (): Promise<unknown> => {
      await command('io/5/pin/1', 'high')
      return valueOf('io/5/pin/1')
    }
    await expect.poll(turnOn, { ...WITHIN, interval: 500 }).toBe('high')
    await expect.poll(() => valueOf('io/5/pin/1/volts'), WITHIN).toBeGreaterThan(4)
    const births = (): number => messages.filter(({ verb }) => verb === 'NBIRTH').length
    const before = births()
    await command('Node Control/Rebirth', true)
    await expect.poll(births, WITHIN).toBe(before + 1)
    const numbers = messages.map(({ body }) => Number(String(body.seq)))
    expect(numbers.filter((seq, index) => index > 0 && seq !== 0 && seq !== ((numbers[index - 1] ?? 0) + 1) % 256)).toEqual([])
    // Killed: the broker publishes the will, with the number of the birth.
    await started.remove()
    await expect.poll(() => messages.at(-1)?.verb, WITHIN).toBe('NDEATH')
    expect(messages.at(-1)?.body.metrics?.[0]).toMatchObject({ name: 'bdSeq', value: messages[0]?.body.metrics?.[0]?.value })
  })
})
