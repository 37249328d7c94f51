import { describe, expect, it } from 'vitest'
import { setValue } from './fake-module.testkit.ts'
import { MAX_WAITING_JOBS } from './request-queue.ts'
import { outcomeOf, started } from './slot.testkit.ts'

describe('the queue of a slot', () => {
  it('answers fifty writers completely, in order of arrival', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const answered: number[] = []
    const writers = Array.from({ length: 50 }, (_, writer) =>
      slot
        .write(async (exchange) => {
          await exchange(setValue, { value: writer })
          await exchange(setValue, { value: writer + 1000 })
        })
        .then(() => answered.push(writer)),
    )
    await clock.advance(2000)
    await Promise.all(writers)
    expect(answered).toEqual(Array.from({ length: 50 }, (_, writer) => writer))
    const values = module.sent
      .filter((frame) => frame.name === 'SET_VALUE')
      .map(({ payload }) => new DataView(payload.buffer).getUint16(3))
    expect(values).toEqual(Array.from({ length: 50 }, (_, writer) => [writer, writer + 1000]).flat())
  })

  it('has one exchange at a time on the bus, heartbeats included', async () => {
    const { clock, module, slot } = await started()
    module.exchangeMs = 10
    const writers = Array.from({ length: 20 }, () => slot.write((exchange) => exchange(setValue, { value: 1 })))
    await clock.advance(1000)
    await Promise.all(writers)
    expect(module.count('MODE_RUN')).toBeGreaterThan(5)
    expect(module.mostAtOnce).toBe(1)
  })

  it(`refuses one job more than ${MAX_WAITING_JOBS} waiting ones at once, with queue-full`, async () => {
    const { module, slot } = await started()
    module.exchangeMs = 10
    const accepted = Array.from({ length: MAX_WAITING_JOBS + 1 }, () =>
      outcomeOf(slot.write((exchange) => exchange(setValue, { value: 1 }))),
    )
    await expect(slot.write((exchange) => exchange(setValue, { value: 1 }))).rejects.toMatchObject({
      code: 'queue-full',
      status: 503,
    })
    expect(accepted.every((outcome) => outcome.error === undefined)).toBe(true)
    slot.end('stopping')
  })

  it('runs an urgent job before all waiting ones, even if too many wait', async () => {
    const { clock, module, slot } = await started({ queueLimit: 2 })
    module.exchangeMs = 10
    const ended: string[] = []
    const write = (name: string) => slot.write((exchange) => exchange(setValue, { value: 1 })).then(() => ended.push(name))
    const jobs = [write('running'), write('waiting'), write('waiting too')]
    jobs.push(slot.write((exchange) => exchange(setValue, { value: 2 }), { turn: 'ahead' }).then(() => ended.push('urgent')))
    await clock.advance(60)
    await Promise.all(jobs)
    expect(ended).toEqual(['running', 'urgent', 'waiting', 'waiting too'])
  })

  it('has a configurable bound, and room again when a job is done', async () => {
    const { clock, module, slot } = await started({ queueLimit: 1 })
    module.exchangeMs = 10
    const write = () => slot.write((exchange) => exchange(setValue, { value: 1 }))
    const [first, second] = [write(), write()]
    await expect(write()).rejects.toMatchObject({ code: 'queue-full' })
    await clock.advance(10)
    const third = write()
    await clock.advance(20)
    await Promise.all([first, second, third])
    expect(module.count('SET_VALUE')).toBe(3)
  })

  it('continues after a job that throws', async () => {
    const { slot } = await started()
    const failing = slot.write(() => Promise.reject(new Error('a bug')))
    const next = slot.write((exchange) => exchange(setValue, { value: 1 }))
    await expect(failing).rejects.toThrow('a bug')
    await expect(next).resolves.toEqual({})
  })

  it('runs slots in parallel: eight hung ones do not slow a ninth', async () => {
    const hung = await Promise.all(Array.from({ length: 8 }, () => started()))
    for (const { module, slot } of hung) {
      module.hang()
      outcomeOf(slot.write((exchange) => exchange(setValue, { value: 1 })))
    }
    const { slot } = await started()
    await expect(slot.write((exchange) => exchange(setValue, { value: 1 }))).resolves.toEqual({})
    for (const { slot: other } of hung) other.end('stopping')
  })
})
