import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { bridge, Received, send, twins } from './bridges.testkit.ts'
import { power } from './fleet.testkit.ts'
import { clock, mosquitto } from './mosquitto.testkit.ts'

const EXPIRING = { messageExpiryInterval: 10 }
const MEGABYTES = 10 * 1024 * 1024
const COMMANDS = 10_000
const LIMIT_MS = 60_000

async function world(program: string, commands: string) {
  const broker = await mosquitto(program)
  const { twins: devices } = await twins(1)
  const [twin] = devices
  if (twin === undefined) throw new Error('no twin')
  await power(devices)
  const received = await Received.of(await broker.client())
  const started = bridge(broker.url, devices, '--commands', commands, '--every', '250ms', '--log-level', 'warn')
  await received.allOnline(devices)
  const publisher = await broker.client()
  const root = `slotwire/${twin.id}`
  const answers = (): readonly unknown[] =>
    received.messages.filter(({ topic }) => topic.startsWith(`${root}/response/`)).map(({ text }) => JSON.parse(text) as unknown)
  return { broker, twin, received, started, publisher, root, answers }
}

describeWith('mosquitto', 'commands from a broker', (program) => {
  it('are carried out, or refused by name below the response topic and nowhere else', { timeout: LIMIT_MS }, async () => {
    const { twin, publisher, received, root } = await world(program, 'expiring')
    const session = String(
      ((await send(twin.url, '/slotwire/state'))['modules'] as { slot: number; session: string }[]).find(({ slot }) => slot === 3)
        ?.session,
    )
    const lease = await send(twin.url, '/slotwire/leases', { slots: [5], holder: 'line 3', ttl_seconds: 60, on_lapse: 'keep' })
    const call = `${root}/io/3/call/setInputMode`
    const input = { pin: 2, mode: 'digital' }
    const leased = `${root}/io/5/pin/1/mode/set`
    const cases: readonly (readonly [
      topic: string,
      payload: string | Buffer,
      result: string | undefined,
      properties?: object,
    ])[] = [
      [`${root}/io/3/pin/1/set`, 'high', 'success'],
      [`${root}/io/3/pin/1/set`, 'high', 'no-expiry', { messageExpiryInterval: undefined }],
      [`${root}/io/3/pin/1/set`, 'high', 'expiry-too-long', { messageExpiryInterval: 3600 }],
      [`${root}/io/3/pin/1/set`, '{"value":"high","expires_at":"2026-01-01T00:00:00Z"}', 'expired'],
      [`${root}/io/3/pin/1/set`, '{"value":"high","expires_at":"2036-01-01T00:00:00"}', 'bad-payload'],
      [`${root}/io/3/pin/1/mode/set`, '{"value":[["analog"]]}', 'bad-payload'],
      [`${root}/io/3/pin/1/set`, `${'['.repeat(4000)}${']'.repeat(4000)}`, 'bad-payload'],
      [call, `{"input":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`, 'bad-payload'],
      [call, JSON.stringify({ input: [input] }), 'bad-payload'],
      [call, JSON.stringify({ input }), 'bad-payload', { userProperties: { 'if-match': ['OLD', 'OLD'] } }],
      [call, JSON.stringify({ input, lease: 'A' }), 'bad-payload', { userProperties: { 'slotwire-lease': 'B' } }],
      [`${root}/io/3/call/constructor`, '{}', 'unknown-command'],
      [`${root}/constructor/3/call/setInputMode`, '{}', 'unknown-command'],
      [`${root}/io/3/pin/1/set`, 'sideways', 'bad-payload'],
      [`${root}/io/3/pin/1/set`, Buffer.from([0xff, 0xfe]), 'bad-payload'],
      [`${root}/io/3/pin/1/set`, 'x'.repeat(9000), 'payload-too-large'],
      [`${root}/io/6/pin/1/set`, 'high', 'unknown-command'],
      [`${root}/io/3/pin/7/set`, 'high', 'unknown-command'],
      [call, JSON.stringify({ input }), 'success'],
      [call, '{broken', 'bad-payload'],
      [call, JSON.stringify({ input: { pin: 99, mode: 'digital' } }), 'invalid'],
      [call, JSON.stringify({ input, if_match: session }), 'success'],
      [call, JSON.stringify({ input, if_match: 'OLD' }), 'session-changed'],
      [call, JSON.stringify({ input, 'if-match': session }), 'bad-payload'],
      [call, `{"if_match":"OLD","input":${JSON.stringify(input)},"if_match":"*"}`, 'bad-payload'],
      [leased, '{"value":"analog","value":"digital"}', 'bad-payload'],
      [call, JSON.stringify({ input }), 'session-changed', { userProperties: { 'If-Match': 'OLD' } }],
      [`${root}/io/7/call/setInputMode`, JSON.stringify({ input }), 'not-found'],
      [`${root}/io/3/call/getInputValues`, '{}', 'unknown-command'],
      [`${root}/io/3/call/__proto__`, '{}', 'unknown-command'],
      [`${root}/bmc/0/call/hardReset`, '{"input":{"reset":"yes"}}', 'not-allowed'],
      [leased, 'digital', 'leased'],
      [leased, JSON.stringify({ value: 'digital', lease: lease['secret'] }), 'success'],
    ]
    for (const [index, [topic, payload, result, properties]] of cases.entries()) {
      const own = `${root}/response/case/${index}`
      await publisher.publishAsync(topic, payload, { qos: 1, properties: { ...EXPIRING, responseTopic: own, ...properties } })
      await received.until(`an answer to ${topic}`, () => received.texts.has(own))
      const { status, error } = JSON.parse(received.texts.get(own) ?? '{}') as { status: string; error?: string }
      expect([topic, payload.toString().slice(0, 60), error ?? status]).toEqual([topic, payload.toString().slice(0, 60), result])
      // Below the limit of commands in a second.
      await clock.sleep(60)
    }
    // Another response topic is not used, nor is a retained command done.
    await publisher.publishAsync(`${root}/io/3/pin/1/set`, 'low', {
      qos: 1,
      properties: { ...EXPIRING, responseTopic: 'elsewhere/x' },
    })
    await received.until('the own response topic', () => received.texts.has(`${root}/response/io/3/pin/1/set`))
    await publisher.publishAsync(`${root}/io/3/pin/1/set`, 'high', { qos: 1, retain: true, properties: EXPIRING })
    await received.until('the pin is low', () => received.texts.get(`${root}/io/3/pin/1/state`) === 'low')
    expect(received.texts.has('elsewhere/x')).toBe(false)
  })

  it('do not reach the device if they are too many or too large, and others work afterwards', {
    timeout: LIMIT_MS,
  }, async () => {
    const { twin, publisher, received, root, answers, started } = await world(program, 'all')
    const before = ((await send(twin.url, '/slotwire/events?kinds=write&wait=1s&after=1-0'))['messages'] as unknown[]).length
    const big = Buffer.alloc(MEGABYTES)
    await publisher.publishAsync(`${root}/io/3/pin/1/set`, big, { qos: 0 }).catch(() => undefined)
    for (let sent = 0; sent < COMMANDS; sent++) publisher.publish(`${root}/io/3/pin/1/set`, sent % 2 === 0 ? 'high' : 'low')
    await clock.sleep(3000)
    expect(started.child.exitCode).toBeNull()
    const writes = (await send(twin.url, '/slotwire/events?kinds=write&wait=1s&after=1-0'))['messages'] as unknown[]
    expect(writes.length - before).toBeLessThan(150)
    expect(answers().length).toBeLessThan(250)
    expect(answers()).toContainEqual(expect.objectContaining({ error: 'too-many-commands' }))
    // Once the flood is over, which the broker may still deliver, a command is done as before.
    const own = `${root}/response/x`
    const isDone = (): boolean => (received.texts.get(own) ?? '').includes('success')
    while (!isDone()) {
      await publisher.publishAsync(`${root}/io/3/pin/2/set`, 'high', { qos: 1, properties: { responseTopic: own } })
      await clock.sleep(300)
    }
  })
})
