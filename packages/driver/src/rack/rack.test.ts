import { LinkError } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { EXCHANGE_DEADLINE_MS } from '../slot/bus.ts'
import { getValue, RELAY, setValue } from '../slot/fake-module.testkit.ts'
import { outcomeOf } from '../slot/slot.testkit.ts'
import { LOGGED_REASONS, MAX_REOPEN_DELAY_MS, REOPEN_DELAY_MS } from './bay.ts'
import { device, usable } from './rack.testkit.ts'
import { SCAN_DEADLINE_MS } from './rack.ts'

describe('the start of the rack', () => {
  it('resolves when the modules that are present are usable, ordered by slot number', async () => {
    const { backplane, rack, events } = device()
    for (const slot of [5, 3]) backplane.plug(slot)
    expect(rack.ready).toBe(false)
    await rack.start()
    expect(rack.ready).toBe(true)
    expect(usable(rack)).toEqual([3, 5])
    expect(rack.find(3, RELAY)?.session).toMatch(/^[A-Z0-9]{64}$/)
    expect(rack.find(3, RELAY)?.session).not.toBe(rack.find(5, RELAY)?.session)
    expect(rack.driverSession).toMatch(/^[A-Z0-9]{64}$/)
    expect([...events].sort()).toEqual(['slot-up 3', 'slot-up 5'])
  })

  it('leaves out modules in bootloader mode, of other types, and with unsupported firmware', async () => {
    const { clock, backplane, rack } = device()
    backplane.plug(2, { bootloaderState: 'in bootloader mode' })
    backplane.plug(3, { vendorProductId: 'example.org/relays' })
    backplane.plug(4).firmwareMajor = 2
    backplane.plug(5)
    await rack.start()
    await clock.advance(10_000)
    expect(usable(rack)).toEqual([5])
    expect(backplane.opened).toEqual([4, 5])
    expect(backplane.at(4).module.closed).toBe(1)
    expect(rack.find(3, 'example.org/relays')).toBeUndefined()
  })

  it('finds a module only under its own type', async () => {
    const { backplane, rack } = device()
    backplane.plug(3)
    await rack.start()
    expect(rack.find(3, RELAY)?.slot).toBe(3)
    expect(rack.find(3, 'example.org/other')).toBeUndefined()
    expect(rack.find(4, RELAY)).toBeUndefined()
    expect(rack.usable('example.org/other')).toEqual([])
  })

  it('is not delayed by seven modules that hang', async () => {
    const { clock, backplane, rack } = device()
    for (let slot = 0; slot < 7; slot++) backplane.plug(slot).hang()
    backplane.plug(7)
    const start = outcomeOf(rack.start().then(() => 'started'))
    await clock.advance(0)
    expect(usable(rack)).toEqual([7])
    await clock.advance(SCAN_DEADLINE_MS)
    expect(start.value).toBe('started')
  })

  it('is not delayed by a backplane that neither reads nor opens', async () => {
    const { clock, backplane, rack } = device()
    backplane.plug(3)
    backplane.plug(4)
    const never = new Promise<void>(() => undefined)
    backplane.beforeDescriptor = (slot) => (slot === 3 ? never : Promise.resolve())
    backplane.beforeOpen = () => never
    const start = outcomeOf(rack.start().then(() => 'started'))
    await clock.advance(SCAN_DEADLINE_MS)
    expect(start.value).toBe('started')
  })
})

it('the stop of the rack fails pending requests with stopping, closes every link, and leaves no timer or subscription', async () => {
  const { clock, backplane, rack, events } = device()
  const modules = [3, 5].map((slot) => backplane.plug(slot))
  await rack.start()
  const [first] = rack.usable(RELAY)
  backplane.at(3).module.hang()
  const outcomes = [first?.write(first.reset), first?.write(first.reset)].map((work) => outcomeOf(work ?? Promise.resolve()))
  await rack.stop()
  await clock.advance(0)
  expect(outcomes.map((outcome) => outcome.code)).toEqual(['stopping', 'stopping'])
  expect(modules.map((module) => module.closed)).toEqual([1, 1])
  expect(usable(rack)).toEqual([])
  expect(events.slice(2)).toEqual(['slot-down 3', 'slot-down 5'])
  expect(clock.pending).toBe(0)
  expect(backplane.listeners).toBe(0)
})

describe('the rack', () => {
  it('makes a module usable that arrives later', async () => {
    const { clock, backplane, rack, events } = device()
    await rack.start()
    backplane.plug(4)
    await clock.advance(0)
    expect(usable(rack)).toEqual([4])
    expect(events).toEqual(['slot-up 4'])
  })

  it('removes a module that leaves at once, and gives a returning one a new object and session', async () => {
    const { clock, backplane, rack, events } = device()
    const module = backplane.plug(3)
    await rack.start()
    const before = rack.find(3, RELAY)
    module.hang()
    const pending = [before?.write(before.reset), before?.write(before.reset)].map((work) => outcomeOf(work ?? Promise.resolve()))
    backplane.unplug(3)
    expect(usable(rack)).toEqual([])
    expect(module.closed).toBe(1)
    await clock.advance(0)
    expect(pending.map((outcome) => outcome.code)).toEqual(['module-lost', 'module-lost'])
    backplane.plug(3)
    await clock.advance(0)
    const after = rack.find(3, RELAY)
    expect(after).not.toBe(before)
    expect(after?.session).not.toBe(before?.session)
    expect(events).toEqual(['slot-up 3', 'slot-down 3', 'slot-up 3'])
  })

  it('gives up a module that hangs, and retries it while it is plugged in', async () => {
    const { clock, backplane, rack, events } = device()
    const module = backplane.plug(3)
    await rack.start()
    module.hang()
    await clock.advance(2200)
    expect(usable(rack)).toEqual([])
    expect(module.closed).toBe(1)
    module.recover()
    await clock.advance(3000)
    expect(usable(rack)).toEqual([3])
    expect(events).toEqual(['slot-up 3', 'slot-down 3', 'slot-up 3'])
  })

  it('gives up a module whose WAIT exceeds the exchange deadline like one that hangs: 500, then a new session', async () => {
    const { clock, backplane, rack } = device()
    const module = backplane.plug(3)
    await rack.start()
    const before = rack.find(3, RELAY)
    module.exchangeMs = 3000
    const outcome = outcomeOf(before?.write((exchange) => exchange(setValue, { value: 1 })) ?? Promise.resolve())
    await clock.advance(EXCHANGE_DEADLINE_MS)
    expect(outcome.error).toMatchObject({ status: 500, code: 'module-hung' })
    expect(module.closed).toBe(1)
    expect(usable(rack)).toEqual([])
    module.exchangeMs = 0
    await clock.advance(REOPEN_DELAY_MS)
    const after = rack.find(3, RELAY)
    expect(after?.session).toMatch(/^[A-Z0-9]{64}$/)
    expect(after?.session).not.toBe(before?.session)
    // The late answer has no receiver.
    await clock.advance(1000)
    expect(await after?.read('value', { fresh: true }, (exchange) => exchange(getValue, {}))).toEqual({ value: 1 })
  })

  it('retries a failed open every 500 ms while the module is there, with one warning', async () => {
    const { clock, backplane, rack, log } = device()
    backplane.plug(3)
    backplane.beforeOpen = () => Promise.reject(new LinkError('busy', 'another program has it'))
    await rack.start()
    await clock.advance(1600)
    expect(backplane.opened).toHaveLength(4)
    expect(log.linesOf('warn')).toHaveLength(1)
    backplane.beforeOpen = () => Promise.resolve()
    await clock.advance(500)
    expect(usable(rack)).toEqual([3])
  })

  it('logs each reason once, so that the last line in the log is not outdated', async () => {
    const { clock, backplane, rack, log } = device()
    const reasons = () => log.linesOf('warn').map(({ fields }) => (fields as { reason?: string }).reason)
    let reason = 'no permission'
    backplane.plug(3)
    backplane.beforeOpen = () => Promise.reject(new LinkError('busy', reason))
    await rack.start()
    await clock.advance(5000)
    reason = 'used by another program'
    await clock.advance(5000)
    expect(reasons()).toEqual(['no permission', 'used by another program'])
    reason = 'no permission'
    await clock.advance(5000)
    expect(reasons()).toHaveLength(2)
    for (let other = 0; other < 20; other++) {
      reason = `another one, ${other}`
      await clock.advance(REOPEN_DELAY_MS)
    }
    expect(reasons()).toHaveLength(LOGGED_REASONS)
  })

  it('logs a failed start once in full, retries it after 0.5, 1, 2, … 30 s, and logs it again for another module', async () => {
    const { clock, backplane, rack, log } = device()
    const nonsense = (): Uint8Array => Uint8Array.of(9, 9, 9)
    const start = outcomeOf(rack.start())
    const module = backplane.plug(3)
    module.misbehave(nonsense, { times: Number.POSITIVE_INFINITY })
    await clock.advance(0)
    const logged = log.linesOf('warn').map(({ message }) => message)
    expect(logged).toEqual([
      ...Array<string>(3).fill('exchange failed, trying again'),
      'module could not be started, trying again',
    ])
    const atMs = module.sent.map((frame) => frame.atMs)
    await clock.advance(121_500)
    expect(log.linesOf('warn')).toHaveLength(logged.length)
    expect(log.linesOf('info')).toEqual([])
    expect([...new Set([...atMs, ...module.sent.map((frame) => frame.atMs)])]).toEqual([
      ...[0, 500, 1500, 3500, 7500, 15_500, 31_500, 61_500, 91_500, 121_500],
    ])
    module.recover()
    await clock.advance(MAX_REOPEN_DELAY_MS)
    expect(usable(rack)).toEqual([3])
    expect(log.linesOf('info').map(({ message }) => message)).toEqual(['module is usable'])
    module.fail('busy', { name: 'GET_VALUE' })
    await rack.find(3, RELAY)?.read('value', { fresh: true }, (exchange) => exchange(getValue, {}))
    expect(log.linesOf('warn')).toHaveLength(logged.length + 1)
    backplane.unplug(3)
    backplane.plug(3).misbehave(nonsense, { times: Number.POSITIVE_INFINITY })
    await clock.advance(10_000)
    // Both starts in full, one retry in between, and that the first module left.
    expect(log.linesOf('warn')).toHaveLength(2 * logged.length + 2)
    expect(start.error).toBeUndefined()
  })

  it('logs a module that hangs at each start once, and uses it at most 30 s after it recovers', async () => {
    const { clock, backplane, rack, log } = device()
    await rack.start()
    const module = backplane.plug(3)
    module.hang()
    await clock.advance(60_000)
    expect(log.linesOf('warn').map(({ message }) => message)).toEqual([
      'the module hangs and is given up',
      'module could not be started, trying again',
    ])
    module.recover()
    await clock.advance(EXCHANGE_DEADLINE_MS + MAX_REOPEN_DELAY_MS)
    expect(usable(rack)).toEqual([3])
  })

  it('does not retry a failed open when the module has left', async () => {
    const { clock, backplane, rack } = device()
    backplane.plug(3)
    backplane.beforeOpen = () => Promise.reject(new LinkError('busy', 'another program has it'))
    await rack.start()
    backplane.unplug(3)
    await clock.advance(5000)
    expect(backplane.opened).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it.each([
    ['left', (backplane: ReturnType<typeof device>['backplane']) => backplane.unplug(3)],
    ['the device restarted', (backplane: ReturnType<typeof device>['backplane']) => backplane.restart()],
  ])('closes a link that comes when its module has %s', async (_, away) => {
    const { clock, backplane, rack, events } = device()
    let opened: () => void = () => undefined
    backplane.beforeOpen = () =>
      new Promise((resolve) => {
        opened = resolve
      })
    await rack.start()
    const module = backplane.plug(3)
    await clock.advance(100)
    away(backplane)
    opened()
    await clock.advance(10_000)
    expect(module.closed).toBe(1)
    expect(module.sent).toEqual([])
    expect(events.filter((event) => event.startsWith('slot'))).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('logs nothing when a module leaves while it is started', async () => {
    const { clock, backplane, rack, events } = device()
    await rack.start()
    const module = backplane.plug(3)
    module.exchangeMs = 10
    await clock.advance(15)
    backplane.unplug(3)
    await clock.advance(5000)
    expect(module.closed).toBe(1)
    expect(events).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('uses the second arrival when the first is still being opened', async () => {
    const { clock, backplane, rack, events } = device()
    const openings: (() => void)[] = []
    backplane.beforeOpen = () => new Promise((resolve) => openings.push(resolve))
    await rack.start()
    const first = backplane.plug(3)
    await clock.advance(10)
    const second = backplane.plug(3)
    await clock.advance(10)
    for (const open of openings) open()
    await clock.advance(100)
    expect(first.closed).toBe(1)
    expect(second.closed).toBe(0)
    expect(second.count('MODE_RUN')).toBeGreaterThan(0)
    expect(events).toEqual(['slot-up 3'])
  })

  it('opens an arrival only when the link of its predecessor is closed', async () => {
    const { clock, backplane, rack } = device()
    const first = backplane.plug(3)
    let closed: () => void = () => undefined
    first.close = () =>
      new Promise((resolve) => {
        closed = resolve
      })
    await rack.start()
    backplane.unplug(3)
    backplane.plug(3)
    await clock.advance(200)
    expect(backplane.opened).toEqual([3])
    closed()
    await clock.advance(0)
    expect(usable(rack)).toEqual([3])
  })
})

it('a restart of the device fails every request with 502, and gives new sessions', async () => {
  const { clock, backplane, rack, events } = device()
  for (const slot of [3, 5]) backplane.plug(slot)
  await rack.start()
  const { driverSession } = rack
  const slots = rack.usable(RELAY)
  for (const slot of [3, 5]) backplane.at(slot).module.hang()
  const writes = slots.flatMap((slot) =>
    [1, 2].map((value) => outcomeOf(slot.write((exchange) => exchange(setValue, { value })))),
  )
  backplane.restart()
  await clock.advance(0)
  expect(rack.state).toBe('restarting')
  expect(writes.map((outcome) => outcome.code)).toEqual(Array.from({ length: 4 }, () => 'device-restarting'))
  expect(usable(rack)).toEqual([])
  await clock.advance(3000)
  backplane.up()
  for (const slot of [3, 5]) backplane.plug(slot)
  await clock.advance(0)
  expect(rack.state).toBe('up')
  expect(rack.driverSession).not.toBe(driverSession)
  expect(rack.usable(RELAY).map((slot) => slot.session)).not.toContain(slots[0]?.session)
  expect(events).toEqual(['slot-up 3', 'slot-up 5', 'restarting', 'slot-down 3', 'slot-down 5', 'up', 'slot-up 3', 'slot-up 5'])
})

it('the events of the rack show modules and the device, but no module that ends because the rack stops', async () => {
  const { clock, backplane, rack } = device()
  const events: string[] = []
  const stop = rack.subscribe((event) => events.push('slot' in event ? `${event.type} ${event.slot.slot}` : event.type))
  for (const slot of [3, 5]) backplane.plug(slot)
  await rack.start()
  backplane.at(3).module.notify(1)
  const slot = rack.find(3, RELAY)
  await slot?.write(slot.reset)
  backplane.unplug(5)
  await clock.advance(100)
  backplane.restart()
  await clock.advance(100)
  expect(events).toEqual(['arrived 3', 'arrived 5', 'notified 3', 'reset 3', 'left 5', 'restarting', 'left 3'])
  backplane.up()
  backplane.plug(3)
  await clock.advance(1000)
  await rack.stop()
  expect(events.slice(7)).toEqual(['up', 'arrived 3'])
  stop()
})
