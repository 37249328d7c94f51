import { catalog, createTwin } from '@slotwire/device/twin'
import type { WriteRecord } from '@slotwire/service'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'
import { createBenchExtension } from './bench-extension.ts'

const SHORT = '/slotwire/bench/short'
const PIN = JSON.stringify({ pin: '3/1' })
const json = { 'content-type': 'application/json' }

/** A twin with system time and a door on a real socket. */
async function openDoor() {
  const time = { now: () => 0, pace: 1, step: () => Promise.resolve() }
  const twin = await createTwin({ extensions: (device) => [createBenchExtension({ device, time, catalog })] })
  onTestFinished(() => twin.close())
  await twin.start()
  return { twin, url: await twin.listen() }
}

describe('the loopback door', () => {
  it('gives programs of the device access to the bench', async () => {
    const { twin, url } = await openDoor()
    const answer = await fetch(`${url}${SHORT}`, { method: 'POST', headers: json, body: PIN })
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'success', name: 'c4' }])
    expect(twin.bench.pin(3, 1).connections).toHaveLength(1)
  })

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a form of another site with a simple content type', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page with a referer of another site', { referer: 'https://evil.example/page' }],
    ['a sandboxed page', { origin: 'null' }],
  ])('refuses writes from %s', async (_who, headers) => {
    const { twin, url } = await openDoor()
    expect((await fetch(`${url}${SHORT}`, { method: 'POST', headers: { ...json, ...headers }, body: PIN })).status).toBe(403)
    expect(twin.bench.pin(3, 1).connections).toEqual([])
  })

  it('allows a read-only caller to read, but not to write', async () => {
    const { twin, url } = await openDoor()
    const headers = { 'slotwire-access': 'read-only' }
    expect((await fetch(`${url}/slotwire/bench`, { headers })).status).toBe(200)
    expect((await fetch(`${url}${SHORT}`, { method: 'POST', headers: { ...json, ...headers }, body: PIN })).status).toBe(403)
    expect(twin.bench.pin(3, 1).connections).toEqual([])
  })
})

describe('a device without a bench', () => {
  it('answers 404 at all paths of the bench', async () => {
    const twin = await createTwin()
    onTestFinished(() => twin.close())
    await twin.start()
    for (const path of ['/slotwire/bench', '/slotwire/bench/', '/slotwire/bench/wiring', SHORT]) {
      expect(await twin.request({ method: 'GET', path })).toMatchObject({ status: 404, body: { message: 'Not Found' } })
    }
    const { body } = await twin.request({ method: 'GET', path: '/slotwire/openapi.json' })
    expect(JSON.stringify(body)).not.toContain('/slotwire/bench')
  })
})

describe('a write to the bench', () => {
  it('is reported to the observer of writes', async () => {
    const records: WriteRecord[] = []
    const device = await BenchDevice.start({ onWrite: (record) => records.push(record) })
    await device.post('connect', { pin: '3/1', to: { source: { volts: 24 } } })
    await device.get('/wiring')
    expect(records).toMatchObject([{ method: 'POST', path: '/slotwire/bench/connect', status: 200, body: { pin: '3/1' } }])
  })
})
