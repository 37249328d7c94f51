import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PowerDecision, PowerManager } from '../power/power-budget.ts'
import { powerBudgetErrors } from '../power/power-budget-errors.ts'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { ANSWER_DEADLINE_MS, GRANT_DEADLINE_MS, REQUEST_DEADLINE_MS } from './grant-session.ts'
import { createPowerManagerClient } from './power-manager-client.ts'
import { powerManagerErrors } from './power-manager-errors.ts'
import { MOST_CONNECTIONS, type PowerManagerServer, SOCKET_LOOK_MS, servePowerManager } from './power-manager-server.ts'
import { framed, GRANTED } from './power-peer.testkit.ts'
import { ACTION_DONE, GIVEN_BACK, RawDriver, request } from './raw-driver.testkit.ts'

const nothing = { power3v3: 0, power5v0: 0, power12v: 0 }
const granted: PowerDecision = { granted: true, missing: nothing }
const NOTED = '{"protocol_version":"1.0.0","msg_type":"response","successful":true,"message":"noted"}'

/** Notes what it is asked, and answers as it is told. */
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

let folder: string
let socket: string
let clock: ManualClock
let log: RecordingLog
let manager: FakeManager
let server: PowerManagerServer
let drivers: RawDriver[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire-power-'))
  socket = join(folder, 'p.socket')
  clock = new ManualClock()
  log = new RecordingLog()
  manager = new FakeManager()
  drivers = []
  server = await servePowerManager({ socket, manager, clock, log })
})

afterEach(async () => {
  for (const driver of drivers) driver.vanish()
  await server.close()
  expect(clock.pending).toBe(0)
  expect(log.at('error')).toEqual([])
  rmSync(folder, { recursive: true })
})

function connects(...messages: readonly Uint8Array[]): RawDriver {
  const made = new RawDriver(socket, ...messages)
  drivers.push(made)
  return made
}
const calls = (...expected: readonly string[]) => expect.poll(() => manager.calls, { interval: 1 }).toEqual(expected)
/** So many wait for something: each has a deadline. One timer is the server's own. */
const pending = (count: number) => expect.poll(() => clock.pending, { interval: 1 }).toBe(1 + count)
/** A whole grant session. */
async function requestPower(slot = 3): Promise<void> {
  const made = connects(request(slot))
  expect(await made.hears(0)).toBe(GRANTED)
  made.write(ACTION_DONE)
  expect(await made.hears(1)).toBe(NOTED)
  await made.isCut()
}

describe('a power manager at a socket', () => {
  it('answers with the bytes of the protocol, and is told how it ended', async () => {
    await requestPower()
    expect(manager.calls).toEqual(['request 3', 'done 3 true'])
  })

  it('tells what is missing, and ends the connection', async () => {
    manager.decide = () => Promise.resolve({ granted: false, missing: { ...nothing, power5v0: 10, power12v: 7450 } })
    const made = connects(request(3))
    expect(await made.hears()).toBe(
      '{"protocol_version":"1.0.0","msg_type":"response","successful":false,"to_much_power_3v3":0,"to_much_power_5v0":10,"to_much_power_12v":7450}',
    )
    await made.isCut()
    expect(manager.calls).toEqual(['request 3'])
  })

  it('lets one at a time in, in order of arrival', async () => {
    const first = connects(request(3))
    await first.hears()
    const second = connects(request(5))
    await pending(2)
    const third = connects(request(6))
    await pending(3)
    expect(manager.calls).toEqual(['request 3'])
    first.write(ACTION_DONE)
    await second.hears()
    expect([second.heard[0], third.heard]).toEqual([GRANTED, []])
    second.write(ACTION_DONE)
    expect(await third.hears()).toBe(GRANTED)
    third.write(ACTION_DONE)
    await calls('request 3', 'done 3 true', 'request 5', 'done 5 true', 'request 6', 'done 6 true')
  })

  it('tells who waits for too long to try again, in the time that clients have', async () => {
    await connects(request(3)).hears()
    const second = connects(request(5))
    await pending(2)
    await clock.advance(ANSWER_DEADLINE_MS)
    expect(await second.hears()).toContain('"successful":false,"to_much_power_3v3":0,')
    expect(await second.hears()).toContain('"message":"another module is being configured: try again"')
  })

  it('tells the error of a manager that cannot decide to the client', async () => {
    const client = createPowerManagerClient({ socket, clock })
    const messageOf = (): Promise<string> => client.request(3, nothing).then(String, String)
    const url = 'http://127.0.0.1:8001'
    manager.decide = () => Promise.reject(powerManagerErrors.powerServiceNotUsable({ url, reason: 'ECONNREFUSED' }))
    expect(await messageOf()).toMatch(/did not decide about the request: the power service at .* \(ECONNREFUSED\), so nobody/)
    manager.decide = () => Promise.reject(powerBudgetErrors.powerFiguresNotRead({ reason: 'slot 3: EIO' }))
    expect(await messageOf()).toContain('what the modules need of the power cannot be read (slot 3: EIO), so nobody')
    manager.decide = () => Promise.reject(new Error('secret'))
    expect(await messageOf()).toContain('internal error: the log of the power manager has the details')
    expect(log.at('warn')).toHaveLength(1)
    manager.decide = () => Promise.resolve(granted)
    await requestPower()
  })

  it('does not wait for a manager that hangs, and gives its late grant back', async () => {
    let decide: (decision: PowerDecision) => void = () => undefined
    manager.decide = () => new Promise((resolve) => (decide = resolve))
    const made = connects(request(3))
    await calls('request 3')
    await clock.advance(ANSWER_DEADLINE_MS)
    expect(await made.hears()).toContain('nothing could be decided within 800 ms: try again')
    decide(granted)
    await calls('request 3', 'done 3 false')
    manager.decide = () => Promise.resolve(granted)
    await requestPower(5)
  })
})

describe('a grant', () => {
  it('is given back when its driver says so', async () => {
    const made = connects(request(3))
    await made.hears()
    made.write(GIVEN_BACK)
    expect(await made.hears(1)).toContain('"successful":true,"message":"the grant was given back"')
    expect(manager.calls).toEqual(['request 3', 'done 3 false'])
  })

  it('is taken back when its driver vanishes, and the next comes at once', async () => {
    const made = connects(request(3))
    await made.hears()
    const next = connects(request(5))
    await pending(2)
    made.vanish()
    expect(await next.hears()).toBe(GRANTED)
    expect(manager.calls).toEqual(['request 3', 'done 3 false', 'request 5'])
  })

  it('is taken back when its driver hangs, to the millisecond', async () => {
    const made = connects(request(3))
    await made.hears()
    await clock.advance(GRANT_DEADLINE_MS - 1)
    expect(manager.calls).toEqual(['request 3'])
    await clock.advance(1)
    await made.isCut()
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
  ])('is taken back when its driver sends %s in place of action_done', async (_what, bytes) => {
    const made = connects(request(3))
    await made.hears()
    made.write(bytes)
    if (bytes.length === 20) await clock.advance(GRANT_DEADLINE_MS)
    await made.isCut()
    await calls('request 3', 'done 3 false')
    expect(log.at('warn')[0]?.message).toContain('a power grant is taken back')
    expect(
      made.heard.slice(1).filter((answer) => !answer.includes('"successful":false,"message":"the grant is taken back')),
    ).toEqual([])
    await requestPower(5)
  })

  it('that cannot be noted is not confirmed', async () => {
    manager.note = () => Promise.reject(new Error('no'))
    const made = connects(request(3))
    await made.hears()
    made.write(ACTION_DONE)
    expect(await made.hears(1)).toContain('"successful":false,"message":"the power manager could not note it')
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    log.lines.length = 0
  })
})

describe('a peer that', () => {
  it.each([
    ['bad JSON', framed('{"slot'), 'the request makes no sense: it is no JSON'],
    ['no object', framed('7'), '7 is no JSON object'],
    ['action_done alone', ACTION_DONE, 'slot_number is missing'],
    ['slot 9', request(9), 'slot_number is 9, not a whole number from 0 to 7'],
    ['a slot as text', framed(request(3).subarray(4).toString().replace(':3,', ':"3",')), 'slot_number is \\"3\\", not'],
    ['a negative figure', request(3, -1), 'max_power_12v is -1, not'],
    ['a figure of 17 bits', request(3, 65_536), 'max_power_12v is 65536, not'],
    ['another protocol', framed(request(3).subarray(4).toString().replace('1.0.0', '2.0.0')), 'protocol_version is'],
  ])('sends %s is told what is wrong, and cut', async (_what, bytes, words) => {
    const made = connects(bytes)
    expect(await made.hears()).toContain(words)
    await made.isCut()
    expect(manager.calls).toEqual([])
    await requestPower()
  })

  it.each([
    ['a huge length', framed('', 0xffff_ffff), 'it announces 4294967295 bytes, and at most 4096 are allowed'],
    ['4097 bytes', framed('x'.repeat(4097)), 'it announces 4097 bytes'],
    ['1 MB', framed('x'.repeat(1_000_000)), 'it announces 1000000 bytes'],
    ['two messages at once', Buffer.concat([request(3), ACTION_DONE]), 'a message came that nobody had asked for'],
  ])('sends %s is told that as well, and cut', async (_what, bytes, words) => {
    const made = connects(bytes)
    expect(await made.hears()).toContain(`"message":"the request makes no sense: ${words}`)
    await made.isCut()
    expect(made.heard).toHaveLength(1)
    await requestPower(5)
  })

  it.each([
    ['has asked', request(3)],
    ['has said half', request(3).subarray(0, 60)],
  ])('says no more when it %s is told that nothing can be granted so', async (_when, bytes) => {
    manager.decide = () => new Promise(() => undefined)
    const made = connects(bytes)
    made.saysNoMore()
    expect(await made.hears()).toContain(
      '"successful":false,"to_much_power_3v3":0,"to_much_power_5v0":0,"to_much_power_12v":0,"message":"nothing can be granted on a connection that its driver has closed: keep it open until action_done is answered"',
    )
    await made.isCut()
    manager.decide = () => Promise.resolve(granted)
    await requestPower(5)
  })

  it('says no more when it has a grant is told that it has lost it', async () => {
    const made = connects(request(3))
    await made.hears()
    made.saysNoMore()
    expect(await made.hears(1)).toContain('"successful":false,"message":"the grant is taken back: nothing came"')
    await made.isCut()
    await requestPower(5)
  })

  it.each([
    ['nothing', []],
    ['one byte', [Buffer.of(9)]],
    ['half a message', [request(3).subarray(0, 60)]],
  ])('sends %s is cut in time, and keeps nobody waiting until then', async (_what, bytes) => {
    const made = connects(...bytes)
    await pending(1)
    await requestPower(5)
    await clock.advance(REQUEST_DEADLINE_MS)
    await made.isCut()
    expect(made.heard).toEqual([])
  })

  it('vanishes while it waits leaves its place', async () => {
    const first = connects(request(3))
    await first.hears()
    const second = connects(request(5))
    await pending(2)
    second.vanish()
    await pending(1)
    const third = connects(request(6))
    await pending(2)
    first.write(ACTION_DONE)
    await third.hears()
    expect(manager.calls).toEqual(['request 3', 'done 3 true', 'request 6'])
  })

  it('opens connections without end keeps nobody out', async () => {
    const flood = Array.from({ length: 3 * MOST_CONNECTIONS }, () => connects())
    await expect.poll(() => flood.filter(({ closed }) => closed).length).toBe(2 * MOST_CONNECTIONS)
    await requestPower()
    await requestPower(5)
    await clock.advance(REQUEST_DEADLINE_MS)
    await Promise.all(flood.map((one) => one.isCut()))
  })

  it('is turned away again and again does not fill the log', async () => {
    for (let count = 0; count < 50; count++) await connects(framed('{')).isCut()
    expect(log.at('warn')).toHaveLength(1)
    await clock.advance(10_000)
    await connects(framed('{')).isCut()
    expect(log.at('warn')[1]?.fields).toMatchObject({ omitted: 49 })
  })
})

it('takes every grant back when it is closed', async () => {
  const first = connects(request(3))
  await first.hears()
  const second = connects(request(5))
  await pending(2)
  await server.close()
  await Promise.all([first.isCut(), second.isCut()])
  expect(manager.calls).toEqual(['request 3', 'done 3 false'])
})

describe('the socket of a running power manager', () => {
  const lost = (how: string) => `no driver reaches this power manager: its socket ${socket} ${how}; restart it`
  const errors = () => log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)
  afterEach(() => log.lines.splice(0))

  it('that is deleted is missed, which is said once, and is no progress', async () => {
    rmSync(socket)
    await clock.advance(2 * SOCKET_LOOK_MS)
    expect(errors()).toEqual([lost('was deleted')])
    expect(server.stuck()).toBe(lost('was deleted'))
  })

  it('that is replaced is missed as well', async () => {
    rmSync(socket)
    writeFileSync(socket, '')
    await clock.advance(SOCKET_LOOK_MS)
    expect(errors()).toEqual([lost('was replaced by another file')])
  })

  it('that stands in its place is no word worth', async () => {
    await clock.advance(2 * SOCKET_LOOK_MS)
    expect(log.lines).toEqual([])
    expect(server.stuck()).toBeUndefined()
  })
})
