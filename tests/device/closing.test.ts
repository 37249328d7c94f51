import { once } from 'node:events'
import { connect } from 'node:net'
import { type Log, ManualClock, nextTurn, seededRandom, silentLog } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { VolatileMemory } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { answersIn, dial, readToEnd } from '../../packages/edge/src/door/socket.testkit.ts'
import { RecordedBackplane } from './recorded-backplane.testkit.ts'

/** Promise of `slotwire serve`. */
const END_WITHIN_MS = 2000

const CONFIGURATION = JSON.stringify({ config: Array(6).fill({ rail: '5_volt', current_milliampere: 10 }) })
const postConfiguration = (slot: number) =>
  `POST /api/io/1.0/${slot}/power-management HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${CONFIGURATION.length}\r\n\r\n${CONFIGURATION}`

it('closing answers more requests than time allows: each succeeds or is refused with 503', async () => {
  const clock = new ManualClock()
  const warnings: string[] = []
  const warn = (_fields: object, message: string): void => {
    warnings.push(message)
  }
  const log: Log = { ...silentLog, warn, error: warn }
  const chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory(), bus: 'timed' })
  const device = await createDeviceService({ backplane: chassis, clock, random: seededRandom(2), log })
  let over = false
  const advance = async (work: Promise<unknown>): Promise<void> => {
    over = false
    const ended = work.finally(() => {
      over = true
    })
    // Advance the time only when the sockets are idle.
    for (let ms = 0; ms < 2 * END_WITHIN_MS && !over; ms += 10) {
      await clock.advance(10)
      for (let turn = 0; turn < 20; turn++) await nextTurn()
    }
    await ended
  }
  await advance(chassis.powerOn())
  await advance(device.start())
  const {
    address: { port },
  } = await listen(device.service, { host: '127.0.0.1', port: 0 })
  const connections = 30
  const texts: Promise<string>[] = []
  for (let index = 0; index < connections; index++) {
    const socket = await dial(port)
    texts.push(readToEnd(socket))
    socket.write([3, 5, 3, 5, 3, 5].map(postConfiguration).join(''))
  }
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  const fromMs = clock.now()
  await advance(device.close())
  expect(clock.now() - fromMs).toBeLessThan(END_WITHIN_MS)
  const statuses = (await Promise.all(texts)).map((text) => answersIn(text).map(({ status }) => status))
  expect(statuses.map(({ length }) => length)).toEqual(Array(connections).fill(6))
  expect([...new Set(statuses.flat())].sort()).toEqual([200, 503])
  expect(warnings).toEqual([])
  chassis.powerOff()
})

it('closing ends within two seconds even if a request never ends and no link closes', async () => {
  const clock = new ManualClock()
  const chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
  const bus = new RecordedBackplane(chassis)
  const device = await createDeviceService({ backplane: bus.backplane, clock, random: seededRandom(2) })
  await chassis.powerOn()
  await device.start()
  const {
    address: { port },
  } = await listen(device.service, { host: '127.0.0.1', port: 0 })
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const path = '/api/io/1.0/5/input/mode'
  socket
    .on('error', () => undefined)
    .write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n`)
  socket.write('Content-Type: application/json\r\n\r\n')
  // 100 Continue: the request has arrived.
  await once(socket, 'data')
  for (const slot of [0, 1, 3, 5]) bus.stall(`close ${slot}`)

  const fromMs = clock.now()
  let endedMs = Number.POSITIVE_INFINITY
  const closing = device.close().then(() => {
    endedMs = clock.now() - fromMs
  })
  // Advance the time only when the sockets are idle.
  for (let ms = 0; ms < 2 * END_WITHIN_MS && endedMs === Number.POSITIVE_INFINITY; ms += 50) {
    await clock.advance(50)
    for (let turn = 0; turn < 20; turn++) await nextTurn()
  }
  await closing
  expect(endedMs).toBeLessThan(END_WITHIN_MS)
  chassis.powerOff()
  await clock.advance(0)
  expect(clock.pending).toBe(0)
})
