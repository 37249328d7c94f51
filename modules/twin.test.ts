import { once } from 'node:events'
import { createConnection } from 'node:net'
import { ManualClock } from '@slotwire/core'
import type { ScenarioWorld } from '@slotwire/scenario'
import { hang, source } from '@slotwire/twin'
import { afterEach, describe, expect, it } from 'vitest'
import { createTwin, type Twin, type TwinOptions } from './twin.ts'

const twins: Twin<ManualClock>[] = []

async function running(options: TwinOptions = {}): Promise<Twin<ManualClock>> {
  const twin = await createTwin({ ...options, clock: new ManualClock() })
  twins.push(twin)
  await twin.start()
  return twin
}

afterEach(async () => {
  for (const twin of twins.splice(0)) {
    await twin.close()
    await twin.clock.advance(0)
    expect(twin.clock.pending).toBe(0)
  }
})

const get = (twin: Twin, path: string) => twin.request({ method: 'GET', path })

describe('a twin in code', () => {
  it('shows what its bench does', async () => {
    const twin = await running()
    twin.bench.pin(3, 1).connect(source(24, { ohms: 10_000 }))
    expect(await get(twin, '/api/io/1.0/3/input/values')).toMatchObject({
      status: 200,
      body: { pins: [{ pin_type: 'voltage_millivolt', value: 23_760 }, {}, {}, {}, {}, {}] },
    })
  })

  it('is what a scenario acts on', async () => {
    const world: ScenarioWorld = await running()
    expect(await world.request({ method: 'GET', path: '/api/io/' })).toMatchObject({ status: 200 })
  })
})

describe('a killed service', () => {
  it('leaves its modules in SUSPEND, and nothing is said to them any more', async () => {
    const twin = await running()
    await twin.clock.advance(500)
    expect(twin.chassis.module(3).mode).toBe('run')
    await twin.killService()
    await twin.clock.advance(0)
    expect(twin.chassis.module(3).mode).toBe('suspend')
  })

  it('comes again with other sessions', async () => {
    const twin = await running()
    const before = await get(twin, '/api/io/1.0/')
    await twin.killService()
    await expect(get(twin, '/api/io/1.0/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await twin.startService()
    const after = await get(twin, '/api/io/1.0/')
    expect(after.body).toMatchObject({ devices: [{ slot_number: 3 }, { slot_number: 5 }] })
    expect(JSON.stringify(after.body)).not.toBe(JSON.stringify(before.body))
    expect(twin.chassis.module(3).mode).toBe('run')
  })

  it('fails the requests that wait for it', async () => {
    const twin = await running()
    twin.bench.slot(3).inject(hang())
    const asked = twin.request({ method: 'GET', path: '/api/io/1.0/3/input/values', headers: { 'cache-control': 'no-cache' } })
    const failed = expect(asked).rejects.toMatchObject({ code: 'ECONNRESET' })
    await twin.clock.advance(10)
    await twin.killService()
    await failed
  })

  it('cuts its connections, and listens at the same port when it comes again', async () => {
    const twin = await running()
    const url = await twin.listen()
    expect((await fetch(`${url}/api/io/`)).status).toBe(200)
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => undefined)
    const closed = once(socket, 'close')
    await twin.killService()
    await closed
    await expect(fetch(`${url}/api/io/`)).rejects.toThrow('fetch failed')
    await twin.startService()
    expect((await fetch(`${url}/api/io/`)).status).toBe(200)
  })
})
