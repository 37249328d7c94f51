import { ManualClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PowerManager } from '../power/power-budget.ts'
import { CLIENT_DEADLINE_MS, createPowerManagerClient } from './power-manager-client.ts'
import { answers, FAILING, framed, GRANTED, NOTED, PowerPeer, type Reaction } from './power-peer.testkit.ts'

const need = { power3v3: 300, power5v0: 1200, power12v: 6000 }
const none = { power3v3: 0, power5v0: 0, power12v: 0 }
const DENIED =
  '{"protocol_version":"1.0.0","msg_type":"whatever","successful":false,"to_much_power_3v3":1,"to_much_power_5v0":0,"to_much_power_12v":7450,"more":1}'

let clock: ManualClock
let peer: PowerPeer
let client: PowerManager

beforeEach(async () => {
  clock = new ManualClock()
  peer = await new PowerPeer().listen()
  client = createPowerManagerClient({ socket: peer.socket, clock })
})

afterEach(async () => {
  await peer.stop()
  expect(clock.pending).toBe(0)
})

const everybodyGone = () => expect.poll(() => peer.open.size).toBe(0)

/** Waits some turns of the event loop, for bytes between two sockets of this process. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await clock.advance(0)
}

/** The error after so many received messages, or after the deadline. */
async function errorOf(work: Promise<unknown>, messages: number): Promise<unknown> {
  const failed = work.then(
    () => undefined,
    (error: unknown) => error,
  )
  await expect.poll(() => peer.received.length).toBe(messages)
  await settled()
  await clock.advance(CLIENT_DEADLINE_MS)
  return failed
}

describe('the client of a power manager', () => {
  it('sends the request and action_done on one connection, each in one piece', async () => {
    expect(await client.request(3, need)).toEqual({ granted: true, missing: none })
    expect(peer.open.size).toBe(1)
    await client.done(3, true)
    expect(peer.received).toEqual([
      `\x7f\0\0\0{"protocol_version":"1.0.0","msg_type":"request","slot_number":3,"max_power_3v3":300,"max_power_5v0":1200,"max_power_12v":6000}`,
      `\x44\0\0\0{"protocol_version":"1.0.0","msg_type":"request","action_done":true}`,
    ])
    await everybodyGone()
  })

  it('maps a denial with any msg_type, and closes the connection', async () => {
    peer.reactions = [answers(DENIED)]
    expect(await client.request(3, need)).toEqual({ granted: false, missing: { power3v3: 1, power5v0: 0, power12v: 7450 } })
    await everybodyGone()
  })

  it('maps a grant with a shortage to a decision of a weak manager', async () => {
    peer.reactions = [answers(DENIED.replace('false', 'true'))]
    expect(await client.request(3, need)).toEqual({ granted: true, missing: { power3v3: 1, power5v0: 0, power12v: 7450 } })
    await client.done(3, false)
  })

  it('gives a grant back by closing the connection', async () => {
    await client.request(3, need)
    await client.done(3, false)
    await everybodyGone()
    expect(peer.received).toHaveLength(1)
    await client.done(3, false)
  })

  it('has a connection for each slot that is being configured', async () => {
    await Promise.all([client.request(3, need), client.request(5, need)])
    expect(peer.open.size).toBe(2)
    await client.done(3, true)
    await client.done(5, true)
    await everybodyGone()
  })

  it('gives up a grant when the same slot asks again', async () => {
    await client.request(3, need)
    const [first] = peer.open
    await client.request(3, need)
    await expect.poll(() => first?.destroyed).toBe(true)
    await client.done(3, true)
  })

  it('reads an answer that comes in pieces', async () => {
    peer.reactions = [
      (socket) => {
        for (const byte of framed(GRANTED)) socket.write(Buffer.of(byte))
      },
      answers(NOTED),
    ]
    await client.request(3, need)
    await client.done(3, true)
  })

  it('refuses to send figures beyond 16 bits', async () => {
    await expect(client.request(3, { ...need, power12v: 65_536 })).rejects.toMatchObject({
      code: 'power-figure-too-large',
      message: expect.stringContaining(
        'slot 3 does not fit into a request to the power manager (max_power_12v is out of range',
      ) as string,
    })
    expect(peer.open.size).toBe(0)
  })

  it('names the socket without a listener, and the remedy', async () => {
    const gone = createPowerManagerClient({ socket: `${peer.folder}/none`, clock })
    await expect(gone.request(3, need)).rejects.toMatchObject({
      code: 'power-manager-unreachable',
      message: expect.stringMatching(/none cannot be reached \(ENOENT\): start it/) as string,
    })
  })
})

describe.each(FAILING)('the client of a power manager that %s', (_how, reaction, code, words) => {
  it('fails the request with a clear error', async () => {
    peer.reactions = [reaction]
    const error = await errorOf(client.request(3, need), 1)
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) as string })
    expect(error).toMatchObject({ message: expect.stringContaining('the request') as string })
    await everybodyGone()
  })

  it('fails action_done with a clear error', async () => {
    peer.reactions = [answers(GRANTED), reaction]
    await client.request(3, need)
    const error = await errorOf(client.done(3, true), 2)
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) as string })
    expect(error).toMatchObject({ message: expect.stringContaining('action_done') as string })
    await everybodyGone()
    await client.done(3, false)
  })
})

describe('the client of a power manager, checking its answers', () => {
  it('waits to the millisecond of its deadline', async () => {
    peer.reactions = []
    let failed = false
    const asked = client.request(3, need).catch(() => {
      failed = true
    })
    await expect.poll(() => peer.received.length).toBe(1)
    await clock.advance(CLIENT_DEADLINE_MS - 1)
    expect(failed).toBe(false)
    await clock.advance(1)
    await asked
    expect(failed).toBe(true)
  })

  it.each([
    ['', 'it did not say why'],
    [',"message":"another session"', 'another session'],
  ])('fails on a denial without a shortage (%j): nothing was decided', async (more, words) => {
    peer.reactions = [answers(GRANTED.replace('true', 'false').replace(/}$/, `${more}}`))]
    await expect(client.request(3, need)).rejects.toMatchObject({
      status: 503,
      code: 'power-manager-refused',
      message: `the power manager at ${peer.socket} did not decide about the request: ${words}`,
    })
  })

  it('fails if action_done is not confirmed: nothing was recorded', async () => {
    peer.reactions = [answers(GRANTED), answers(NOTED.replace('true', 'false').replace('noted', 'too late'))]
    await client.request(3, need)
    await expect(client.done(3, true)).rejects.toMatchObject({
      status: 503,
      code: 'power-manager-not-confirmed',
      message: `the power manager at ${peer.socket} did not record that its grant is used: too late`,
    })
  })

  it('notices before it uses a grant that the manager has disconnected', async () => {
    await client.request(3, need)
    for (const socket of peer.open) socket.destroy()
    await expect(client.done(3, true)).rejects.toMatchObject({ code: 'power-manager-closed' })
  })

  it.each<[string, Reaction, string, string]>([
    [
      'confirms before action_done',
      (socket) => socket.write(Buffer.concat([framed(GRANTED), framed(NOTED)])),
      'power-manager-answer-invalid',
      'after its grant, an unexpected message came',
    ],
    [
      'closes right after its grant',
      (socket) => socket.end(framed(GRANTED)),
      'power-manager-closed',
      'after its grant, nothing came',
    ],
  ])('does not use a grant: %s', async (_how, reaction, code, words) => {
    peer.reactions = [reaction]
    await expect(client.request(3, need)).rejects.toMatchObject({ code, message: expect.stringContaining(words) as string })
    await everybodyGone()
    await expect(client.done(3, true)).rejects.toThrow('was granted nothing')
  })
})
