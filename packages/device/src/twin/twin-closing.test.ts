import { once } from 'node:events'
import { createServer } from 'node:net'
import { decimal, objectOf, reads } from '@slotwire/contract'
import { ManualClock } from '@slotwire/core'
import type { ServedExtension } from '@slotwire/service'
import { describe, expect, it } from 'vitest'
import { createTwin, type Twin } from './twin.ts'

const portOf = (url: string): number => Number(new URL(url).port)

/** Outcome of a promise: `done`, or the name of its error. */
const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? error.name : 'no error'),
  )

/** Rejects if the port is in use. */
async function expectFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  await new Promise((resolve) => server.close(resolve))
}

describe('closing a twin', () => {
  it('opens no port again if a killed service is starting', async () => {
    // Closes at each possible point of the start. An unhandled rejection would fail the run.
    for (let microtasks = 0; microtasks < 12; microtasks++) {
      const twin = await createTwin({ clock: new ManualClock(), layout: {} })
      const port = portOf(await twin.listen())
      await twin.start()
      await twin.killService()
      const started = outcomeOf(twin.startService())
      for (let done = 0; done < microtasks; done++) await Promise.resolve()
      await twin.close()
      await expectFree(port)
      expect(['done', 'ServiceGone']).toContain(await started)
    }
  })

  it.each(['close', 'killService'] as const)('frees a port that is opening: %s', async (end) => {
    // Keeps its port number for the other twin to use.
    const twin = await createTwin({ clock: new ManualClock(), layout: {} })
    const port = portOf(await twin.listen())
    await twin.killService()
    await twin.startService()
    await twin.killService()
    const other = await createTwin({ clock: new ManualClock(), layout: {} })
    const opened = outcomeOf(other.listen({ port }))
    await other[end]()
    await expectFree(port)
    expect(await opened).toBe('ServiceGone')
    await Promise.all([twin.close(), other.close()])
  })

  it('is final', async () => {
    const twin = await createTwin({ clock: new ManualClock(), layout: {} })
    const closed = 'the device is closed: make a new one with createTwin()'
    await twin.close()
    await expect(twin.startService()).rejects.toThrow(closed)
    await expect(twin.start()).rejects.toThrow(closed)
    await expect(twin.listen()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await twin.close()
  })

  it('switches the device off, even if its service failed to start', async () => {
    let made = 0
    const clock = new ManualClock()
    const extensions = (_twin: Twin): readonly ServedExtension[] => {
      if (made++ === 0) return []
      const pin = {
        ...reads,
        spec: 'an extension',
        path: '/slotwire/pin',
        summary: 'Reads a pin',
        reply: objectOf({ volts: decimal() }),
      }
      return [{ contract: { name: 'pins', description: 'Reads pins.', endpoints: { pin } }, handlers: {} }]
    }
    const twin = await createTwin({ clock, extensions })
    await twin.start()
    await twin.killService()
    const started = expect(twin.startService()).rejects.toThrow('the endpoint pin has no handler')
    await twin.close()
    await started
    expect([twin.chassis.module(3).mode, clock.pending]).toEqual(['off', 0])
  })
})
