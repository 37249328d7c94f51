import { LinkError, type ModuleDescriptor } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { EXCHANGE_DEADLINE_MS } from './bus.ts'
import { getValue, relayDescriptor, setValue } from './fake-module.testkit.ts'
import { HEARTBEAT_MAX_MS } from './heartbeat.ts'
import { NOTIFICATION_LOG_INTERVAL_MS } from './notification-log.ts'
import { bench, outcomeOf, readValue, started } from './slot.testkit.ts'
import { DESCRIPTOR_DEADLINE_MS } from './slot.ts'

const TOLD = 'notification from the module'

describe('POST reset at the slot', () => {
  it('is MODE_SUSPEND, UPDATE_DESCRIPTOR, MODE_RUN; nothing is pending; the session stays', async () => {
    const { module, slot, events } = await started()
    module.notify(1)
    const session = slot.session
    await slot.reset()
    expect(module.names({ heartbeats: true })).toEqual(['MODE_SUSPEND', 'UPDATE_DESCRIPTOR', 'MODE_RUN'])
    expect(slot.notifications.has(1)).toBe(false)
    expect(slot.session).toBe(session)
    expect(events).toEqual(['notified', 'reset', 'written'])
  })

  it('drops what was pending before it, and nothing that a module tells that a heartbeat has running again', async () => {
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
    const reset = slot.reset()
    await clock.advance(600)
    await reset
    expect(module.names({ heartbeats: true }).slice(0, 3)).toEqual(['MODE_SUSPEND', 'MODE_RUN', 'UPDATE_DESCRIPTOR'])
    expect([slot.notifications.has(1), slot.notifications.has(2)]).toEqual([false, true])
  })

  it('drops what comes while the module is suspended: it is of before', async () => {
    const { module, slot, events } = await started()
    module.misbehave(
      () => {
        module.notify(0b10)
        return Uint8Array.of(1, 3, 9, 0)
      },
      { name: 'UPDATE_DESCRIPTOR' },
    )
    await slot.reset()
    expect(slot.notifications.has(2)).toBe(false)
    module.notify(0b100)
    expect(slot.notifications.has(3)).toBe(true)
    expect(events).toEqual(['reset', 'written', 'notified'])
  })

  it('that fails half-way hears the module again when a heartbeat has it running', async () => {
    const { clock, module, slot } = await started()
    module.fail('transfer-failed', { name: 'UPDATE_DESCRIPTOR', times: 4 })
    await expect(slot.reset()).rejects.toMatchObject({ status: 500 })
    await clock.advance(HEARTBEAT_MAX_MS)
    module.notify(0b01)
    expect(slot.notifications.has(1)).toBe(true)
  })

  it('keeps its order and its session when heartbeats go on meanwhile', async () => {
    const { clock, module, slot, events } = await started()
    module.exchangeMs = 95
    const reset = slot.reset()
    await clock.advance(2000)
    await reset
    expect(module.names()).toEqual(['MODE_SUSPEND', 'UPDATE_DESCRIPTOR'])
    expect(module.names({ heartbeats: true }).filter((name) => name === 'MODE_RUN').length).toBeGreaterThan(3)
    expect(events).toEqual(['reset', 'written'])
  })

  it('waits for its turn like any write', async () => {
    const { module, slot } = await started()
    module.sent.length = 0
    await Promise.all([slot.write((exchange) => exchange(setValue, { value: 1 })), slot.reset()])
    expect(module.names().slice(0, 2)).toEqual(['SET_VALUE', 'MODE_SUSPEND'])
  })
})

describe('events of a slot', () => {
  it('written comes after a write, before its answer, and also after one that failed half-way', async () => {
    const { module, slot, events } = await started()
    const seen = slot.write((exchange) => exchange(setValue, { value: 1 })).then(() => [...events])
    expect(await seen).toEqual(['written'])
    module.fail('transfer-failed', { times: 4 })
    await expect(slot.write((exchange) => exchange(setValue, { value: 1 }))).rejects.toThrow()
    expect(events).toEqual(['written', 'written'])
  })

  it('written does not come after a write that said nothing to the module', async () => {
    const { slot, events } = await started()
    await slot.write(() => Promise.resolve())
    expect(events).toEqual([])
  })

  it('written does not come after a read', async () => {
    const { slot, events } = await started()
    await readValue(slot)
    expect(events).toEqual([])
  })

  it('stop when nobody wants them any more; a listener that throws harms nobody', async () => {
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
    expect(log.at('error')).toHaveLength(2)
  })
})

describe('notifications', () => {
  it('that come before the module has acknowledged its first MODE_RUN are of an earlier session: neither merged nor told', async () => {
    const { clock, module, slot, events, log, statistics } = bench()
    module.exchangeMs = 10
    const start = slot.start()
    for (let ms = 0; ms < 30; ms++) {
      module.notify(0b11)
      await clock.advance(1)
    }
    await start
    expect(module.names({ heartbeats: true })).toEqual(['FW_VERSION', 'SET_SCLK_SPEED', 'MODE_RUN'])
    expect([slot.notifications.has(1), events, log.at('info'), statistics.notifications]).toEqual([false, [], [], 0])
    module.notify(0b10)
    expect([slot.notifications.has(1), slot.notifications.has(2)]).toEqual([false, true])
  })

  it('are logged when something becomes pending that was not, with how many there were', async () => {
    const { clock, slot, module, log, events } = await started()
    const logged = () => log.at('info').flatMap(({ message, fields }) => (message === TOLD ? [fields] : []))
    for (let times = 0; times < 100; times++) module.notify(0b01, 0, 0, 0)
    await clock.advance(NOTIFICATION_LOG_INTERVAL_MS)
    expect(logged()).toEqual([{ slot: 3, notifications: 1, bytes: [1, 0, 0, 0] }])
    slot.notifications.take(1)
    module.notify(0b01, 0, 0, 0)
    expect(logged().slice(1)).toEqual([{ slot: 3, notifications: 100, bytes: [1, 0, 0, 0] }])
    expect(events).toHaveLength(101)
  })

  it('are logged as the end finds them', async () => {
    const { slot, module, log } = await started()
    module.notify(0b01)
    module.notify(0b10)
    slot.end('stopping')
    module.notify(0b100)
    expect(log.at('info').map(({ fields }) => fields)).toEqual([
      { slot: 3, notifications: 1, bytes: [1] },
      { slot: 3, notifications: 1, bytes: [2] },
    ])
  })

  it('are merged as they come, without a word on the bus', async () => {
    const { module, slot, events } = await started()
    module.notify(0b01, 0b10, 0, 0)
    module.notify(0b10, 0b10, 0, 0)
    expect([...slot.notifications.peek(1)]).toEqual([0b01, 0, 0, 0])
    expect([...slot.notifications.peek(2)]).toEqual([0b10, 0b10, 0, 0])
    expect(events).toEqual(['notified', 'notified'])
    expect(module.sent).toEqual([])
  })

  it('that make no sense are a line in ten seconds at most, without a stack', async () => {
    const { clock, module, log } = await started()
    for (let times = 0; times < 1000; times++) {
      module.raw(Uint8Array.of(1, 6, 2, 15))
      await clock.advance(11)
    }
    expect(log.at('warn').map(({ fields }) => fields)).toEqual([
      { slot: 3, reason: 'GET_NOTIFICATION failed with 15' },
      { slot: 3, reason: 'GET_NOTIFICATION failed with 15', omitted: 909 },
    ])
  })

  it('that say nothing are no event, and ones that make no sense are logged', async () => {
    const { module, events, log } = await started()
    module.raw(Uint8Array.of(1, 6, 1, 3))
    module.raw(Uint8Array.of(9))
    module.raw(Uint8Array.of())
    expect(events).toEqual([])
    expect(log.at('warn')).toHaveLength(1)
  })

  it('are dropped with the module', async () => {
    const { module, slot } = await started()
    module.notify(1)
    slot.end('lost')
    module.notify(1)
    expect(slot.notifications.has(1)).toBe(false)
  })
})

describe('a module that is lost', () => {
  it('in mid-exchange fails the request on the bus and the waiting ones with 404, closes the link, and is finished', async () => {
    const { clock, module, slot, events } = await started()
    module.exchangeMs = 10
    const underWay = outcomeOf(readValue(slot))
    const waiting = [1, 2, 3].map((value) => outcomeOf(slot.write((exchange) => exchange(setValue, { value }))))
    module.misbehave(() => Promise.reject(new LinkError('gone', 'unplugged')))
    await clock.advance(10)
    expect(underWay.code).toBe('module-lost')
    expect(waiting.map((outcome) => outcome.code)).toEqual(['module-lost', 'module-lost', 'module-lost'])
    expect(module.closed).toBe(1)
    expect(events).toEqual(['lost'])
    await expect(readValue(slot)).rejects.toMatchObject({ code: 'module-lost', status: 404 })
    await expect(slot.reset()).rejects.toMatchObject({ code: 'module-lost' })
    await expect(slot.descriptor()).rejects.toMatchObject({ code: 'module-lost' })
    expect(clock.pending).toBe(0)
  })

  it('fails waiting requests at once, not after the exchange that hangs', async () => {
    const { clock, module, slot } = await started()
    module.hang()
    const outcomes = [readValue(slot), slot.write((exchange) => exchange(setValue, { value: 1 }))].map(outcomeOf)
    slot.end('lost')
    await clock.advance(0)
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['module-lost', 'module-lost'])
  })

  it('because the device restarts fails everything with 502', async () => {
    const { clock, module, slot } = await started()
    module.hang()
    const outcomes = [readValue(slot), slot.reset()].map(outcomeOf)
    slot.end('restarting')
    await clock.advance(0)
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['device-restarting', 'device-restarting'])
    await expect(slot.descriptor()).rejects.toMatchObject({ status: 502 })
  })

  it('before anybody said that the device restarts gives 502 all the same', async () => {
    const made = await started()
    made.module.exchangeMs = 10
    const outcomes = [readValue(made.slot), made.slot.reset()].map(outcomeOf)
    made.deviceRestarting = true
    made.module.fail('gone')
    await made.clock.advance(10)
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['device-restarting', 'device-restarting'])
  })

  it('does not take an answer back that had arrived', async () => {
    const { module, slot } = await started()
    let answer: (response: Uint8Array) => void = () => undefined
    module.exchange = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const read = readValue(slot)
    const waiting = outcomeOf(slot.reset())
    answer(Uint8Array.of(3, 1, 2, 0, 0, 42))
    slot.end('restarting')
    await expect(read).resolves.toBe(42)
    expect(waiting.code).toBe('device-restarting')
  })

  it('is closed once, and a close that fails or hangs is only logged', async () => {
    const { clock, module, slot, log } = await started()
    module.close = () => new Promise(() => undefined)
    slot.end('stopping')
    slot.end('lost')
    const closed = outcomeOf(slot.closed.then(() => 'closed'))
    await clock.advance(1000)
    expect(closed.value).toBe('closed')
    expect(log.at('warn').map((line) => line.message)).toEqual(['the link could not be closed'])
    expect(slot.ended).toBe('stopping')
  })
})

describe('a module that hangs', () => {
  it('costs the request on the bus and the waiting ones a 500, closes the link, and is finished', async () => {
    const { clock, module, slot, events } = await started()
    module.hang()
    const underWay = outcomeOf(readValue(slot))
    const waiting = [1, 2, 3].map((value) => outcomeOf(slot.write((exchange) => exchange(setValue, { value }))))
    await clock.advance(EXCHANGE_DEADLINE_MS)
    expect(underWay.error).toMatchObject({
      status: 500,
      message: 'the module in slot 3 did not answer GET_VALUE (attempts: 1)',
    })
    expect(waiting.map((outcome) => outcome.code)).toEqual(['module-hung', 'module-hung', 'module-hung'])
    expect(module.closed).toBe(1)
    expect(events).toEqual(['lost'])
    await expect(readValue(slot)).rejects.toMatchObject({ code: 'module-hung', status: 500 })
    await expect(slot.descriptor()).rejects.toMatchObject({ code: 'module-hung' })
    expect(clock.pending).toBe(0)
  })
})

describe('descriptor', () => {
  it('that cannot be read, or not in time, gives a clear 500', async () => {
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

  it('of a module that has left gives 404', async () => {
    const { slot } = await started({ readDescriptor: () => Promise.reject(new LinkError('gone', 'ENODEV')) })
    await expect(slot.descriptor()).rejects.toMatchObject({ code: 'module-lost' })
  })

  it('is the one that the backplane read last', async () => {
    const { slot } = await started({ descriptor: { maxPower12v: 1200 } })
    expect(await slot.descriptor()).toEqual({ ...relayDescriptor, maxPower12v: 1200 })
  })
})

describe('speed', () => {
  it('the bus is never idle while readers wait', async () => {
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

  it('a write on an idle slot goes out at once', async () => {
    const { module, slot } = await started()
    const write = slot.write((exchange) => exchange(getValue, {}))
    expect(module.names()).toEqual(['GET_VALUE'])
    await write
  })
})
