import { beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedKernel, startedKernel } from './kernel-backplane.testkit.ts'
import type { SlotFile } from './kernel-files.ts'
import { MAX_CLOSE_MS, MAX_OPEN_MS } from './kernel-slot.ts'
import { plug } from './scripted-files.testkit.ts'

const FOLDER = '/sys/class/sdbp/slot3'
const never = (): Promise<never> => new Promise(() => undefined)

let kernel: ScriptedKernel
/** Open calls that the kernel has not answered, in order. */
let openings: { readonly signal: AbortSignal; readonly answer: (file: SlotFile) => void }[]
beforeEach(async () => {
  kernel = await startedKernel(3)
  openings = []
  kernel.files.open = (_file, _failedNotifications, signal) => new Promise((answer) => openings.push({ signal, answer }))
})

/** A file that records what is done to it; with `closes` false it does not close normally. */
function file(done: string[], closes = true): SlotFile {
  let end: () => void = () => undefined
  return {
    exchange: async (payload) => payload,
    close: () => {
      done.push('close')
      return closes ? Promise.resolve() : new Promise((resolve) => (end = resolve))
    },
    kill: async () => {
      done.push('kill')
      end()
    },
  }
}

/** Puts another module into the slot, and lets the driver notice it. */
async function replace(): Promise<void> {
  kernel.files.remove(FOLDER)
  await kernel.backplane.rescan()
  plug(kernel.files, 3, { rid: '42' })
  await kernel.backplane.rescan()
  expect(kernel.events.splice(0)).toEqual(['left 3', 'arrived 3'])
}

describe('a file that is being opened when its module leaves', () => {
  it('is aborted at once', async () => {
    const opening = expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'gone' })
    await kernel.clock.advance(0)
    await replace()
    await opening
    expect(openings.map(({ signal }) => signal.aborted)).toEqual([true])
    openings[0]?.answer(file([]))
  })

  it('is closed before the next open if it opens all the same', async () => {
    const done: string[] = []
    const opening = expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'gone' })
    await kernel.clock.advance(0)
    await replace()
    await opening
    const next = kernel.backplane.open(3)
    await kernel.clock.advance(10)
    expect(openings.length).toBe(1)
    openings[0]?.answer(file(done, false))
    await kernel.clock.advance(MAX_CLOSE_MS - 1)
    expect([done, openings.length]).toEqual([['close'], 1])
    await kernel.clock.advance(1)
    expect([done, openings.length]).toEqual([['close', 'kill'], 2])
    openings[1]?.answer(file([]))
    await next
  })

  it('is closed if it opens at that very moment', async () => {
    const done: string[] = []
    const opening = expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'gone' })
    await kernel.clock.advance(0)
    openings[0]?.answer(file(done))
    const slotsGone = kernel.backplane.close()
    await opening
    await slotsGone
    expect(done).toEqual(['close'])
  })
})

describe('a file that does not close, not even by force', () => {
  it('keeps its slot closed, with one error for each attempt, until it has closed', async () => {
    let end: () => void = () => undefined
    const closed = new Promise<void>((resolve) => (end = resolve))
    const opened = kernel.backplane.open(3)
    await kernel.clock.advance(0)
    openings[0]?.answer({ exchange: never, close: () => closed, kill: () => closed })
    void (await opened).close()
    for (let round = 0; round < 2; round++) {
      const again = expect(kernel.backplane.open(3)).rejects.toMatchObject({
        failure: 'busy',
        message: `slot 3: /dev/slot3 was not closed by its last user, or not opened, within ${MAX_OPEN_MS} ms`,
      })
      await kernel.clock.advance(MAX_OPEN_MS)
      await again
    }
    expect(openings.length).toBe(1)
    end()
    const next = kernel.backplane.open(3)
    await kernel.clock.advance(0)
    openings[1]?.answer(file([]))
    await next
  })
})

describe('a file whose open does not end, not even by force', () => {
  it('fails after the limit, and the slot is not opened a second time meanwhile', async () => {
    const opening = expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'busy' })
    await kernel.clock.advance(MAX_OPEN_MS)
    await opening
    const again = expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'busy' })
    await kernel.clock.advance(MAX_OPEN_MS)
    await again
    expect(openings.length).toBe(1)
    const done: string[] = []
    openings[0]?.answer(file(done))
    await kernel.clock.advance(0)
    expect(done).toEqual(['close'])
  })
})

it('a closed backplane opens nothing', async () => {
  await Promise.all([kernel.backplane.close(), kernel.clock.advance(0)])
  await expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'gone', message: 'slot 3 has been released' })
  expect(openings).toEqual([])
})
