import { ManualClock, type SlotLink } from '@slotwire/core'
import { encodeRefusal } from '@slotwire/sdbp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bus, EXCHANGE_DEADLINE_MS } from './bus.ts'
import { setValue, shutDown } from './fake-module.testkit.ts'
import { outcomeOf, readValue, started } from './slot.testkit.ts'
import { MAX_RETRIES } from './slot.ts'
import { SlotStatistics } from './slot-statistics.ts'

describe('retries', () => {
  it.each(['transfer-failed', 'busy'] as const)('repeat an exchange up to three times after %s', async (failure) => {
    const { module, slot, log } = await started()
    module.fail(failure, { times: MAX_RETRIES })
    await expect(readValue(slot)).resolves.toBe(1)
    expect(module.count('GET_VALUE')).toBe(4)
    expect(log.linesOf('warn').map((line) => line.fields)).toEqual(
      [1, 2, 3].map((attempt) => ({ slot: 3, command: 'GET_VALUE', attempt, reason: `made to fail: ${failure}` })),
    )
  })

  it('report a failed module after the fourth failure', async () => {
    const { module, slot } = await started()
    module.fail('transfer-failed', { times: 5 })
    await expect(readValue(slot)).rejects.toMatchObject({
      code: 'module-failed',
      status: 500,
      message: 'the module in slot 3 did not answer GET_VALUE (attempts: 4)',
    })
    expect(module.count('GET_VALUE')).toBe(4)
  })

  it('never repeat a command that may have been executed', async () => {
    const { module, slot } = await started()
    module.fail('transfer-failed')
    await expect(slot.write((exchange) => exchange(shutDown, {}))).rejects.toMatchObject({ code: 'module-failed' })
    module.misbehave(() => Uint8Array.of(9, 9, 9))
    await expect(slot.write((exchange) => exchange(shutDown, {}))).rejects.toMatchObject({ code: 'module-answer-invalid' })
    expect(module.count('SHUT_DOWN')).toBe(2)
  })

  it('pass a refusal through without repeating: it is an answer', async () => {
    const { module, slot, log } = await started()
    module.misbehave(() => encodeRefusal(setValue, 3))
    const write = slot.write((exchange) => exchange(setValue, { value: 1 }))
    await expect(write).rejects.toMatchObject({ name: 'SdbpError', command: 'SET_VALUE', status: 3, reason: 'invalid mode' })
    expect(module.count('SET_VALUE')).toBe(1)
    expect(log.linesOf('warn')).toEqual([])
  })

  it.each([
    ['the wrong class', Uint8Array.of(3, 2, 2, 0, 0, 1)],
    ['too few bytes', Uint8Array.of(3, 1, 2, 0)],
    ['nothing', Uint8Array.of()],
    ['an ERROR', Uint8Array.of(3, 1, 1, 5)],
  ])('repeat an exchange whose answer is %s', async (_, answer) => {
    const { module, slot } = await started()
    module.misbehave(() => answer, { times: 3 })
    await expect(readValue(slot)).resolves.toBe(1)
    module.misbehave(() => answer, { times: 4 })
    await expect(readValue(slot)).rejects.toMatchObject({ code: 'module-answer-invalid', status: 500 })
  })

  it('give a value or a typed error for any answer', async () => {
    const { module, slot } = await started()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        module.misbehave(() => bytes, { times: 4 })
        const outcome = outcomeOf(readValue(slot))
        await readValue(slot).catch(() => undefined)
        module.recover()
        if (outcome.error === undefined) expect(outcome.value).toBeTypeOf('number')
        else expect(outcome.error).toSatisfy((error: Error) => ['SlotwireError', 'SdbpError'].includes(error.name))
      }),
    )
  })

  it('do not repeat a payload that does not fit', async () => {
    const { module, slot } = await started()
    module.fail('too-long')
    await expect(readValue(slot)).rejects.toMatchObject({ code: 'module-failed' })
    expect(module.count('GET_VALUE')).toBe(1)
  })

  it('let heartbeats pass between the attempts', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 250
    module.fail('transfer-failed', { times: 3, name: 'GET_VALUE' })
    const read = readValue(slot)
    await clock.advance(2000)
    await read
    expect(module.names({ heartbeats: true }).slice(0, 7)).toEqual(
      'GET_VALUE MODE_RUN GET_VALUE MODE_RUN GET_VALUE MODE_RUN GET_VALUE'.split(' '),
    )
  })
})

describe('the deadline of an exchange', () => {
  it('gives up a module whose exchange never ends', async () => {
    const { clock, module, slot, events } = await started()
    module.hang()
    const [running, waiting] = [outcomeOf(readValue(slot)), outcomeOf(slot.write((exchange) => exchange(setValue, { value: 1 })))]
    await clock.advance(EXCHANGE_DEADLINE_MS - 1)
    expect(running.error).toBeUndefined()
    expect(module.closed).toBe(0)
    await clock.advance(1)
    expect(running.error).toMatchObject({
      code: 'module-hung',
      message: expect.stringContaining('may have been executed') as string,
    })
    expect(waiting.error).toMatchObject({ code: 'module-hung', status: 500 })
    expect(module.closed).toBe(1)
    expect(events).toEqual(['lost'])
    expect(clock.pending).toBe(0)
  })

  it('starts again with each exchange', async () => {
    const { clock, module, slot, events } = await started()
    module.exchangeMs = 250
    for (let turn = 0; turn < 20; turn++) {
      const read = readValue(slot)
      await clock.advance(600)
      await read
    }
    expect(events).toEqual([])
    module.hang()
    await clock.advance(600)
    const sinceMs = module.sent.at(-1)?.atMs ?? 0
    while (events.length === 0) await clock.advance(1)
    expect(clock.now() - sinceMs - EXCHANGE_DEADLINE_MS).toBeLessThan(1)
  })
})

/** A link whose frames and responses pass when the test allows it. */
function slowLink(options: { reportsSent: boolean }) {
  let sent = (): void => undefined
  let respond = (_response: Uint8Array): void => undefined
  const link: SlotLink = {
    slot: 3,
    exchange: () =>
      new Promise((resolve) => {
        respond = resolve
      }),
    onNotification: () => undefined,
    close: () => Promise.resolve(),
    ...(options.reportsSent
      ? {
          onOperationSent: (listener: () => void) => {
            sent = listener
          },
        }
      : {}),
  }
  const bus = new Bus({
    link,
    clock: new ManualClock(),
    statistics: new SlotStatistics(),
    onRestart: () => undefined,
    onLoss: () => undefined,
  })
  return { bus, frameIsOut: () => sent(), respond: () => respond(Uint8Array.of(1)) }
}

describe('an operation on the bus', () => {
  it('counts as sent when its frame is sent, if the link reports that', async () => {
    const { bus, frameIsOut, respond } = slowLink({ reportsSent: true })
    const sent: string[] = []
    const first = bus.send(Uint8Array.of(1), () => sent.push('first'))
    const second = bus.send(Uint8Array.of(2), () => sent.push('second'))
    expect(sent).toEqual([])
    frameIsOut()
    expect(sent).toEqual(['first'])
    respond()
    await first
    expect(sent).toEqual(['first'])
    frameIsOut()
    expect(sent).toEqual(['first', 'second'])
    respond()
    await second
  })

  it('is refused while another one waits: a job sends one command after the other', async () => {
    const { bus, respond } = slowLink({ reportsSent: false })
    const first = bus.send(Uint8Array.of(1))
    const second = bus.send(Uint8Array.of(2))
    await expect(bus.send(Uint8Array.of(3))).rejects.toThrow('a job sends one command after the other')
    respond()
    await first
    respond()
    await second
  })

  it('counts as sent when its exchange begins, if the link reports nothing', async () => {
    const { bus, respond } = slowLink({ reportsSent: false })
    const sent: string[] = []
    const first = bus.send(Uint8Array.of(1), () => sent.push('first'))
    expect(sent).toEqual(['first'])
    respond()
    await first
  })
})
