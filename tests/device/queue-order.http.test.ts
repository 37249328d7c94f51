import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { type Answer, describeDevice } from './device.testkit.ts'
import { outcome, send } from './lease.testkit.ts'

const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 10 }))
const WRITES = 20
const RESET = { reset: 'yes' }

describeDevice('the queue of a slot', (device) => {
  const io = device.module('io', 5)
  const bmc = device.module('bmc', 0)
  /** A running write and many waiting ones, which would power and drive the pins. */
  const fill = async () => {
    device.bus.hold(5)
    const writes = Array.from({ length: WRITES }, (_, index) =>
      index % 2 === 0 ? io.post('power-management', { config }) : io.post('output/state', { pin: 5, state: 'high' }),
    )
    await device.advance(1)
    return { writes }
  }
  const released = async (answers: readonly Promise<Answer>[]): Promise<string[]> => {
    await device.advance(50)
    device.bus.release(5)
    return (await device.until(Promise.all(answers))).map(outcome)
  }

  it('lets a reset end the writes that it overtakes, unsent, and no later ones', async () => {
    const { writes } = await fill()
    const read = io.get('input/values')
    const reset = io.post('reset', RESET)
    await device.advance(1)
    const late = io.post('input/mode', { pin: 1, mode: 'digital' })
    const [first, ...others] = await released([...writes, read, reset, late])
    expect(first).toBe('200')
    expect(others).toEqual([...Array<string>(WRITES - 1).fill('409 request-overtaken'), '200', '200', '200'])
    expect(outcome(await io.post('output/state', { pin: 5, state: 'high' }))).toBe('400 power-configuration-missing')
  })

  it.each([
    ['412 session-changed', { 'if-match': `"${'B'.repeat(64)}"` }],
    ['423 lease-expired', { 'slotwire-lease': 'swl_none' }],
  ])('lets a reset that is refused with %s end nothing', async (refusal, headers) => {
    const { writes } = await fill()
    const reset = send(device, `${io.path}/reset`, RESET, headers)
    expect(await released([...writes, reset])).toEqual([...Array<string>(WRITES).fill('200'), refusal])
  })

  it.each([
    ['watchdog/alive', undefined, 'GET'],
    ['watchdog/shutdown', { shutdown: 'start' }, 'POST'],
    ['reset', RESET, 'POST'],
    ['hard_reset', RESET, 'POST'],
  ] as const)('lets %s go ahead of what waits', async (path, body, method) => {
    await bmc.set('watchdog', { timeout: 60_000 })
    device.bus.hold(0)
    device.bus.forget()
    const waiting = Array.from({ length: 10 }, (_, index) => bmc.post('buzzer', { mode: 2, duration: index + 1 }))
    await device.advance(1)
    const ahead = device.send(method, `${bmc.path}/${path}`, body && JSON.stringify(body))
    await device.advance(50)
    device.bus.release(0)
    expect(outcome(await device.until(ahead))).toBe('200')
    const codes = device.bus.exchanges(0).map((payload) => payload.slice(0, 6))
    expect([codes[0], codes[1] === codes[0]]).toEqual(['030502', false])
    await device.until(Promise.all(waiting))
  })

  const leave: readonly (readonly [how: string, leave: (socket: Socket) => void, statuses: readonly string[]])[] = [
    ['closed its connection', (socket) => socket.destroy(), []],
    ['reset its connection', (socket) => socket.resetAndDestroy(), []],
    ['ended its own side only', (socket) => socket.end(), ['102', '200']],
    ['stayed', () => undefined, ['200']],
  ]
  it.each(leave)('executes a waiting write only if its client can still read the answer: it %s', async (_how, go, statuses) => {
    const port = await device.listen()
    device.bus.hold(5)
    const running = io.post('input/mode', { pin: 1, mode: 'digital' })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    let text = ''
    socket.on('data', (data) => (text += data.toString())).on('error', () => undefined)
    const body = JSON.stringify({ pin: 2, mode: 'digital' })
    socket.write(`POST ${io.path}/input/mode HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    const seen = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await (await fetch(`http://127.0.0.1:${port}/slotwire/livez`)).text()
    }
    await seen()
    go(socket)
    await seen()
    const before = device.bus.exchanges(5).length
    device.bus.release(5)
    expect((await device.until(running)).status).toBe(200)
    await seen()
    expect(device.bus.exchanges(5).length - before).toBe(statuses.length === 0 ? 0 : 1)
    expect([...new Set([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status))]).toEqual(statuses)
    const records = device.journal.records().filter(({ kind }) => kind === 'write')
    expect(records.at(-1)).toMatchObject(statuses.length === 0 ? { abandoned: true, status: 499 } : { status: 200 })
    socket.destroy()
  })
})
