import { nextTurn } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { getOther, getValue, setValue } from './fake-module.testkit.ts'
import { outcomeOf, readValue, started } from './slot.testkit.ts'
import { MAX_RETRIES, type Slot } from './slot.ts'
import type { WriteOptions } from './slot-api.ts'

describe('shared reads', () => {
  it('let a plain read join one that is on the bus', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const first = readValue(slot)
    await clock.advance(5)
    const second = readValue(slot)
    await clock.advance(5)
    expect(await Promise.all([first, second])).toEqual([1, 1])
    expect(module.count('GET_VALUE')).toBe(1)
  })

  it('give a fresh read a value that is read after it arrived', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const first = readValue(slot)
    await clock.advance(5)
    const second = readValue(slot, true)
    await clock.advance(15)
    expect(await Promise.all([first, second])).toEqual([1, 2])
  })

  it('let a fresh read join one whose operation frame has not been sent', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const write = slot.write((exchange) => exchange(setValue, { value: 1 }))
    const first = readValue(slot)
    const second = readValue(slot, true)
    await clock.advance(20)
    await write
    expect(await Promise.all([first, second])).toEqual([1, 1])
    expect(module.count('GET_VALUE')).toBe(1)
  })

  it('let a fresh read join a job that waits behind a heartbeat and has sent nothing', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    await clock.advance(111 - 10)
    while (module.count('MODE_RUN') === 0) await clock.advance(1)
    const first = readValue(slot)
    await clock.advance(1)
    const second = readValue(slot, true)
    await clock.advance(30)
    expect(await Promise.all([first, second])).toEqual([1, 1])
  })

  it('need two bus transactions, however many clients ask at once', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const readers = Array.from({ length: 1000 }, (_, reader) => readValue(slot, reader % 2 === 0))
    await clock.advance(40)
    await Promise.all(readers)
    expect(module.count('GET_VALUE')).toBe(2)
  })

  it('give a thousand callers the result in portions, in order, with time for others in between', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const order: number[] = []
    const readers = Array.from({ length: 1000 }, async (_, reader) => {
      await readValue(slot)
      order.push(reader)
    })
    await clock.advance(10)
    expect(order.length).toBeLessThan(10)
    await nextTurn()
    expect(order.length).toBeGreaterThan(0)
    expect(order.length).toBeLessThan(20)
    await Promise.all(readers)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(module.count('GET_VALUE')).toBe(1)
  })

  it('do not share reads of different keys', async () => {
    const { module, slot } = await started()
    const readOther = () => slot.read('other', { fresh: false }, async (exchange) => (await exchange(getOther, {})).value)
    await Promise.all([readValue(slot), readOther()])
    expect(module.names()).toEqual(['GET_VALUE', 'GET_OTHER'])
  })

  it('never share requests with an effect', async () => {
    const { module, slot } = await started()
    await Promise.all([1, 1, 1].map((value) => slot.write((exchange) => exchange(setValue, { value }))))
    expect(module.count('SET_VALUE')).toBe(3)
  })

  it('give a failure to all who joined; the next read starts again', async () => {
    const { module, slot } = await started()
    module.fail('transfer-failed', { times: 4 })
    const outcomes = [outcomeOf(readValue(slot)), outcomeOf(readValue(slot))]
    await expect(readValue(slot)).rejects.toMatchObject({ code: 'module-failed' })
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['module-failed', 'module-failed'])
    await expect(readValue(slot)).resolves.toBe(1)
  })

  it('give a client the value that it has written', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const early = readValue(slot)
    await clock.advance(5)
    const written = slot.write((exchange) => exchange(setValue, { value: 7 })).then(() => readValue(slot))
    await clock.advance(30)
    expect(await early).toBe(1)
    expect(await written).toBe(2)
    expect(module.names()).toEqual(['GET_VALUE', 'SET_VALUE', 'GET_VALUE'])
  })

  it('count a read of several exchanges as sent from its first one', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const both = (fresh: boolean) =>
      slot.read('both', { fresh }, async (exchange) => [
        (await exchange(getValue, {})).value,
        (await exchange(getOther, {})).value,
      ])
    const first = both(false)
    await clock.advance(15)
    const [plain, fresh] = [both(false), both(true)]
    await clock.advance(30)
    expect(await Promise.all([first, plain, fresh])).toEqual([
      [1, 2],
      [1, 2],
      [3, 4],
    ])
  })
})

const EXCHANGE_MS = 10

async function busy() {
  const made = await started()
  made.module.exchangeMs = EXCHANGE_MS
  return made
}

const readOther = (slot: Slot) => slot.readWhenIdle((exchange) => exchange(getOther, {}))
const write = (slot: Slot, options: WriteOptions = {}) => slot.write((exchange) => exchange(setValue, { value: 1 }), options)

describe('a read while the slot is idle', () => {
  it('begins at once if nothing is running', async () => {
    const { module, slot } = await started()
    await expect(readOther(slot)).resolves.toEqual({ value: 1 })
    expect(module.names()).toEqual(['GET_OTHER'])
  })

  it('runs after every waiting job, including later ones', async () => {
    const { clock, module, slot } = await busy()
    const jobs = [write(slot)]
    const idleRead = readOther(slot)
    jobs.push(write(slot), write(slot))
    await clock.advance(4 * EXCHANGE_MS)
    await Promise.all([...jobs, idleRead])
    expect(module.names()).toEqual(['SET_VALUE', 'SET_VALUE', 'SET_VALUE', 'GET_OTHER'])
  })

  it.each([undefined, 'ahead', 'clears'] as const)(
    'stops after the current exchange when a job with turn %s waits',
    async (turn) => {
      const { clock, module, slot } = await busy()
      const idleRead = outcomeOf(
        slot.readWhenIdle(async (exchange) => {
          await exchange(getOther, {})
          await exchange(getValue, {})
        }),
      )
      const written = write(slot, { turn })
      await clock.advance(2 * EXCHANGE_MS)
      await written
      expect(module.names()).toEqual(['GET_OTHER', 'SET_VALUE'])
      expect(idleRead.error).toMatchObject({ name: 'SlotNeeded' })
    },
  )

  it('is not retried while a job waits', async () => {
    const { clock, module, slot } = await busy()
    module.fail('transfer-failed', { times: MAX_RETRIES, name: 'GET_OTHER' })
    const idleRead = outcomeOf(readOther(slot))
    const written = write(slot)
    await clock.advance(2 * EXCHANGE_MS)
    await written
    expect(module.names()).toEqual(['GET_OTHER', 'SET_VALUE'])
    expect(idleRead.error).toMatchObject({ name: 'SlotNeeded' })
  })

  it('takes no place in the queue, and only one can wait', async () => {
    const { slot, statistics } = await busy()
    outcomeOf(write(slot))
    const first = outcomeOf(readOther(slot))
    await expect(readOther(slot)).rejects.toMatchObject({ code: 'queue-full' })
    expect([slot.waitingJobs, statistics.refusedJobs]).toEqual([0, 0])
    slot.end('stopping')
    await nextTurn()
    expect(first.code).toBe('stopping')
    await expect(readOther(slot)).rejects.toMatchObject({ code: 'stopping' })
  })

  it('clears no cache', async () => {
    const { slot, events } = await started()
    await readOther(slot)
    expect(events).toEqual([])
  })
})
