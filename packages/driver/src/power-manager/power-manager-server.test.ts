import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { type PowerDecision, type PowerManager, powerBudgetErrors } from '../power/power-budget.ts'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { ANSWER_DEADLINE_MS, GRANT_DEADLINE_MS, REQUEST_DEADLINE_MS } from './grant-session.ts'
import { createPowerManagerClient } from './power-manager-client.ts'
import { powerManagerErrors } from './power-manager-errors.ts'
import { MAX_CONNECTIONS, type PowerManagerServer, SOCKET_CHECK_MS, servePowerManager } from './power-manager-server.ts'
import { framed, GRANTED } from './power-peer.testkit.ts'
import { ACTION_DONE, GIVEN_BACK, RawDriver, request } from './raw-driver.testkit.ts'

const nothing = { power3v3: 0, power5v0: 0, power12v: 0 }
const granted: PowerDecision = { granted: true, missing: nothing }
const NOTED = '{"protocol_version":"1.0.0","msg_type":"response","successful":true,"message":"noted"}'

/** Records requests and gives prepared answers. */
class FakeManager implements PowerManager {
  readonly calls: string[] = []
  decide: () => Promise<PowerDecision> = () => Promise.resolve(granted)
  note: () => Promise<void> = () => Promise.resolve()

  request(slot: number): Promise<PowerDecision> {
    this.calls.push(`request ${slot}`)
    return this.decide()
  }

  done(slot: number, applied: boolean): Promise<void> {
    this.calls.push(`done ${slot} ${applied}`)
    return this.note()
  }
}

let socket: string
let clock: ManualClock
let log: RecordingLog
let manager: FakeManager
let server: PowerManagerServer
let drivers: RawDriver[]

beforeEach(async () => {
  socket = join(temporaryFolder(), 'p.socket')
  clock = new ManualClock()
  log = new RecordingLog()
  manager = new FakeManager()
  drivers = []
  server = await servePowerManager({ socket, manager, clock, log })
})

afterEach(async () => {
  for (const driver of drivers) driver.disconnect()
  await server.close()
  expect(clock.pending).toBe(0)
  expect(log.linesOf('error')).toEqual([])
})

function connects(...messages: readonly Uint8Array[]): RawDriver {
  const made = new RawDriver(socket, ...messages)
  drivers.push(made)
  return made
}
const calls = (...expected: readonly string[]) => expect.poll(() => manager.calls, { interval: 1 }).toEqual(expected)
/** Waits until so many deadlines are running. One more timer is the server's own. */
const pending = (count: number) => expect.poll(() => clock.pending, { interval: 1 }).toBe(1 + count)
/** A complete grant session. */
async function requestPower(slot = 3): Promise<void> {
  const made = connects(request(slot))
  expect(await made.message(0)).toBe(GRANTED)
  made.write(ACTION_DONE)
  expect(await made.message(1)).toBe(NOTED)
  await made.isClosed()
}

describe('the server of a power manager', () => {
  it('answers with the bytes of the protocol, and reports the end of the grant to the manager', async () => {
    await requestPower()
    expect(manager.calls).toEqual(['request 3', 'done 3 true'])
  })

  it('sends the shortage, and ends the connection', async () => {
    manager.decide = () => Promise.resolve({ granted: false, missing: { ...nothing, power5v0: 10, power12v: 7450 } })
    const made = connects(request(3))
    expect(await made.message()).toBe(
      '{"protocol_version":"1.0.0","msg_type":"response","successful":false,"to_much_power_3v3":0,"to_much_power_5v0":10,"to_much_power_12v":7450}',
    )
    await made.isClosed()
    expect(manager.calls).toEqual(['request 3'])
  })

  it('serves one driver at a time, in order of arrival', async () => {
    const first = connects(request(3))
    await first.message()
    const second = connects(request(5))
    await pending(2)
    const third = connects(request(6))
    await pending(3)
    expect(manager.calls).toEqual(['request 3'])
    first.write(ACTION_DONE)
    await second.message()
    expect([second.messages[0], third.messages]).toEqual([GRANTED, []])
    second.write(ACTION_DONE)
    expect(await third.message()).toBe(GRANTED)
    third.write(ACTION_DONE)
    await calls('request 3', 'done 3 true', 'request 5', 'done 5 true', 'request 6', 'done 6 true')
  })

  it(`sends "try again" to a driver that waits too long, before the client's deadline`, async () => {
    await connects(request(3)).message()
    const second = connects(request(5))
    await pending(2)
    await clock.advance(ANSWER_DEADLINE_MS)
    expect(await second.message()).toContain('"successful":false,"to_much_power_3v3":0,')
    expect(await second.message()).toContain('"message":"another module is being configured: try again"')
  })

  it('sends the error of a manager that cannot decide to the driver', async () => {
    const client = createPowerManagerClient({ socket, clock })
    const messageOf = (): Promise<string> => client.request(3, nothing).then(String, String)
    const url = 'http://127.0.0.1:8001'
    manager.decide = () => Promise.reject(powerManagerErrors.powerServiceNotUsable({ url, reason: 'ECONNREFUSED' }))
    expect(await messageOf()).toMatch(
      /did not decide about the request: .* power service at .* \(ECONNREFUSED\), so the power budget is unknown/,
    )
    manager.decide = () => Promise.reject(powerBudgetErrors.powerFiguresNotRead({ reason: 'slot 3: EIO' }))
    expect(await messageOf()).toContain(
      'the power needs of the modules cannot be read (slot 3: EIO), so the power budget is unknown',
    )
    manager.decide = () => Promise.reject(new Error('secret'))
    expect(await messageOf()).toContain('internal error: see the log of the power manager')
    expect(log.linesOf('warn')).toHaveLength(1)
    manager.decide = () => Promise.resolve(granted)
    await requestPower()
  })

  it('does not wait for a manager that hangs, and gives its late grant back', async () => {
    let decide: (decision: PowerDecision) => void = () => undefined
    manager.decide = () => new Promise((resolve) => (decide = resolve))
    const made = connects(request(3))
    await calls('request 3')
    await clock.advance(ANSWER_DEADLINE_MS)
    expect(await made.message()).toContain('no decision within 800 ms: try again')
    decide(granted)
    await calls('request 3', 'done 3 false')
    manager.decide = () => Promise.resolve(granted)
    await requestPower(5)
  })
})

describe('a grant', () => {
  it('is given back when its driver says so', async () => {
    const made = connects(request(3))
    await made.message()
    made.write(GIVEN_BACK)
    expect(await made.message(1)).toContain('"successful":true,"message":"the grant was given back"')
    expect(manager.calls).toEqual(['request 3', 'done 3 false'])
  })

  it('is withdrawn when its driver disconnects, and the next driver is served at once', async () => {
    const made = connects(request(3))
    await made.message()
    const next = connects(request(5))
    await pending(2)
    made.disconnect()
    expect(await next.message()).toBe(GRANTED)
    expect(manager.calls).toEqual(['request 3', 'done 3 false', 'request 5'])
  })

  it('is withdrawn when its driver hangs, to the millisecond', async () => {
    const made = connects(request(3))
    await made.message()
    await clock.advance(GRANT_DEADLINE_MS - 1)
    expect(manager.calls).toEqual(['request 3'])
    await clock.advance(1)
    await made.isClosed()
    expect(manager.calls).toEqual(['request 3', 'done 3 false'])
    await requestPower(5)
    expect(server.stuck()).toBeUndefined()
  })

  it.each([
    ['half a message', ACTION_DONE.subarray(0, 20)],
    ['a huge length', framed('', 0xffff_ffff)],
    ['bad JSON', framed('{')],
    ['another request', request(3)],
    ['a wrong type', framed('{"protocol_version":"1.0.0","msg_type":"request","action_done":"yes"}')],
  ])('is withdrawn when its driver sends %s in place of action_done', async (_what, bytes) => {
    const made = connects(request(3))
    await made.message()
    made.write(bytes)
    if (bytes.length === 20) await clock.advance(GRANT_DEADLINE_MS)
    await made.isClosed()
    await calls('request 3', 'done 3 false')
    expect(log.linesOf('warn')[0]?.message).toContain('a power grant is withdrawn')
    expect(
      made.messages.slice(1).filter((answer) => !answer.includes('"successful":false,"message":"the grant is withdrawn')),
    ).toEqual([])
    await requestPower(5)
  })

  it('is not confirmed when it cannot be recorded', async () => {
    manager.note = () => Promise.reject(new Error('no'))
    const made = connects(request(3))
    await made.message()
    made.write(ACTION_DONE)
    expect(await made.message(1)).toContain('"successful":false,"message":"the power manager could not record it')
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    log.lines.length = 0
  })
})

describe('the server of a power manager, with a faulty driver', () => {
  it.each([
    ['bad JSON', framed('{"slot'), 'invalid request: it is not JSON'],
    ['action_done alone', ACTION_DONE, 'slot_number is missing: an integer from 0 to 7'],
    ['a figure of 17 bits', request(3, 65_536), 'max_power_12v is out of range: 0…65535 mW, not 65536'],
  ])('answers %s with the fault, and closes the connection', async (_what, bytes, words) => {
    const made = connects(bytes)
    expect(await made.message()).toContain(words)
    await made.isClosed()
    expect(manager.calls).toEqual([])
    await requestPower()
  })

  it.each([
    ['a huge length', framed('', 0xffff_ffff), 'it announces 4294967295 bytes, and at most 4096 are allowed'],
    ['4097 bytes', framed('x'.repeat(4097)), 'it announces 4097 bytes'],
    ['1 MB', framed('x'.repeat(1_000_000)), 'it announces 1000000 bytes'],
    ['two messages at once', Buffer.concat([request(3), ACTION_DONE]), 'an unexpected message came'],
  ])('answers %s with the fault, and closes the connection', async (_what, bytes, words) => {
    const made = connects(bytes)
    expect(await made.message()).toContain(`"message":"invalid request: ${words}`)
    await made.isClosed()
    expect(made.messages).toHaveLength(1)
    await requestPower(5)
  })

  it.each([
    ['its request', request(3)],
    ['half a message', request(3).subarray(0, 60)],
  ])('answers a driver that ends its side after %s that nothing can be granted', async (_when, bytes) => {
    manager.decide = () => new Promise(() => undefined)
    const made = connects(bytes)
    made.endWriting()
    expect(await made.message()).toContain(
      '"successful":false,"to_much_power_3v3":0,"to_much_power_5v0":0,"to_much_power_12v":0,"message":"nothing can be granted on a connection that its driver has closed: keep it open until action_done is answered"',
    )
    await made.isClosed()
    manager.decide = () => Promise.resolve(granted)
    await requestPower(5)
  })

  it('withdraws the grant of a driver that ends its side, and reports that', async () => {
    const made = connects(request(3))
    await made.message()
    made.endWriting()
    expect(await made.message(1)).toContain('"successful":false,"message":"the grant is withdrawn: nothing came"')
    await made.isClosed()
    await requestPower(5)
  })

  it.each([
    ['nothing', []],
    ['one byte', [Buffer.of(9)]],
    ['half a message', [request(3).subarray(0, 60)]],
  ])('closes in time after %s, and serves other drivers until then', async (_what, bytes) => {
    const made = connects(...bytes)
    await pending(1)
    await requestPower(5)
    await clock.advance(REQUEST_DEADLINE_MS)
    await made.isClosed()
    expect(made.messages).toEqual([])
  })

  it.each([
    ['no message: it was a probe', []],
    ['half a message', [request(3).subarray(0, 60)]],
  ])('logs nothing of a driver that disconnects after %s', async (_what, bytes) => {
    const made = connects(...bytes)
    await pending(1)
    made.disconnect()
    await pending(0)
    expect(log.linesOf('warn')).toEqual([])
  })

  it('frees the place of a driver that disconnects while it waits', async () => {
    const first = connects(request(3))
    await first.message()
    const second = connects(request(5))
    await pending(2)
    second.disconnect()
    await pending(1)
    const third = connects(request(6))
    await pending(2)
    first.write(ACTION_DONE)
    await third.message()
    expect(manager.calls).toEqual(['request 3', 'done 3 true', 'request 6'])
  })

  it('serves a driver while another opens connections without end', async () => {
    const flood = Array.from({ length: 3 * MAX_CONNECTIONS }, () => connects())
    await expect.poll(() => flood.filter(({ closed }) => closed).length).toBe(2 * MAX_CONNECTIONS)
    await requestPower()
    await requestPower(5)
    await clock.advance(REQUEST_DEADLINE_MS)
    await Promise.all(flood.map((one) => one.isClosed()))
  })

  it('does not fill the log for a driver that is refused again and again', async () => {
    for (let count = 0; count < 50; count++) await connects(framed('{')).isClosed()
    expect(log.linesOf('warn')).toHaveLength(1)
    await clock.advance(10_000)
    await connects(framed('{')).isClosed()
    expect(log.linesOf('warn')[1]?.fields).toMatchObject({ omitted: 49 })
  })
})

it('withdraws every grant when it is closed', async () => {
  const first = connects(request(3))
  await first.message()
  const second = connects(request(5))
  await pending(2)
  await server.close()
  await Promise.all([first.isClosed(), second.isClosed()])
  expect(manager.calls).toEqual(['request 3', 'done 3 false'])
})

describe('the check of the socket file', () => {
  const lost = (how: string) => `drivers cannot reach this power manager: its socket ${socket} ${how}; restart it`
  const errors = () => log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)
  afterEach(() => log.lines.splice(0))

  it('reports a deleted file once in the log, and as no progress', async () => {
    rmSync(socket)
    await clock.advance(2 * SOCKET_CHECK_MS)
    expect(errors()).toEqual([lost('was deleted')])
    expect(server.stuck()).toBe(lost('was deleted'))
  })

  it('reports a file that was replaced', async () => {
    rmSync(socket)
    writeFileSync(socket, '')
    await clock.advance(SOCKET_CHECK_MS)
    expect(errors()).toEqual([lost('was replaced by another file')])
  })

  it('logs nothing while the file is in place', async () => {
    await clock.advance(2 * SOCKET_CHECK_MS)
    expect(log.lines).toEqual([])
    expect(server.stuck()).toBeUndefined()
  })
})
