import { catalog, createTwin } from '@slotwire/device/twin'
import type { WriteRecord } from '@slotwire/service'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'
import { createBenchExtension } from './bench-extension.ts'

const SHORT = '/slotwire/bench/pin/3/1/short'

/** A twin whose time is the system's, with its door on a real socket. */
async function openDoor() {
  const time = { now: () => 0, pace: 1, step: () => Promise.resolve() }
  const twin = await createTwin({ extensions: (device) => [createBenchExtension({ device, time, catalog })] })
  onTestFinished(() => twin.close())
  await twin.start()
  return { twin, url: await twin.listen() }
}

describe('the loopback door', () => {
  it('leads programs of the device to the bench', async () => {
    const { twin, url } = await openDoor()
    const answer = await fetch(`${url}${SHORT}`, { method: 'POST' })
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'success', connection: 4 }])
    expect(twin.bench.pin(3, 1).connections).toHaveLength(1)
  })

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a form of another site, which needs no content type', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page that names where it is from', { referer: 'https://evil.example/page' }],
    ['a sandboxed page', { origin: 'null' }],
  ])('lets %s do nothing', async (_who, headers) => {
    const { twin, url } = await openDoor()
    expect((await fetch(`${url}${SHORT}`, { method: 'POST', headers })).status).toBe(403)
    expect(twin.bench.pin(3, 1).connections).toEqual([])
  })

  it('lets a read-only caller look and do nothing', async () => {
    const { twin, url } = await openDoor()
    const headers = { 'slotwire-access': 'read-only' }
    expect((await fetch(`${url}/slotwire/bench`, { headers })).status).toBe(200)
    expect((await fetch(`${url}${SHORT}`, { method: 'POST', headers })).status).toBe(403)
    expect(twin.bench.pin(3, 1).connections).toEqual([])
  })
})

describe('a device without a bench', () => {
  it('has none: 404', async () => {
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

describe('what is done at the bench', () => {
  it('is told to whoever keeps a record of writes', async () => {
    const records: WriteRecord[] = []
    const device = await BenchDevice.start({ onWrite: (record) => records.push(record) })
    await device.act('pin/3/1/source', { volts: 24 })
    await device.look('/wiring')
    expect(records).toMatchObject([{ method: 'POST', path: '/slotwire/bench/pin/3/1/source', status: 200, body: { volts: 24 } }])
  })
})
