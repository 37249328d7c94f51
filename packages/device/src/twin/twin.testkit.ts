import { ManualClock } from '@slotwire/core'
import { afterEach, expect } from 'vitest'
import { createTwin, type Twin, type TwinOptions } from './twin.ts'

const FRESH = { 'cache-control': 'no-cache' }

/** A twin with a clock that tests advance. */
export type TestTwin = Twin<ManualClock>

/** Makes twins that are switched on; closes them after each test and checks that no timer is left. */
export function useTwins(): (options?: TwinOptions) => Promise<TestTwin> {
  const twins: TestTwin[] = []
  afterEach(async () => {
    for (const twin of twins.splice(0)) {
      await twin.close()
      await twin.clock.advance(0)
      expect(twin.clock.pending).toBe(0)
    }
  })
  return async (options = {}) => {
    const twin = await createTwin({ ...options, clock: new ManualClock() })
    twins.push(twin)
    await until(twin, twin.start())
    return twin
  }
}

/** Advances time until the work is done, at most ten seconds. */
export async function until<Result>(twin: TestTwin, work: Promise<Result>): Promise<Result> {
  let over = false
  const done = (): void => {
    over = true
  }
  work.then(done, done)
  await twin.clock.advance(0)
  for (let ms = 0; ms < 10_000 && !over; ms += 10) await twin.clock.advance(10)
  return work
}

/** The endpoints of one module, for a client. */
export function moduleAt(twin: Twin, service: string, slot: number) {
  const path = (name: string): string => `/api/${service}/1.0/${slot}/${name}`
  const get = (name: string) => twin.request({ method: 'GET', path: path(name), headers: FRESH })
  const post = (name: string, body: unknown) => twin.request({ method: 'POST', path: path(name), body })
  return {
    get,
    post,
    /** Body of a GET that must succeed. */
    read: async (name: string): Promise<Readonly<Record<string, unknown>>> => {
      const { status, body } = await get(name)
      expect({ status, body }).toMatchObject({ status: 200 })
      return body as Record<string, unknown>
    },
    /** Makes a POST that must succeed. */
    set: async (name: string, body: unknown): Promise<void> => {
      expect(await post(name, body)).toMatchObject({ status: 200, body: { status: 'success' } })
    },
    /** Session of the module; undefined while it is not listed. */
    session: async (): Promise<string | undefined> => {
      const { body } = await twin.request({ method: 'GET', path: `/api/${service}/1.0/` })
      const { devices = [] } = body as { devices?: { slot_number: number; device_session: string }[] }
      return devices.find(({ slot_number }) => slot_number === slot)?.device_session
    },
  }
}

/** Values of all pins of an io module, in millivolt for analog pins. */
export async function pinsOf(twin: Twin, slot: number): Promise<readonly { pin_type: string; value: number }[]> {
  const { pins } = await moduleAt(twin, 'io', slot).read('input/values')
  return pins as { pin_type: string; value: number }[]
}

/** The same configuration for all six pins. */
export function pinsOn(rail: '5_volt' | '12_volt', milliampere: number) {
  return { config: Array.from({ length: 6 }, () => ({ rail, current_milliampere: milliampere })) }
}
