import { describe, expect, it } from 'vitest'
import { getOther, getValue, setValue } from './fake-module.testkit.ts'
import { RETRY_LIMIT } from './retry.ts'
import { outcomeOf, started } from './slot.testkit.ts'
import type { Slot } from './slot.ts'
import type { WriteOptions } from './slot-api.ts'

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
    module.fail('transfer-failed', { times: RETRY_LIMIT, name: 'GET_OTHER' })
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
    await Promise.resolve()
    expect(first.code).toBe('stopping')
    await expect(readOther(slot)).rejects.toMatchObject({ code: 'stopping' })
  })

  it('clears no cache', async () => {
    const { slot, events } = await started()
    await readOther(slot)
    expect(events).toEqual([])
  })
})
