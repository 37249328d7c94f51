import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createToy, type Toy } from '../../../service/src/toy.testkit.ts'
import { listen } from '../door/door.ts'
import type { OpenDoor } from '../door/listener-policy.ts'
import { answersIn, talk } from '../door/socket.testkit.ts'
import { guardLoopback, guardOrigin } from './page-guard.ts'

const LEVEL = '/api/toy/1.0/3/level'
let toy: Toy
let loopback: OpenDoor
let network: OpenDoor
/** A loopback door behind a proxy of the operator. */
let proxied: OpenDoor
const PROXY_NAMES = { device: ['press-4', 'press-4.local', 'press.example.org'], services: ['io', 'bmc'] }

beforeAll(async () => {
  toy = await createToy()
  loopback = await listen(toy.service, { host: '127.0.0.1', port: 0 })
  const checkProxied = (request: Parameters<typeof guardLoopback>[0]) => {
    const answer = guardLoopback(request, () => PROXY_NAMES)
    return answer === undefined ? { caller: { door: 'loopback', address: '', readOnly: false } as const } : { answer }
  }
  proxied = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { checkAccess: checkProxied })
  const checkAccess = (request: Parameters<typeof guardOrigin>[0]) => {
    const answer = guardOrigin(request)
    return answer === undefined ? { caller: { door: 'network', address: '', readOnly: false } as const } : { answer }
  }
  network = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { checkAccess })
})

afterAll(() => toy.service.close())

/** Status and message of the response to a GET with these headers. */
async function ask({ address }: OpenDoor, lines: readonly string[], target = LEVEL, version = '1.1') {
  const head = [`GET ${target} HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n')
  const [answer, ...more] = answersIn(await talk(address.port, Buffer.from(head, 'latin1')))
  expect(more).toEqual([])
  const { message } = JSON.parse(answer?.body ?? '') as { message?: string }
  return { status: answer?.status, message }
}

describe('Host at the loopback door', () => {
  it.each([
    ...'127.0.0.1 127.0.0.1:8080 127.0.0.1. 127.255.255.254:1 localhost LocalHost:80 localhost.'.split(' '),
    ...'localhost.:65535 slotwire.localhost a.b-c.LOCALHOST:3000 [::1] [::1]:443 [0:0:0:0:0:0:0:1]'.split(' '),
    ...'[::ffff:127.0.0.1] localhost:'.split(' '),
  ])('accepts %s', async (host) => expect(await ask(loopback, [`Host: ${host}`])).toMatchObject({ status: 200 }))

  it('may be missing in HTTP/1.0', async () => expect(await ask(loopback, [], LEVEL, '1.0')).toMatchObject({ status: 200 }))

  it.each([
    'example.org',
    'example.org:8080',
    'localhost.example.org',
    '127.0.0.1.example.org',
    '127.0.0.1.nip.io',
    'notlocalhost',
    '.localhost',
    'a..localhost',
    'localhost..',
    'localhost:65536',
    'localhost:80:80',
    'localhost:http',
    'localhost/x',
    'localhost@example.org',
    'user@localhost',
    'example.org#localhost',
    'localhost, example.org',
    'localhost example.org',
    'l\u00f6calhost',
    '128.0.0.1',
    '127.0.0.256',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '0.0.0.0',
    '192.168.1.5',
    '10.0.0.1:80',
    '::1',
    '[::]',
    '[::2]',
    '[::1',
    '[fe80::1%25lo]',
    '[localhost]',
    '[::ffff:10.0.0.1]',
    '[1.2.3.4]',
    'device.local',
    '',
  ])('refuses %j: 403', async (host) => {
    const { status, message } = await ask(loopback, [`Host: ${host}`])
    expect(status).toBe(403)
    expect(message).toContain('the Host of the request must be localhost, 127.0.0.1 or [::1]')
  })

  it.each([`http://localhost${LEVEL}`, `http://127.0.0.1:80${LEVEL}`, `HTTP://[::1]:9${LEVEL}`])(
    'accepts the target %s',
    async (target) => expect(await ask(loopback, ['Host: localhost'], target)).toMatchObject({ status: 200 }),
  )

  it.each([
    `http://example.org${LEVEL}`,
    `http://localhost@example.org${LEVEL}`,
    `http://user@localhost${LEVEL}`,
    `https://example.org:443${LEVEL}`,
    `http://localhost.example.org${LEVEL}`,
    'ftp://example.org/',
  ])('refuses the target %s', async (target) =>
    expect(await ask(loopback, ['Host: localhost'], target)).toMatchObject({ status: 403 }),
  )

  it('refuses a foreign Host header with a local target', async () =>
    expect(await ask(loopback, ['Host: example.org'], `http://localhost${LEVEL}`)).toMatchObject({ status: 403 }))

  it('is checked before the path, so that strangers learn nothing about paths', async () => {
    for (const target of ['/', '/nowhere', '/slotwire/livez', '/slotwire/docs', '/api/toy/1.0/99/level'])
      expect(await ask(loopback, ['Host: example.org'], target)).toMatchObject({ status: 403 })
  })
})

describe('pages at the loopback door', () => {
  it.each([
    ['Origin: http://localhost'],
    ['Origin: http://localhost:5173'],
    ['Origin: https://127.0.0.1:8443'],
    ['Origin: http://[::1]:8080'],
    ['Origin: http://app.localhost'],
    ['Origin: tauri://localhost'],
    ['Referer: http://localhost:5173/page?query=1#part'],
    ['Referer: http://127.0.0.1'],
    ['Referer: tauri://localhost/'],
    ['Referer: '],
    ['Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Site: same-site'],
    ['Sec-Fetch-Site: none'],
    ['Origin: http://localhost:5173', 'Sec-Fetch-Site: same-site'],
  ])('are accepted from this device: %s', async (...lines) =>
    expect(await ask(loopback, ['Host: localhost', ...lines])).toMatchObject({ status: 200 }),
  )

  it.each([
    ['Origin: https://example.org'],
    ['Origin: http://localhost.example.org'],
    ['Origin: null'],
    ['Origin: '],
    ['Origin: garbage'],
    ['Origin: localhost'],
    ['Origin: http://'],
    ['Origin: http:localhost'],
    ['Origin: http://localhost/path'],
    ['Origin: http://localhost@example.org'],
    ['Origin: http://localhost http://example.org'],
    ['Origin: http://localhost, http://example.org'],
    ['Origin: http://localhost', 'Origin: http://example.org'],
    ['Origin: file://'],
    ['Origin: chrome-extension://abcdefghijklmnop'],
    ['Origin: http://192.168.1.5'],
    ['Referer: http://example.org/page'],
    ['Referer: http://localhost.example.org/'],
    ['Referer: http://localhost@example.org/'],
    ['Referer: http://192.168.1.5/?http://localhost/'],
    ['Referer: garbage'],
    ['Referer: //localhost/'],
    ['Referer: about:blank'],
    ['Origin: http://localhost', 'Referer: http://example.org/'],
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: Cross-Site'],
    ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
    ['Origin: http://localhost', 'Sec-Fetch-Site: cross-site'],
  ])('are refused from other sites: %s', async (...lines) => {
    const { status, message } = await ask(loopback, ['Host: localhost', ...lines])
    expect(status).toBe(403)
    expect(message).toContain('a page of another site caused the request (Origin, Sec-Fetch-Site)')
  })

  it('are refused from other sites without a Host too', async () =>
    expect(await ask(loopback, ['Origin: https://example.org'], LEVEL, '1.0')).toMatchObject({ status: 403 }))
})

describe('a loopback door with names for a proxy', () => {
  /** `PORT` in a line stands for the port of the door. */
  const askIt = (lines: readonly string[], target?: string) =>
    ask(
      proxied,
      lines.map((line) => line.replace('PORT', String(proxied.address.port))),
      target,
    )

  it.each([
    ['Host: io'],
    ['Host: BMC'],
    ['Host: press-4'],
    ['Host: press-4.local:8443'],
    ['Host: press.example.org.'],
    ['Host: press-4.local', 'Origin: https://press-4.local', 'Sec-Fetch-Site: same-origin'],
    ['Host: press-4.local:8443', 'Origin: https://press-4.local:8443'],
    ['Host: io', 'Origin: https://press.example.org', 'Referer: https://press.example.org/page'],
    ['Host: localhost', 'Origin: http://localhost:5173'],
    ['Host: 127.0.0.1:PORT'],
  ])('accepts %s', async (...lines) => {
    expect(await askIt(lines)).toMatchObject({ status: 200 })
    expect(await ask(loopback, ['Host: io'])).toMatchObject({ status: 403 })
  })

  it('accepts such a name in an absolute target', async () => {
    expect(await askIt(['Host: io'], `http://io${LEVEL}`)).toMatchObject({ status: 200 })
    expect(await askIt(['Host: io'], `http://io:${proxied.address.port}${LEVEL}`)).toMatchObject({ status: 403 })
  })

  it.each([
    // A browser that was led here by the name sends the port of the door.
    ['Host: io:PORT'],
    ['Host: press-4.local:PORT', 'Origin: http://press-4.local:PORT'],
    ['Host: press.example.org:PORT'],
    ['Host: other.example.org'],
    ['Host: power'],
    ['Host: io.local'],
    ['Host: io', 'Origin: http://io'],
    ['Host: io', 'Origin: https://evil.example'],
    ['Host: press-4.local', 'Origin: https://evil.example'],
    ['Host: press-4.local', 'Origin: null'],
    ['Host: press-4.local', 'Origin: tauri://press-4.local'],
    ['Host: press-4.local', 'Referer: https://evil.example/press-4.local'],
    ['Host: press-4.local', 'Sec-Fetch-Site: cross-site'],
    ['Host: 127.0.0.1:PORT', 'Origin: https://press-4.local'],
    ['Host: io', 'X-Forwarded-Host: localhost', 'Origin: https://evil.example'],
    ['Host: evil.example', 'X-Forwarded-Host: io'],
  ])('refuses %s', async (...lines) => expect(await askIt(lines)).toMatchObject({ status: 403 }))

  it.each([80, 443])('accepts no such name on port %i, which browsers leave out', (localPort) => {
    const request = { url: LEVEL, headers: { host: 'io' }, socket: { localPort } }
    expect(guardLoopback(request, () => PROXY_NAMES)).toMatchObject({ status: 403 })
    expect(guardLoopback({ ...request, socket: { localPort: 8002 } }, () => PROXY_NAMES)).toBeUndefined()
  })
})

describe('pages at a door with credentials', () => {
  it.each([
    ['Host: device.local'],
    ['Host: device.local', 'Origin: http://device.local'],
    ['Host: Device.local:80', 'Origin: http://device.local'],
    ['Host: device.local:8080', 'Origin: http://device.local:8080'],
    ['Host: device.local.', 'Origin: http://device.local'],
    ['Host: [fd00::1]:8080', 'Origin: http://[fd00::1]:8080', 'Sec-Fetch-Site: same-origin'],
    ['Host: device.local', 'Sec-Fetch-Site: none'],
    ['Host: device.local', 'Referer: http://device.local/slotwire/docs?query=1#part'],
    ['Host: Device.local:80', 'Referer: http://device.local'],
    ['Host: device.local:8080', 'Referer: http://device.local:8080/'],
    ['Host: [fd00::1]:8080', 'Referer: http://[fd00::1]:8080/page'],
    ['Host: device.local', 'Referer: https://device.local/page'],
    ['Host: device.local', 'Referer: '],
    // A proxy in front may use TLS.
    ['Host: device.local', 'Origin: https://device.local'],
  ])('are accepted from the same site: %s', async (...lines) => expect(await ask(network, lines)).toMatchObject({ status: 200 }))

  it.each([
    ['Host: device.local', 'Origin: http://example.org'],
    ['Host: device.local', 'Origin: http://localhost'],
    ['Host: device.local', 'Origin: null'],
    ['Host: device.local', 'Origin: http://device.local:8080'],
    ['Host: device.local:8080', 'Origin: http://device.local'],
    ['Host: device.local', 'Origin: http://device.local.example.org'],
    ['Host: device.local', 'Origin: app://device.local'],
    ['Host: device.local', 'Origin: http://device.local/'],
    ['Host: device.local', 'Referer: http://example.org/page'],
    ['Host: device.local', 'Referer: http://localhost/'],
    ['Host: device.local', 'Referer: http://device.local:8080/'],
    ['Host: device.local:8080', 'Referer: http://device.local/'],
    ['Host: device.local', 'Referer: http://device.local.example.org/'],
    ['Host: device.local', 'Referer: http://device.local@example.org/'],
    ['Host: device.local', 'Referer: http://example.org/http://device.local/'],
    ['Host: device.local', 'Referer: garbage'],
    ['Host: device.local', 'Referer: /page'],
    ['Host: device.local', 'Origin: http://device.local', 'Referer: http://example.org/'],
    ['Host: device.local', 'Sec-Fetch-Site: cross-site'],
    ['Host: device.local', 'Sec-Fetch-Site: same-site'],
    ['Host: device.local', 'Origin: http://device.local', 'Sec-Fetch-Site: same-site'],
    ['Host: no host', 'Origin: http://no host'],
  ])('are refused from other sites: %s', async (...lines) =>
    expect(await ask(network, lines)).toMatchObject({ status: 403, message: expect.stringContaining('another site') as string }),
  )

  it('are refused without a Host', async () =>
    expect(await ask(network, ['Origin: http://device.local'], LEVEL, '1.0')).toMatchObject({ status: 403 }))
})
