import { coreErrors } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { Refused } from './fake-slot.testkit.ts'
import { createToy, type Toy } from './toy.testkit.ts'

const base = '/api/toy/1.0/3'
const json = { 'content-type': 'application/json' }
let toy: Toy

beforeEach(async () => {
  toy = await createToy()
})

async function ask(method: string, url: string, more: { headers?: Record<string, string>; payload?: string | Buffer } = {}) {
  const response = await toy.service.inject({ method: method as 'GET', url, ...more })
  const body = response.body === '' ? undefined : response.json<{ status?: string; code?: number; message?: string }>()
  return { status: response.statusCode, headers: response.headers, body, text: response.body }
}

describe('paths and versions', () => {
  it.each(['/api/toy', '/api/toy/', '/api/toy/1.0', '/api/toy/1.0/', '/api/toy/1.99/', '/api/toy/1.0?x=1'])(
    'list versions and devices at GET %s',
    async (url) => {
      const { status, body, headers } = await ask('GET', url)
      expect(status).toBe(200)
      expect(headers['cache-control']).toBe('no-store')
      expect(body).toEqual({
        driver_session: 'D'.repeat(64),
        version: {
          api: { major: 1, minor: 0, patch: 0 },
          service: { major: 0, minor: 1, patch: 0 },
          module_driver: { major: 0, minor: 2, patch: 0 },
          kernel_driver: { major: 1, minor: 3, patch: 0 },
        },
        devices: [{ slot_number: 3, sdbp_version: { major: 1, minor: 1, patch: 0 }, device_session: 'A'.repeat(64) }],
      })
    },
  )

  it.each([
    ['GET', '/api/toy/2.0/'],
    ['GET', '/api/toy/0.9/3/level'],
    ['GET', `/api/toy/1.1/3/level`],
    ['PUT', '/api/toy/2.0/3/level'],
    ['POST', '/api/toy/2.0/anything/at/all'],
  ])('return 400 for the unsupported version in %s %s', async (method, url) => {
    const { status, body } = await ask(method, url)
    expect(status).toBe(400)
    expect(body?.message).toMatch(/^API version \d\.\d is not supported: use 1\.0$/)
  })

  it.each([
    ['GET', '/api'],
    ['GET', '/api/tay/1.0/'],
    ['GET', '/api/toy/v1/'],
    ['GET', '/api/toy/1.0.0/'],
    ['GET', '/api/toy/01.0/'],
    ['GET', '/api/toy/1.0/3/levels'],
    ['GET', '/api/toy/1.0/3/Level'],
    ['GET', '/api/toy/1.0/three/level'],
    ['GET', '/api/toy/1.0/03/level'],
    ['GET', '/api/toy/1.0/+3/level'],
    ['GET', '/api/toy/1.0//level'],
    ['GET', '/api/toy/1.0%2F3/level'],
    ['GET', '/api/toy/1.0/3/note/x'],
    ['DELETE', '/api/toy/1.0/three/level'],
    ['POST', '/nowhere'],
    ['PROPFIND', '/nowhere'],
    ['GET', '/slotwire/docs/../../package.json'],
  ])('return 404 for %s %s', async (method, url) => {
    const { status, body, headers } = await ask(method, url, { headers: { 'content-type': 'nonsense' } })
    expect(body).toEqual({ status: 'error', code: 404, message: 'Not Found' })
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('application/json')
  })

  it('return the error for an empty slot before those for method and body', async () => {
    const answers = await Promise.all([
      ask('GET', '/api/toy/1.0/4/level'),
      ask('PUT', '/api/toy/1.0/4/level'),
      ask('POST', '/api/toy/1.0/4/level'),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body?.message).toContain('slot 4 holds no usable toy module')
    }
    const huge = await ask('GET', '/api/toy/1.0/99999999999999999999/level')
    expect(huge.body?.message).toContain('slot 99999999999999999999')
  })

  it('return the error for a missing item before that for the method', async () => {
    expect((await ask('GET', `${base}/note/7`)).body?.message).toBe('item 7 does not exist: 1…6')
    expect((await ask('POST', `${base}/note/0`)).status).toBe(404)
  })

  it('refuse invalid percent-encoding', async () => {
    const { status, body } = await ask('GET', '/api/toy/%zz')
    expect([status, body?.code]).toEqual([400, 400])
  })

  it('accept valid percent-encoding', async () => {
    expect((await ask('GET', '/api/toy/1.0/%33/level')).body).toEqual({ level: 7 })
  })
})

it.each(['/', '/api/toy/', '/nowhere', '/slotwire/metrics', '/slotwire/readyz', '/api/toy/openapi.json'])(
  'forbids browsers to take %s for another type',
  async (path) => {
    expect((await toy.service.inject(path)).headers['x-content-type-options']).toBe('nosniff')
  },
)

describe('methods', () => {
  it.each([
    ['PUT', `${base}/level`, 'GET, HEAD, POST'],
    ['POST', `${base}/descriptor`, 'GET, HEAD'],
    ['OPTIONS', `${base}/reset`, 'POST'],
    ['PROPFIND', `${base}/reset`, 'POST'],
    ['POST', '/api/toy/1.0/', 'GET, HEAD'],
    ['HEAD', `${base}/note/1`, 'GET'],
    ['HEAD', `${base}/feed`, 'GET'],
    ['POST', '/slotwire/livez', 'GET, HEAD'],
  ])('return 405 for %s %s and allow %s', async (method, url, allow) => {
    const { status, headers } = await ask(method, url, { payload: method === 'POST' ? '<' : '' })
    expect(status).toBe(405)
    expect(headers['allow']).toBe(allow)
  })
})

describe('bodies', () => {
  const others = [
    undefined,
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonx',
    'application/json, text/plain',
    '',
  ]
  const pages = [{ origin: 'http://localhost' }, { 'sec-fetch-site': 'same-origin' }, { referer: 'http://localhost/' }]
  const typed = (type: string | undefined): Record<string, string> => (type === undefined ? {} : { 'content-type': type })

  it.each(others.flatMap((type) => pages.map((page) => [type, page] as const)))(
    'refuse the content type %s of a web page: %j',
    async (type, page) => {
      const answer = await ask('POST', `${base}/level`, { headers: { ...typed(type), ...page }, payload: '{"level":1}' })
      expect(answer.status).toBe(415)
      expect(toy.slot.sent).toEqual([])
    },
  )

  it.each([...others, 'application/x-www-form-urlencoded'])('accept the content type %s of a program', async (type) => {
    const headers = { ...typed(type), referer: '' }
    expect((await ask('POST', `${base}/level`, { headers, payload: '{"level":1}' })).status).toBe(200)
    expect((await ask('POST', `${base}/level`, { headers, payload: 'level=1' })).status).toBe(400)
  })

  it.each(['application/json', 'Application/JSON', 'application/json;charset=UTF-8', 'application/json; charset="utf-8"'])(
    'accept the content type %s',
    async (type) => {
      expect((await ask('POST', `${base}/level`, { headers: { 'content-type': type }, payload: '{"level":1}' })).status).toBe(200)
    },
  )

  it.each([
    ['an empty body', ''],
    ['half an object', '{"level":'],
    ['two values', '{}{}'],
    ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a lone NUL', '\0'],
  ])('return 400 for %s', async (_, payload) => {
    const { status, body } = await ask('POST', `${base}/level`, { headers: json, payload })
    expect([status, body?.code]).toEqual([400, 400])
  })

  it.each([
    '{}',
    '[]',
    'null',
    '"x"',
    '{"level":10}',
    '{"level":"1"}',
    '{"Level":1}',
    '{"level":1,"__proto__":{}}',
    '{"level":1,"x":2}',
  ])('return 422 for %s', async (payload) => {
    const { status, body } = await ask('POST', `${base}/level`, { headers: json, payload })
    expect([status, body?.code]).toEqual([422, 422])
    expect(toy.slot.sent).toEqual([])
  })

  it('may have up to 65536 bytes', async () => {
    const fill = (size: number) => `{"level":1${' '.repeat(size - 11)}}`
    expect((await ask('POST', `${base}/level`, { headers: json, payload: fill(65_536) })).status).toBe(200)
    expect((await ask('POST', `${base}/level`, { headers: json, payload: fill(65_537) })).status).toBe(413)
  })
})

describe('errors', () => {
  it("contain the reason of the module's refusal", async () => {
    toy.slot.script = { FEED: new Refused(1) }
    const { status, body } = await ask('GET', `${base}/feed`)
    expect([status, body?.message]).toEqual([400, 'the module refused FEED: not today'])
  })

  it('contain Retry-After if a queue is full', async () => {
    toy.slot.script = { FEED: coreErrors.queueFull({ slot: 3, limit: 64 }) }
    const { status, headers } = await ask('GET', `${base}/feed`)
    expect([status, headers['retry-after']]).toEqual([503, '1'])
  })

  it('hide the details of a bug', async () => {
    toy.slot.script = { FEED: new TypeError('secret of the inside') }
    const { status, text } = await ask('GET', `${base}/feed`)
    expect(status).toBe(500)
    expect(text).not.toContain('secret')
  })

  it('are 502 below /api/ while the device restarts, and unchanged elsewhere', async () => {
    toy.device.state = 'restarting'
    for (const url of ['/api/toy', `${base}/level`, '/api/nowhere/at/all']) expect((await ask('GET', url)).status).toBe(502)
    expect((await ask('PUT', `${base}/level`)).status).toBe(502)
    expect((await ask('GET', '/slotwire/livez')).status).toBe(200)
    expect((await ask('GET', '/slotwire/readyz')).status).toBe(502)
  })

  it('are 502 for requests during which a restart began', async () => {
    toy.slot.script = {
      GET_LEVEL: () => {
        toy.device.state = 'restarting'
        return coreErrors.moduleLost({ slot: 3 })
      },
    }
    expect((await ask('GET', `${base}/level`)).status).toBe(502)
  })

  it('do not replace the success of a write that caused the restart', async () => {
    toy.slot.script = {
      FEED: () => {
        toy.device.state = 'restarting'
        return {}
      },
    }
    expect((await ask('GET', `${base}/feed`)).body).toEqual({ status: 'success' })
  })

  it('leave a module with an unreadable descriptor in the list', async () => {
    toy.slot.descriptorError = coreErrors.descriptorNotRead({ slot: 3 })
    expect((await ask('GET', '/api/toy')).body).toMatchObject({
      devices: [{ slot_number: 3, sdbp_version: { major: 1, minor: 1, patch: 0 } }],
    })
    expect((await ask('GET', `${base}/descriptor`)).status).toBe(500)
  })

  it('do not include warnings: /slotwire/readyz lists them with 200', async () => {
    const warnings: string[] = []
    const warned = await createToy({ warnings: () => warnings })
    const readyz = async () => (await warned.service.inject('/slotwire/readyz')).json<unknown>()
    expect(await readyz()).toEqual({ status: 'success' })
    warnings.push('the disk is full')
    expect(await readyz()).toEqual({ status: 'success', warnings: ['the disk is full'] })
  })

  it('are 503 at /slotwire/readyz until the modules are known', async () => {
    toy.device.ready = false
    expect((await ask('GET', '/slotwire/readyz')).status).toBe(503)
  })
})

describe('generic endpoints', () => {
  it('reset the module at POST reset', async () => {
    expect((await ask('POST', `${base}/reset`, { headers: json, payload: '{"reset":"yes"}' })).body).toEqual({
      status: 'success',
    })
    expect(toy.slot.resets).toBe(1)
    expect((await ask('POST', `${base}/reset`, { headers: json, payload: '{"reset":"Yes"}' })).status).toBe(422)
    expect(toy.slot.resets).toBe(1)
  })

  it('return the fields of the specification at GET descriptor', async () => {
    expect((await ask('GET', `${base}/descriptor`)).body).toEqual({
      slot_number: 3,
      vendor_product_id: 'example.com/toy',
      product_name: 'Toy',
      vendor_name: 'Example',
      serial_code: '0000-1111-2222-3333-4444-5555-6666-7777',
      fw_version: { stability: 'S', version: { major: 1, minor: 2, patch: 3 } },
      hw_version: { major: 2, minor: 0, patch: 0 },
      protocol_version: { major: 1, minor: 1, patch: 0 },
      bootloader_state: 'supported',
      max_frame_size: 64,
      max_power_12v: 12,
      max_power_5v0: 5,
      max_power_3v3: 300,
      max_sclk_speed: 20_000,
    })
  })
})
