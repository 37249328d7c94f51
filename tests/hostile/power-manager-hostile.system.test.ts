import { SystemClock } from '@slotwire/core'
import { createTwin, type Twin } from '@slotwire/device/twin'
import { createPowerManagerClient } from '@slotwire/driver/power-manager'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allPins } from '../../modules/io/pin-story.testkit.ts'
import {
  answers,
  FAILING,
  framed,
  GRANTED,
  NOTED,
  PowerPeer,
  type Reaction,
} from '../../packages/driver/src/power-manager/power-peer.testkit.ts'

/** Limits the lateness of timers, so that a busy machine does not matter. */
const LATENESS_MS = 20
/** Time limit for a clear error. */
const ERROR_WITHIN_MS = 1000

const IO = '/api/io/1.0/5'
const success = { status: 'success', too_much_power: { rail_3v3_milliwatt: 0, rail_5v0_milliwatt: 0, rail_12v_milliwatt: 0 } }
const notConfigured = {
  status: 400,
  body: { message: expect.stringContaining('has no power: first send POST power-management') as string },
}

let peer: PowerPeer
let twin: Twin

beforeEach(async () => {
  peer = await new PowerPeer().listen()
  const clock = new SystemClock({ maxLatenessMs: LATENESS_MS })
  const client = createPowerManagerClient({ socket: peer.socket, clock })
  twin = await createTwin({ clock, powerManager: () => client })
  await twin.start()
})

afterEach(async () => {
  await twin.close()
  await peer.stop()
})

const post = (path: string, body: unknown) => twin.request({ method: 'POST', path: `${IO}/${path}`, body })
const configure = (milliampere: number) => post('power-management', allPins('5_volt', milliampere))
const driveHigh = () => post('output/state', { pin: 1, state: 'high' })
const maxPower5v0 = async () => (await twin.chassis.descriptor(5)).maxPower5v0

it('a power manager grants a configuration, and gets the confirmation when it is applied', async () => {
  expect(await configure(100)).toMatchObject({ status: 200, body: success })
  // 6 × (100 × 5 + 200) mW.
  expect(peer.received[0]).toContain('"slot_number":5,"max_power_3v3":300,"max_power_5v0":4200,"max_power_12v":0}')
  expect(peer.received).toHaveLength(2)
  expect(await maxPower5v0()).toBe(4200)
  expect(await driveHigh()).toMatchObject({ status: 200 })
})

describe.each(FAILING)('a power manager that %s', (_how, reaction, _code, words) => {
  it('when asked for power: returns a clear error within a second, and the module keeps its configuration', async () => {
    await configure(100)
    await driveHigh()
    peer.reactions = [reaction]
    const from = twin.clock.now()
    const { status, body } = await configure(200)
    expect(twin.clock.now() - from).toBeLessThan(ERROR_WITHIN_MS)
    expect([status, body]).toEqual([500, { status: 'error', code: 500, message: expect.stringContaining(words) as string }])
    expect(await maxPower5v0()).toBe(4200)
    expect(await driveHigh()).toMatchObject({ status: 200 })
    peer.reactions = [answers(GRANTED), answers(NOTED)]
    expect(await configure(200)).toMatchObject({ status: 200, body: success })
  })

  it('when notified with action_done: returns a clear error within a second, and the module is suspended', async () => {
    let notifiedMs = 0
    peer.reactions = [
      answers(GRANTED),
      (socket) => {
        notifiedMs = twin.clock.now()
        reaction(socket)
      },
    ]
    const { status, body } = await configure(200)
    expect(twin.clock.now() - notifiedMs).toBeLessThan(ERROR_WITHIN_MS)
    expect([status, body]).toEqual([500, { status: 'error', code: 500, message: expect.stringContaining(words) as string }])
    expect(JSON.stringify(body)).toContain('; the module has been suspended and its outputs are off: configure it again')
    expect(await maxPower5v0()).toBe(0)
    expect(await driveHigh()).toMatchObject(notConfigured)
    await expect.poll(() => peer.open.size).toBe(0)
    peer.reactions = [answers(GRANTED), answers(NOTED)]
    expect(await configure(200)).toMatchObject({ status: 200, body: success })
    expect(await driveHigh()).toMatchObject({ status: 200 })
  })
})

it.each<[string, Reaction, string]>([
  ['closes right after its grant', (socket) => socket.end(framed(GRANTED)), 'after its grant, nothing came'],
  [
    'confirms before the notification',
    (socket) => socket.write(Buffer.concat([framed(GRANTED), framed(NOTED)])),
    'after its grant, an unexpected message came',
  ],
])('a power manager that %s: returns a clear error, and the module keeps its configuration', async (_how, reaction, words) => {
  await configure(100)
  await driveHigh()
  peer.reactions = [reaction]
  const { status, body } = await configure(200)
  expect([status, body]).toEqual([500, { status: 'error', code: 500, message: expect.stringContaining(words) as string }])
  expect(JSON.stringify(body)).not.toContain('suspended')
  expect(await maxPower5v0()).toBe(4200)
  expect(await driveHigh()).toMatchObject({ status: 200 })
})

it('a missing power manager is reported with the remedy, and used when it returns', async () => {
  await peer.stop()
  const { status, body } = await configure(100)
  expect([status, JSON.stringify(body)]).toEqual([
    500,
    expect.stringContaining(`${peer.socket} cannot be reached (ENOENT): start it`),
  ])
  expect(await driveHigh()).toMatchObject(notConfigured)
  await peer.listen()
  expect(await configure(100)).toMatchObject({ status: 200, body: success })
})

it('a refusal without values is a 503 with the message of the power manager', async () => {
  peer.reactions = [answers(GRANTED.replace('true', 'false').replace(/}$/, ',"message":"busy"}'))]
  const { status, headers, body } = await configure(100)
  expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('did not decide about the request: busy')])
  expect(headers['retry-after']).toBeDefined()
})
