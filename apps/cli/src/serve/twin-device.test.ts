import { ManualClock, silentLog } from '@slotwire/core'
import { ask } from '@slotwire/device/twin'
import { VolatileMemory } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { createTwinDevice } from './twin-device.ts'

const NEVER = new Promise<never>(() => undefined)
const AN_HOUR_MS = 3_600_000

it('a twin is stuck if its driver is, but not while a bench client changes its pace', async () => {
  const clock = new ManualClock()
  const device = await createTwinDevice({
    services: ['io'],
    powerMode: 'strict',
    bus: 'instant',
    bench: true,
    followed: clock,
    realTime: clock,
    memory: () => new VolatileMemory(),
    seed: 1,
    log: silentLog,
  })
  const started = device.start()
  await clock.advance(5000)
  await started
  expect(device.stuck()).toBeUndefined()
  const [module] = device.rack.usable('modules.noreya.tech/io')
  void module?.write(() => NEVER)
  const act = (path: string, body?: object) => ask(device.service, { method: 'POST', path: `/slotwire/bench/${path}`, body })
  expect((await act('time/pause')).status).toBe(200)
  await clock.advance(AN_HOUR_MS)
  expect(device.stuck()).toBeUndefined()
  expect((await act('time/pace', { pace: 10 })).status).toBe(200)
  await clock.advance(60_000)
  expect(device.stuck()).toBeUndefined()
  expect((await act('time/pace', { pace: 1 })).status).toBe(200)
  expect(device.stuck()).toMatch(/^slot 3: a request has not ended for \d+ s$/)
  const closed = device.close()
  await clock.advance(5000)
  await closed
})
