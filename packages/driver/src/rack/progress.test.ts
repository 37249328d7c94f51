import { type Clock, ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { expect, it } from 'vitest'
import { RELAY } from '../slot/fake-module.testkit.ts'
import { MAX_HEARTBEAT_MS } from '../slot/heartbeat.ts'
import { MAX_JOB_MS } from '../slot/request-queue.ts'
import { StallTimer } from '../stall-timer.ts'
import { MAX_START_MS } from './bay.ts'
import { FakeBackplane } from './fake-backplane.testkit.ts'
import { Rack } from './rack.ts'

const A_MINUTE_MS = 60_000
const never = new Promise<never>(() => undefined)

/** A rack whose driver can be frozen: after that its clock starts no new timers. */
function stoppable() {
  const clock = new ManualClock()
  let stopped = false
  const own: Clock = {
    now: () => clock.now(),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    after: (delayMs, callback) => (stopped ? { cancel: () => undefined } : clock.after(delayMs, callback)),
  }
  const backplane = new FakeBackplane(own)
  const rack = new Rack({ backplane, clock: own, random: seededRandom(2), log: silentLog, types: [RELAY] })
  const stopDriver = (): void => {
    stopped = true
  }
  return { clock, backplane, rack, stopDriver }
}

/** What the rack reports in each of ten minutes. */
async function tenMinutes({
  clock,
  rack,
}: Pick<ReturnType<typeof stoppable>, 'clock' | 'rack'>): Promise<(string | undefined)[]> {
  const said: (string | undefined)[] = []
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(A_MINUTE_MS)
    said.push(rack.stuck())
  }
  return said
}

const PROGRESS = Array.from({ length: 10 }, () => undefined)

it('a driver makes progress while its modules come, work and leave', async () => {
  const device = stoppable()
  device.backplane.plug(3)
  await device.rack.start()
  device.backplane.plug(5)
  expect(device.rack.stuck()).toBeUndefined()
  device.backplane.unplug(3)
  expect(await tenMinutes(device)).toEqual(PROGRESS)
  await device.rack.stop()
})

it.each([
  ['hangs', (device: FakeBackplane) => device.at(3).module.hang()],
  [
    'fails in each exchange',
    (device: FakeBackplane) => device.at(3).module.fail('transfer-failed', { times: Number.POSITIVE_INFINITY }),
  ],
  ['has firmware of another generation', (device: FakeBackplane) => (device.at(3).module.firmwareMajor = 2)],
  ['does not close', (device: FakeBackplane) => (device.at(3).module.close = () => never)],
  ['cannot be opened', (device: FakeBackplane) => (device.beforeOpen = () => never)],
  ['does not show its descriptor', (device: FakeBackplane) => (device.beforeDescriptor = () => never)],
])('the driver is not stuck when a module, from the start or later, %s', async (_, spoil) => {
  const early = stoppable()
  early.backplane.plug(3)
  spoil(early.backplane)
  void early.rack.start()
  expect(await tenMinutes(early)).toEqual(PROGRESS)

  const late = stoppable()
  late.backplane.plug(3)
  await late.rack.start()
  spoil(late.backplane)
  expect(await tenMinutes(late)).toEqual(PROGRESS)
  late.backplane.emit({ type: 'arrived', slot: 3 })
  expect(await tenMinutes(late)).toEqual(PROGRESS)
})

it('a driver is stuck if a heartbeat does not end, and names the slot', async () => {
  const { clock, backplane, rack, stopDriver } = stoppable()
  backplane.plug(3)
  backplane.plug(5)
  await rack.start()
  backplane.at(5).module.hang()
  stopDriver()
  await clock.advance(MAX_HEARTBEAT_MS)
  expect(rack.stuck()).toBeUndefined()
  await clock.advance(1000)
  expect(rack.stuck()).toBe('slot 5: a heartbeat has not ended for 10 s')
  backplane.unplug(5)
  expect(rack.stuck()).toBeUndefined()
})

it('a driver is stuck if a request does not end', async () => {
  const { clock, backplane, rack } = stoppable()
  backplane.plug(3)
  await rack.start()
  void rack.find(3, RELAY)?.write(() => never)
  await clock.advance(MAX_JOB_MS)
  expect(rack.stuck()).toBeUndefined()
  await clock.advance(1000)
  expect(rack.stuck()).toBe('slot 3: a request has not ended for 121 s')
})

it('a driver is stuck if a start does not end', async () => {
  const { clock, backplane, rack, stopDriver } = stoppable()
  await rack.start()
  backplane.beforeDescriptor = () => never
  stopDriver()
  backplane.plug(3)
  await clock.advance(MAX_START_MS)
  expect(rack.stuck()).toBeUndefined()
  await clock.advance(1000)
  expect(rack.stuck()).toBe('slot 3: the start of its module has not ended for 61 s')
})

it('is stuck when a run does not end within the limit, and reports for how long', async () => {
  const clock = new ManualClock()
  const work = new StallTimer(clock, 10_000)
  expect([work.running, work.stuckSeconds]).toEqual([false, undefined])
  work.begin()
  await clock.advance(10_000)
  expect([work.running, work.stuckSeconds]).toEqual([true, undefined])
  work.begin()
  await clock.advance(2500)
  expect(work.stuckSeconds).toBe(12)
  work.end()
  work.begin()
  expect([work.running, work.stuckSeconds]).toEqual([true, undefined])
})
