import { LinkError, type ModuleDescriptor } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { EXCHANGE_DEADLINE_MS } from './bus.ts'
import { getValue, relayDescriptor, setValue } from './fake-module.testkit.ts'
import { MAX_HEARTBEAT_INTERVAL_MS } from './heartbeat.ts'
import { NOTIFICATION_LOG_INTERVAL_MS } from './notification-log.ts'
import { bench, outcomeOf, readValue, started } from './slot.testkit.ts'
import { DESCRIPTOR_DEADLINE_MS } from './slot.ts'
import { CLOSE_DEADLINE_MS, SLOW_CLOSE_DEADLINE_MS } from './start-up.ts'

const START = ['FW_VERSION', 'SET_SCLK_SPEED', 'MODE_SUSPEND', 'UPDATE_DESCRIPTOR', 'MODE_RUN']
const TOLD = 'notification from the module'

describe('Slot.reset', () => {
  it('sends MODE_SUSPEND, UPDATE_DESCRIPTOR, MODE_RUN, drops pending notifications, and keeps the session', async () => {
    const { module, slot, events } = await started()
    module.notify(1)
    const session = slot.session
    await slot.write(slot.reset)
    expect(module.names({ heartbeats: true })).toEqual(['MODE_SUSPEND', 'UPDATE_DESCRIPTOR', 'MODE_RUN'])
    expect(slot.notifications.has(1)).toBe(false)
    expect(slot.session).toBe(session)
    expect(events).toEqual(['notified', 'reset', 'written'])
  })

  it('drops earlier notifications, and keeps those that come after a heartbeat has restarted the module', async () => {
    const { clock, module, slot } = await started()
    module.notify(0b01)
    module.exchangeMs = 120
    module.misbehave(
      () => {
        module.notify(0b10)
        return Uint8Array.of(1, 3, 9, 0)
      },
      { name: 'UPDATE_DESCRIPTOR' },
    )
    const reset = slot.write(slot.reset)
    await clock.advance(600)
    await reset
    expect(module.names({ heartbeats: true }).slice(0, 3)).toEqual(['MODE_SUSPEND', 'MODE_RUN', 'UPDATE_DESCRIPTOR'])
    expect([slot.notifications.has(1), slot.notifications.has(2)]).toEqual([false, true])
  })

  it('drops notifications that come while the module is suspended: they are older than the reset', async () => {
    const { module, slot, events } = await started()
    module.misbehave(
      () => {
        module.notify(0b10)
        return Uint8Array.of(1, 3, 9, 0)
      },
      { name: 'UPDATE_DESCRIPTOR' },
    )
    await slot.write(slot.reset)
    expect(slot.notifications.has(2)).toBe(false)
    module.notify(0b100)
    expect(slot.notifications.has(3)).toBe(true)
    expect(events).toEqual(['reset', 'written', 'notified'])
  })

  it('lets notifications through again after the next heartbeat if it fails half-way', async () => {
    const { clock, module, slot } = await started()
    module.fail('transfer-failed', { name: 'UPDATE_DESCRIPTOR', times: 4 })
    await expect(slot.write(slot.reset)).rejects.toMatchObject({ status: 500 })
    await clock.advance(MAX_HEARTBEAT_INTERVAL_MS)
    module.notify(0b01)
    expect(slot.notifications.has(1)).toBe(true)
  })

  it('keeps its order and its session while heartbeats continue', async () => {
    const { clock, module, slot, events } = await started()
    module.exchangeMs = 95
    const reset = slot.write(slot.reset)
    await clock.advance(2000)
    await reset
    expect(module.names()).toEqual(['MODE_SUSPEND', 'UPDATE_DESCRIPTOR'])
    expect(module.names({ heartbeats: true }).filter((name) => name === 'MODE_RUN').length).toBeGreaterThan(3)
    expect(events).toEqual(['reset', 'written'])
  })

  it('waits for its turn like any write', async () => {
    const { module, slot } = await started()
    module.sent.length = 0
    await Promise.all([slot.write((exchange) => exchange(setValue, { value: 1 })), slot.write(slot.reset)])
    expect(module.names().slice(0, 2)).toEqual(['SET_VALUE', 'MODE_SUSPEND'])
  })
})

describe('the events of a slot', () => {
  it('include "written" after a write, before its answer, also if it failed half-way', async () => {
    const { module, slot, events } = await started()
    const seen = slot.write((exchange) => exchange(setValue, { value: 1 })).then(() => [...events])
    expect(await seen).toEqual(['written'])
    module.fail('transfer-failed', { times: 4 })
    await expect(slot.write((exchange) => exchange(setValue, { value: 1 }))).rejects.toThrow()
    expect(events).toEqual(['written', 'written'])
  })

  it('do not include "written" after a write that sent nothing', async () => {
    const { slot, events } = await started()
    await slot.write(() => Promise.resolve())
    expect(events).toEqual([])
  })

  it('do not include "written" after a read', async () => {
    const { slot, events } = await started()
    await readValue(slot)
    expect(events).toEqual([])
  })

  it('end with the subscription; a listener that throws does not affect others', async () => {
    const { module, slot, events, log } = await started()
    const own: string[] = []
    const stop = slot.subscribe((event) => own.push(event))
    slot.subscribe(() => {
      throw new Error('a bug in a listener')
    })
    module.notify(1)
    stop()
    module.notify(2)
    expect(own).toEqual(['notified'])
    expect(events).toEqual(['notified', 'notified'])
    expect(log.linesOf('error')).toHaveLength(2)
  })
})

describe('the notifications of a slot', () => {
  it('are ignored before the first acknowledged MODE_RUN: they belong to an earlier session', async () => {
    const { clock, module, slot, events, log, statistics } = bench()
    module.exchangeMs = 10
    const start = slot.start()
    for (let ms = 0; ms < 50; ms++) {
      module.notify(0b11)
      await clock.advance(1)
    }
    await start
    expect(module.names({ heartbeats: true })).toEqual(START)
    expect([slot.notifications.has(1), events, log.linesOf('info'), statistics.notifications]).toEqual([false, [], [], 0])
    module.notify(0b10)
    expect([slot.notifications.has(1), slot.notifications.has(2)]).toEqual([false, true])
  })

  it('are logged when a new bit becomes pending, with the number of notifications', async () => {
    const { clock, slot, module, log, events } = await started()
    const logged = () => log.linesOf('info').flatMap(({ message, fields }) => (message === TOLD ? [fields] : []))
    for (let times = 0; times < 100; times++) module.notify(0b01, 0, 0, 0)
    await clock.advance(NOTIFICATION_LOG_INTERVAL_MS)
    expect(logged()).toEqual([{ slot: 3, notifications: 1, bytes: [1, 0, 0, 0] }])
    slot.notifications.take(1)
    module.notify(0b01, 0, 0, 0)
    expect(logged().slice(1)).toEqual([{ slot: 3, notifications: 100, bytes: [1, 0, 0, 0] }])
    expect(events).toHaveLength(101)
  })

  it('are logged when the slot ends', async () => {
    const { slot, module, log } = await started()
    module.notify(0b01)
    module.notify(0b10)
    slot.end('stopping')
    module.notify(0b100)
    expect(log.linesOf('info').map(({ fields }) => fields)).toEqual([
      { slot: 3, notifications: 1, bytes: [1] },
      { slot: 3, notifications: 1, bytes: [2] },
    ])
  })

  it('are merged as they come, without an exchange', async () => {
    const { module, slot, events } = await started()
    module.notify(0b01, 0b10, 0, 0)
    module.notify(0b10, 0b10, 0, 0)
    expect([...slot.notifications.peek(1)]).toEqual([0b01, 0, 0, 0])
    expect([...slot.notifications.peek(2)]).toEqual([0b10, 0b10, 0, 0])
    expect(events).toEqual(['notified', 'notified'])
    expect(module.sent).toEqual([])
  })

  it('cause one log line in ten seconds at most when malformed, without a stack', async () => {
    const { clock, module, log } = await started()
    for (let times = 0; times < 1000; times++) {
      module.raw(Uint8Array.of(1, 6, 2, 15))
      await clock.advance(11)
    }
    expect(log.linesOf('warn').map(({ fields }) => fields)).toEqual([
      { slot: 3, reason: 'GET_NOTIFICATION failed with 15' },
      { slot: 3, reason: 'GET_NOTIFICATION failed with 15', omitted: 909 },
    ])
  })

  it('cause no event when empty, and a log line when malformed', async () => {
    const { module, events, log } = await started()
    module.raw(Uint8Array.of(1, 6, 1, 3))
    module.raw(Uint8Array.of(9))
    module.raw(Uint8Array.of())
    expect(events).toEqual([])
    expect(log.linesOf('warn')).toHaveLength(1)
  })

  it('are dropped with the module', async () => {
    const { module, slot } = await started()
    module.notify(1)
    slot.end('lost')
    module.notify(1)
    expect(slot.notifications.has(1)).toBe(false)
  })
})

describe('a lost module', () => {
  it('fails the current exchange and waiting requests with 404, closes the link, and ends the slot', async () => {
    const { clock, module, slot, events } = await started()
    module.exchangeMs = 10
    const current = outcomeOf(readValue(slot))
    const waiting = [1, 2, 3].map((value) => outcomeOf(slot.write((exchange) => exchange(setValue, { value }))))
    module.misbehave(() => Promise.reject(new LinkError('gone', 'unplugged')))
    await clock.advance(10)
    expect(current.code).toBe('module-lost')
    expect(waiting.map((outcome) => outcome.code)).toEqual(['module-lost', 'module-lost', 'module-lost'])
    expect(module.closed).toBe(1)
    expect(events).toEqual(['lost'])
    await expect(readValue(slot)).rejects.toMatchObject({ code: 'module-lost', status: 404 })
    await expect(slot.write(slot.reset)).rejects.toMatchObject({ code: 'module-lost' })
    await expect(slot.descriptor()).rejects.toMatchObject({ code: 'module-lost' })
    expect(clock.pending).toBe(0)
  })

  it('fails waiting requests at once, before the hanging exchange ends', async () => {
    const { clock, module, slot } = await started()
    module.hang()
    const outcomes = [readValue(slot), slot.write((exchange) => exchange(setValue, { value: 1 }))].map(outcomeOf)
    slot.end('lost')
    await clock.advance(0)
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['module-lost', 'module-lost'])
  })

  it('fails everything with 502 if the device restarts', async () => {
    const { clock, module, slot } = await started()
    module.hang()
    const outcomes = [readValue(slot), slot.write(slot.reset)].map(outcomeOf)
    slot.end('restarting')
    await clock.advance(0)
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['device-restarting', 'device-restarting'])
    await expect(slot.descriptor()).rejects.toMatchObject({ status: 502 })
  })

  it('fails everything with 502 even before the restart is reported', async () => {
    const made = await started()
    made.module.exchangeMs = 10
    const outcomes = [readValue(made.slot), made.slot.write(made.slot.reset)].map(outcomeOf)
    made.deviceRestarting = true
    made.module.fail('gone')
    await made.clock.advance(10)
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['device-restarting', 'device-restarting'])
  })

  it('does not undo an answer that has arrived', async () => {
    const { module, slot } = await started()
    let answer: (response: Uint8Array) => void = () => undefined
    module.exchange = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const read = readValue(slot)
    const waiting = outcomeOf(slot.write(slot.reset))
    answer(Uint8Array.of(3, 1, 2, 0, 0, 42))
    slot.end('restarting')
    await expect(read).resolves.toBe(42)
    expect(waiting.code).toBe('device-restarting')
  })

  it.each([
    ['stopping', CLOSE_DEADLINE_MS, []],
    ['lost', SLOW_CLOSE_DEADLINE_MS, ['the link could not be closed']],
  ] as const)(
    'is closed once; a close that hangs is only logged, unless the driver stops (%s)',
    async (reason, deadlineMs, lines) => {
      const { clock, module, slot, log } = await started()
      module.close = () => new Promise(() => undefined)
      slot.end(reason)
      slot.end('restarting')
      const closed = outcomeOf(slot.closed.then(() => 'closed'))
      await clock.advance(deadlineMs - 1)
      expect(closed.value).toBeUndefined()
      await clock.advance(1)
      expect(closed.value).toBe('closed')
      expect(log.linesOf('warn').map((line) => line.message)).toEqual(lines)
      expect(slot.ended).toBe(reason)
    },
  )
})

it('a module that hangs fails the current and waiting requests with 500, closes the link, and ends the slot', async () => {
  const { clock, module, slot, events } = await started()
  module.hang()
  const current = outcomeOf(readValue(slot))
  const waiting = [1, 2, 3].map((value) => outcomeOf(slot.write((exchange) => exchange(setValue, { value }))))
  await clock.advance(EXCHANGE_DEADLINE_MS)
  expect(current.error).toMatchObject({
    status: 500,
    message: 'the module in slot 3 does not answer any more: the request may have been executed',
  })
  expect(waiting.map((outcome) => outcome.code)).toEqual(['module-hung', 'module-hung', 'module-hung'])
  expect(module.closed).toBe(1)
  expect(events).toEqual(['lost'])
  await expect(readValue(slot)).rejects.toMatchObject({ code: 'module-hung', status: 500 })
  await expect(slot.descriptor()).rejects.toMatchObject({ code: 'module-hung' })
  expect(clock.pending).toBe(0)
})

describe('the descriptor of a slot', () => {
  it('fails with a clear 500 if it cannot be read in time', async () => {
    const read: (() => Promise<ModuleDescriptor>)[] = [
      () => Promise.reject(new Error('EIO')),
      () => Promise.reject(new LinkError('busy', 'EAGAIN')),
      () => new Promise(() => undefined),
    ]
    for (const readDescriptor of read) {
      const { clock, slot } = await started({ readDescriptor })
      const outcome = outcomeOf(slot.descriptor())
      await clock.advance(DESCRIPTOR_DEADLINE_MS)
      expect(outcome.error).toMatchObject({
        status: 500,
        code: 'descriptor-not-read',
        message: 'the descriptor of the module in slot 3 could not be read',
      })
    }
  })

  it('fails with 404 if the module has left', async () => {
    const { slot } = await started({ readDescriptor: () => Promise.reject(new LinkError('gone', 'ENODEV')) })
    await expect(slot.descriptor()).rejects.toMatchObject({ code: 'module-lost' })
  })

  it('is the latest one from the backplane', async () => {
    const { slot } = await started({ descriptor: { maxPower12v: 1200 } })
    expect(await slot.descriptor()).toEqual({ ...relayDescriptor, maxPower12v: 1200 })
  })
})

describe('the bus of a slot', () => {
  it('is never idle while readers wait', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    let stopped = false
    const reader = async (): Promise<void> => {
      while (!stopped) await readValue(slot, true)
    }
    const readers = Array.from({ length: 64 }, reader)
    await clock.advance(10_000)
    stopped = true
    await clock.advance(50)
    await Promise.all(readers)
    const busyMs = module.sent.filter((frame) => frame.atMs < 10_000).length * 10
    expect(busyMs / 10_000).toBeGreaterThanOrEqual(0.95)
  })

  it('sends a write at once when it is idle', async () => {
    const { module, slot } = await started()
    const write = slot.write((exchange) => exchange(getValue, {}))
    expect(module.names()).toEqual(['GET_VALUE'])
    await write
  })
})
