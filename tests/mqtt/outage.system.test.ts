import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { bridge, Received, raiseAlerts, send } from './bridges.testkit.ts'
import { clock, type Mosquitto, mosquitto } from './mosquitto.testkit.ts'

const LIMIT_MS = 120_000

/** Serves a twin. Each in memory has a machine id of its own. */
async function twin({ state = 'memory', port = 0 } = {}, ...words: readonly string[]) {
  const where = ['--hardware', 'twin', '--state', state, '--port', String(port)]
  const process = new SlotwireProcess(['serve', ...where, '--json', '--log-level', 'warn', ...words])
  const { urls, networkUrls } = JSON.parse(await process.firstLine()) as Announcement
  const url = String(urls[0])
  return { process, networkUrls, url, id: String((await send(url, '/machine-id'))['id']) }
}

/** The ids of all alerts in the journal. */
async function allAlerts(url: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after = '1-0'; ; ) {
    const page = await send(url, `/slotwire/events?kinds=alert&wait=0s&after=${after}`)
    ids.push(
      ...(page['messages'] as readonly { kind: string; id: string }[]).flatMap(({ kind, id }) => (kind === 'alert' ? [id] : [])),
    )
    if (page['next'] === after) return ids
    after = String(page['next'])
  }
}

/** Limits of brokers, and what is then not so. */
const LIMITS: readonly (readonly [limit: string, lines: readonly string[], hasAbout: boolean])[] = [
  ['packets of 400 bytes', ['max_packet_size 400'], false],
  ['QoS 0', ['max_qos 0'], true],
  ['one message at a time', ['max_inflight_messages 1'], true],
  ['nothing retained', ['retain_available false'], true],
]

describeWith('mosquitto', 'slotwire serve with a broker in its settings', (program) => {
  /** A device that publishes itself, with more settings. */
  async function device(broker: Mosquitto, ...settings: readonly string[]) {
    const folder = temporaryFolder()
    writeFileSync(
      join(folder, 'settings.yaml'),
      ['mqtt:', `  broker: ${broker.url}`, '  every-ms: 200', ...settings, ''].join('\n'),
    )
    return twin({ state: folder })
  }

  it('publishes this device again, with every alert, when the broker was killed and has forgotten everything', {
    timeout: LIMIT_MS,
  }, async () => {
    const broker = await mosquitto(program)
    const served = await device(broker, '  commands: all')
    const received = await Received.of(await broker.client())
    await received.allOnline([served])
    expect(received.statusOf(served)).toMatchObject({ commands: 'all', url: expect.stringContaining('http') as string })
    await raiseAlerts(served)
    await received.until('an alert', () => received.alertsOf(served).length > 0)
    await broker.stop()
    await clock.sleep(1500)
    received.texts.clear()
    await broker.start()
    await received.allOnline([served])
    await received.until('the position', () => received.texts.has(`slotwire/${served.id}/delivered`))
    await send(served.url, '/api/io/1.0/5/input/mode', { pin: 4, mode: 'digital' })
    const expected = await allAlerts(served.url)
    await received.until('the last alert', () => received.alertsOf(served).includes(expected.at(-1) ?? ''))
    expect([...new Set(received.alertsOf(served))].slice(0, expected.length)).toEqual(expected)
    served.process.child.kill('SIGTERM')
    await received.allOffline([served])
  })

  it.each(LIMITS)('obeys the limit of a broker: %s', { timeout: LIMIT_MS }, async (limit, lines, hasAbout) => {
    const broker = await mosquitto(program, ['allow_anonymous true', ...lines])
    const received = await Received.of(await broker.client())
    const served = await device(broker)
    await received.allOnline([served])
    await raiseAlerts(served)
    await received.until('alerts', () => received.alertsOf(served).length > 20)
    expect([limit, received.texts.has(`slotwire/${served.id}/about`)]).toEqual([limit, hasAbout])
    served.process.child.kill('SIGTERM')
    const { errors } = await served.process.ended
    expect(errors.split('takes no message of this size').length).toBe(hasAbout ? 1 : 2)
    expect(errors).not.toContain('trying again')
  })
})

describeWith('mosquitto', 'a bridge', (program) => {
  it('says that a broker takes no packet as large as the connection with its will', { timeout: LIMIT_MS }, async () => {
    const run = bridge((await mosquitto(program, ['allow_anonymous true', 'max_packet_size 200'])).url, [await twin()])
    await expect
      .poll(() => run.errors, { timeout: LIMIT_MS })
      .toMatch(/takes no packets of this size: raise its limit \(at most 200 bytes, /)
  })

  it('catches up with more alerts than it can hold, and takes commands again', { timeout: LIMIT_MS }, async () => {
    const broker = await mosquitto(program)
    const device = await twin()
    await raiseAlerts(device)
    await send(device.url, '/slotwire/bench/time/pace', { pace: 10 })
    const count = async () => (await allAlerts(device.url)).length
    await expect.poll(count, { timeout: 30_000, interval: 500 }).toBeGreaterThan(2500)
    await send(device.url, '/slotwire/bench/time/pace', { pace: 1 })
    await send(device.url, '/api/io/1.0/5/input/mode', { pin: 4, mode: 'digital' })
    const received = await Received.of(await broker.client())
    await received.client.publishAsync(`slotwire/${device.id}/delivered`, '1-1', { retain: true, qos: 1 })
    bridge(broker.url, [device])
    const expected = await allAlerts(device.url)
    const last = expected.at(-1) ?? ''
    await received.until('the last alert', () => received.alertsOf(device).includes(last))
    expect(new Set(received.alertsOf(device))).toEqual(new Set(expected))
    await received.allOnline([device])
  })

  it('notices that another device answers at an address', { timeout: LIMIT_MS }, async () => {
    const broker = await mosquitto(program)
    const first = await twin()
    const received = await Received.of(await broker.client())
    bridge(broker.url, [first], '--commands', 'all')
    await received.allOnline([first])
    await first.process.remove()
    const second = await twin({ port: Number(new URL(first.url).port) })
    expect(second.id).not.toBe(first.id)
    await received.allOnline([second])
    expect(received.stateOf(first)).toBe('offline')
  })

  /** A device at a network door, and how to make a token for it. */
  async function guarded() {
    const folder = temporaryFolder()
    const device = await twin({ state: folder }, '--listen', '127.0.0.2', '--http-port', '0', '--https-port', '0')
    const token = async (name: string): Promise<string> => {
      const added = await new SlotwireProcess(['token', 'create', '--name', name, '--json', '--state', folder]).ended
      return (JSON.parse(added.output) as { token: string }).token
    }
    return { folder, device, token, url: device.networkUrls.find((each) => each.startsWith('http:')) ?? '' }
  }

  it('reads a replaced token file again, without a restart', { timeout: LIMIT_MS }, async () => {
    const broker = await mosquitto(program)
    const { folder, device, token, url } = await guarded()
    const file = join(folder, 'token')
    writeFileSync(file, await token('one'))
    const received = await Received.of(await broker.client())
    new SlotwireProcess(['bridge', '--mqtt', broker.url, '--url', url, '--token-file', file])
    await received.allOnline([device])
    const second = await token('two')
    await new SlotwireProcess(['token', 'revoke', 'one', '--state', folder]).ended
    await received.allOffline([device])
    writeFileSync(file, second)
    await received.allOnline([device])
  })

  it('shows a saved device its own token only, and the others that of --token-file', { timeout: LIMIT_MS }, async () => {
    const broker = await mosquitto(program)
    const [saved, other] = [await guarded(), await guarded()]
    const environment = { XDG_CONFIG_HOME: saved.folder }
    const [own, file] = [join(saved.folder, 'token'), join(other.folder, 'token')]
    writeFileSync(own, await saved.token('one'))
    writeFileSync(file, await other.token('one'))
    const add = new SlotwireProcess(['context', 'add', 'press', saved.url, '--token-file', own], { environment })
    expect(await add.ended).toMatchObject({ code: 0 })
    const received = await Received.of(await broker.client())
    const words = ['--context', 'press', '--url', other.url, '--token-file', file]
    new SlotwireProcess(['bridge', '--mqtt', broker.url, ...words], { environment })
    await received.allOnline([saved.device, other.device])
  })

  it('says that a device is gone when it leaves the list', { timeout: LIMIT_MS }, async () => {
    const broker = await mosquitto(program)
    const [one, two] = [await twin(), await twin()]
    const list = join(temporaryFolder(), 'devices.txt')
    writeFileSync(list, `${one.url}\n${two.url}\n`)
    const received = await Received.of(await broker.client())
    const run = new SlotwireProcess(['bridge', '--mqtt', broker.url, '--urls-file', list])
    await received.allOnline([one, two])
    writeFileSync(list, `${one.url}\n`)
    run.child.kill('SIGHUP')
    await received.allOffline([two])
    expect(received.stateOf(one)).toBe('online')
  })

  it('stays off a device that is published already, and takes it with --take-over, after which the other does not fight', {
    timeout: LIMIT_MS,
  }, async () => {
    const broker = await mosquitto(program)
    const device = await twin()
    const received = await Received.of(await broker.client())
    const first = bridge(broker.url, [device])
    await received.allOnline([device])
    const { instance } = received.statusOf(device)
    const second = bridge(broker.url, [device])
    await clock.sleep(4000)
    expect(received.statusOf(device)).toMatchObject({ state: 'online', instance })
    second.child.kill('SIGTERM')
    expect((await second.ended).errors).toMatch(
      new RegExp(`publishes the device ${device.id} already, from ${device.url}.*--take-over`),
    )
    bridge(broker.url, [device], '--take-over')
    const isTaken = (): boolean => received.stateOf(device) === 'online' && received.statusOf(device)['instance'] !== instance
    await received.until('another instance', isTaken)
    await clock.sleep(3000)
    expect(isTaken()).toBe(true)
    first.child.kill('SIGTERM')
    expect((await first.ended).errors).toContain('this publisher stops')
  })
})
