import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ManualClock, SystemClock, seededRandom } from '@slotwire/core'
import { defaultChassis } from '@slotwire/device/twin'
import { type Chassis, VolatileMemory } from '@slotwire/twin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { POWER_SERVICE_DEADLINE_MS, powerServiceSource } from './power-manager-command.ts'

const FIGURES = {
  source_3v3: 17_671,
  source_5v0: 22_275,
  source_12v: 28_750,
  source_total: 28_751,
  efficiency_factor_3v3: 88,
  efficiency_factor_5v0: 89,
  efficiency_factor_12v: 100,
}

let respond: (request: IncomingMessage, response: ServerResponse) => void
let requests: string[]
let url: string
let chassis: Chassis
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url} ${request.headers['cache-control']}`)
  respond(request, response)
})

beforeEach(async () => {
  requests = []
  respond = (_request, response) => response.end(JSON.stringify(FIGURES))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  chassis = defaultChassis({ clock: new SystemClock(), random: seededRandom(1), memory: () => new VolatileMemory() })
  await chassis.powerOn()
})

afterEach(async () => {
  chassis.powerOff()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

async function read(at = url) {
  return powerServiceSource(at, new SystemClock())(await chassis.powerDescriptors())
}
const refusal = (reason: string) => ({
  code: 'power-service-not-usable',
  message: `cannot read the limits of the supply from the power service at ${url} (${reason}), so the power budget is unknown: start that service, or name another with slotwire power-manager --power-service`,
})

describe('powerServiceSource', () => {
  it('asks the service for the limits of the power module in slot 1', async () => {
    expect(await read()).toEqual(FIGURES)
    expect(requests).toEqual(['GET /api/power/1.0/1/source no-cache'])
  })

  it('sends no request if there is no power module', async () => {
    chassis.unplug(1)
    expect(await read()).toBeUndefined()
    expect(requests).toEqual([])
  })

  it.each<[string, number, unknown, string]>([
    ['has no such module', 404, { status: 'error' }, 'it responds with status 404'],
    ['redirects', 302, '', 'it responds with status 302'],
    ['omits a figure', 200, { ...FIGURES, source_12v: undefined }, 'source_12v is missing'],
    ['has a figure that is text', 200, { ...FIGURES, source_12v: '7' }, 'source_12v must be'],
    ['has an efficiency above 100 %', 200, { ...FIGURES, efficiency_factor_12v: 101 }, 'efficiency_factor_12v is out of range'],
    ['sends no JSON', 200, '<html>', 'its response is not JSON'],
    ['never stops sending', 200, 'x'.repeat(5000), 'its response is longer than 4096 bytes'],
  ])('rejects with the reason if the service %s', async (_how, status, body, words) => {
    respond = (_request, response) => {
      response.writeHead(status, { location: '/' }).end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    const error = await read().catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'power-service-not-usable', message: expect.stringContaining(words) as string })
  })

  it('rejects if no service listens there', async () => {
    const gone = 'http://127.0.0.1:1'
    await expect(read(gone)).rejects.toThrow(
      /power service at http:\/\/127.0.0.1:1 .*ECONNREFUSED.*: start that service, or name another/,
    )
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['nothing', () => undefined],
    ['half a response', (response) => void response.write('{"source')],
  ])('rejects in time and closes the connection if the service sends %s', async (_what, send) => {
    let closed: Promise<unknown> | undefined
    respond = (request, response) => {
      closed = once(request.socket, 'close')
      send(response)
    }
    const clock = new ManualClock()
    const source = powerServiceSource(url, clock)
    const refused = source(await chassis.powerDescriptors()).catch((error: unknown) => error)
    await expect.poll(() => requests.length).toBe(1)
    await clock.advance(POWER_SERVICE_DEADLINE_MS)
    expect(await refused).toMatchObject(refusal('no answer within 500 ms'))
    expect(clock.pending).toBe(0)
    await closed
  })
})
