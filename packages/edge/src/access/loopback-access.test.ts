import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { basic, CA, FEED, LEVEL, MACHINE_ID, openDoors, STATUS } from './access.testkit.ts'

const WRITE = { method: 'POST', body: '{"level":1}' }
const VIA_PROXY = { 'x-forwarded-for': '192.0.2.7', host: 'device.example' }

describe('loopback door', () => {
  it('accepts programs of this device without credentials, and ignores wrong ones', async () => {
    const { atLoopback, failures } = await openDoors()
    expect((await atLoopback()).status).toBe(200)
    expect((await atLoopback({ ...WRITE, headers: basic('wrong') })).status).toBe(200)
    expect(failures.size).toBe(0)
  })

  it('refuses foreign host names, and pages of other sites', async () => {
    const { atLoopback } = await openDoors()
    expect((await atLoopback({ headers: { host: 'device.example' } })).status).toBe(403)
    expect((await atLoopback({ path: '/machine-id', headers: { host: 'device.example' } })).status).toBe(403)
    expect((await atLoopback({ path: '/slotwire/auth', headers: { host: 'device.example' } })).status).toBe(403)
    expect((await atLoopback({ path: '/slotwire/status', headers: { host: 'device.example' } })).status).toBe(403)
    expect((await atLoopback({ headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await atLoopback({ headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  })

  it('serves the open resources, for a proxy', async () => {
    const { atLoopback } = await openDoors()
    expect((await atLoopback({ path: '/machine-id' })).body).toBe(MACHINE_ID)
    expect((await atLoopback({ path: '/ca.pem' })).body).toBe(CA)
    expect((await atLoopback({ path: '/ca.pem', method: 'POST' })).status).toBe(405)
  })

  it('serves the status to programs of this device only', async () => {
    const { atLoopback } = await openDoors()
    const { status, headers, body } = await atLoopback({ path: '/slotwire/status' })
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/json', 'no-store'])
    expect(JSON.parse(body)).toEqual(STATUS)
    expect((await atLoopback({ path: '/slotwire/status', method: 'POST' })).status).toBe(405)
    expect((await atLoopback({ path: '/slotwire/status', headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  })

  it('ignores forwarding headers if no proxy is configured', async () => {
    const { atLoopback, settings, folder } = await openDoors({ proxies: ['127.0.0.9'] })
    const headers = { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7', 'x-real-ip': '192.0.2.7' }
    expect((await atLoopback({ ...WRITE, headers })).status).toBe(200)
    settings.proxies = []
    expect((await atLoopback({ ...WRITE, headers })).status).toBe(200)
    expect(() => readFileSync(`${folder}/audit/writes.jsonl`)).toThrow('ENOENT')
  })
})

describe('requests that a configured proxy forwards to the loopback door', () => {
  it('need a token, like requests from the network', async () => {
    const { atLoopback, token } = await openDoors({ proxies: ['127.0.0.1'] })
    const { status, headers } = await atLoopback({ headers: VIA_PROXY })
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="Slotwire", charset="UTF-8"'])
    expect((await atLoopback({ headers: { ...VIA_PROXY, ...basic(await token('a')) } })).status).toBe(200)
    expect((await atLoopback({ headers: { ...VIA_PROXY, 'x-forwarded-for': '' } })).status).toBe(401)
    expect((await atLoopback({ headers: { ...VIA_PROXY, 'x-forwarded-for': 'nonsense' } })).status).toBe(401)
  })

  it('are audited with the client address from the proxy', async () => {
    const { atLoopback, token, folder } = await openDoors({ proxies: ['127.0.0.1'] })
    const headers = { ...VIA_PROXY, ...basic(await token('line 3 PLC')) }
    expect((await atLoopback({ ...WRITE, headers })).status).toBe(200)
    const entry = JSON.parse(readFileSync(`${folder}/audit/writes.jsonl`, 'utf8')) as unknown
    expect(entry).toMatchObject({ who: 'line 3 PLC', address: '192.0.2.7', result: 200 })
  })

  it('are limited to the rights of the token', async () => {
    const { atLoopback, token } = await openDoors({ proxies: ['127.0.0.1'] })
    const [io, reading] = [await token('io', { services: ['io'] }), await token('reading', { readOnly: true })]
    expect((await atLoopback({ headers: { ...VIA_PROXY, ...basic(io) } })).status).toBe(403)
    expect((await atLoopback({ ...WRITE, headers: { ...VIA_PROXY, ...basic(reading) } })).status).toBe(403)
    for (const path of ['/slotwire/bench', '/slotwire/status'])
      expect((await atLoopback({ path, headers: { ...VIA_PROXY, ...basic(reading) } })).status).toBe(404)
  })

  it('get the open resources without a token', async () => {
    const { atLoopback } = await openDoors({ proxies: ['127.0.0.1'] })
    expect((await atLoopback({ path: '/ca.pem', headers: VIA_PROXY })).body).toBe(CA)
  })

  it('are refused for pages of other sites and allowed for own pages', async () => {
    const { atLoopback, token } = await openDoors({ proxies: ['127.0.0.1'] })
    const headers = { ...VIA_PROXY, ...basic(await token('a')) }
    expect((await atLoopback({ headers: { ...headers, origin: 'https://evil.example' } })).status).toBe(403)
    expect((await atLoopback({ headers: { ...headers, origin: 'https://device.example' } })).status).toBe(200)
  })

  it('do not affect other programs of this device, which need no token', async () => {
    const { atLoopback } = await openDoors({ proxies: ['127.0.0.1'] })
    expect((await atLoopback({ path: FEED })).status).toBe(200)
    expect((await atLoopback({ path: LEVEL, from: '127.0.0.2', headers: { 'x-forwarded-for': '192.0.2.7' } })).status).toBe(200)
  })
})
