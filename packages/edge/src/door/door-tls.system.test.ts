import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { TLSSocket } from 'node:tls'
import { type Log, silentLog } from '@slotwire/core'
import type { HttpLimits, Service } from '@slotwire/service'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { createToy, heldReading, type Toy } from '../../../service/src/toy.testkit.ts'
import { listen } from './door.ts'
import type { OpenDoor, ServerCertificate } from './listener-policy.ts'
import { answersIn, dial, readToEnd, readUntil, talk } from './socket.testkit.ts'
import { dialTls, makeCertificate, presentedName } from './tls.testkit.ts'

const LEVEL = 'GET /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\n'
const END = 'Connection: close\r\n\r\n'

describeWith('openssl', 'TLS door', (openssl) => {
  let first: ServerCertificate
  let second: ServerCertificate
  let toy: Toy
  let door: OpenDoor
  let port = 0
  const errors: unknown[] = []

  beforeAll(async () => {
    first = await makeCertificate(openssl, 'first')
    second = await makeCertificate(openssl, 'second')
  })

  beforeEach(async () => {
    errors.length = 0
    const log: Log = { ...silentLog, warn: (fields) => errors.push(fields), error: (fields) => errors.push(fields) }
    toy = await createToy({ log })
    door = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { tls: first })
    port = door.address.port
  })

  afterEach(async () => {
    await toy.service.close()
    expect(errors).toEqual([])
  })

  const ask = async (options = {}): Promise<number | undefined> => {
    const socket = await dialTls(port, options)
    const all = readToEnd(socket)
    socket.write(`${LEVEL}${END}`)
    return answersIn(await all)[0]?.status
  }

  it.each([
    ['TLSv1.2', /^ECDHE-ECDSA-(AES\d+-GCM|CHACHA20)/],
    ['TLSv1.3', /^TLS_/],
  ] as const)('serves over %s', async (version, cipher) => {
    const options = { minVersion: version, maxVersion: version }
    expect((await dialTls(port, options)).getCipher().name).toMatch(cipher)
    expect(await ask(options)).toBe(200)
  })

  it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }
    await expect(ask(old)).rejects.toThrow(/alert protocol version|unsupported protocol/i)
  })

  it.each(['AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'DHE-RSA-AES128-GCM-SHA256', 'NULL'])(
    'refuses the cipher %s of TLS 1.2, without forward secrecy or authenticated encryption',
    (cipher) => expect(ask({ maxVersion: 'TLSv1.2', ciphers: `${cipher}:@SECLEVEL=0` })).rejects.toThrow(/handshake failure/i),
  )

  it('refuses a renegotiation by the client', async () => {
    const socket = await dialTls(port, { maxVersion: 'TLSv1.2' })
    const over = readToEnd(socket)
    const error = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve)
      socket.renegotiate({}, resolve)
    })
    expect(error?.message).toMatch(/no renegotiation/i)
    await over
    expect(await ask()).toBe(200)
  })

  it('asks a client that sends plain HTTP to use https', async () => {
    const [answer, ...more] = answersIn(await talk(port, `${LEVEL}${END}`))
    expect(more).toEqual([])
    expect([answer?.status, answer?.headers['connection']]).toEqual([400, 'close'])
    expect(answer?.body).toContain('this port uses TLS: use https')
  })

  it.each([
    ['random bytes', Buffer.from('\0\x01\x02nonsense of some length\r\n\r\n')],
    ['an invalid TLS record', Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03])],
  ])('closes a connection with %s and serves the next', async (_, bytes) => {
    await talk(port, bytes)
    expect(await ask()).toBe(200)
  })

  it.each(['resetAndDestroy', 'destroy', 'end'] as const)(
    'closes a connection that the client closes during the handshake: %s',
    async (goAway) => {
      const patient = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { tls: first, connectionsPerAddress: () => 1 })
      for (const bytes of [Buffer.from([0x16, 0x03, 0x01]), `${LEVEL}\r\n`]) {
        const socket = await dial(patient.address.port)
        const over = readToEnd(socket)
        socket.write(bytes)
        socket[goAway]()
        await over
      }
      // The limit is one connection, so the earlier ones must be closed.
      await expect.poll(() => dialTls(patient.address.port).then((socket) => socket.destroy())).toBeInstanceOf(TLSSocket)
    },
  )

  it('closes connections above the limit per address at once', async () => {
    const strict = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { tls: first, connectionsPerAddress: () => 1 })
    const socket = await dialTls(strict.address.port)
    await expect(dialTls(strict.address.port)).rejects.toThrow(/disconnected|ECONNRESET/)
    socket.write(`GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\n${END}`)
    expect(answersIn(await readToEnd(socket)).map(({ status }) => status)).toEqual([200])
  })

  it('limits the number of connections, handshakes included', async () => {
    const { service } = await createToy({ limits: { connections: 2 } })
    const bounded = (await listen(service, { host: '127.0.0.1', port: 0 }, { tls: first })).address.port
    const [shaking, socket] = [await dial(bounded), await dialTls(bounded)]
    shaking.write(Buffer.from([0x16, 0x03, 0x01]))
    await expect(dialTls(bounded)).rejects.toThrow(/disconnected|ECONNRESET/)
    const over = once(socket, 'close')
    socket.end()
    await over
    // One has closed, so one more is accepted, but no second one.
    await expect.poll(() => dialTls(bounded).catch(() => undefined)).toBeInstanceOf(TLSSocket)
    await expect(dialTls(bounded)).rejects.toThrow(/disconnected|ECONNRESET/)
    shaking.destroy()
    await service.close()
  })

  it('answers a client that ends its side while it waits', async () => {
    const { reading, finish } = heldReading(toy.slot)
    const socket = await dialTls(port)
    socket.allowHalfOpen = true
    const all = readToEnd(socket)
    socket.end(`${LEVEL}\r\n`)
    await reading
    // The end has arrived when a later request on another connection is answered.
    const other = await dialTls(port)
    const livez = readToEnd(other)
    other.write(`GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\n${END}`)
    await livez
    finish({ level: 5 })
    expect(answersIn(await all).map(({ body }) => body)).toEqual(['{"level":5}\n'])
    socket.end()
  })

  describe('timeouts', () => {
    const openImpatient = async (limits: Partial<HttpLimits>): Promise<[Service, number]> => {
      const { service } = await createToy({ limits })
      return [service, (await listen(service, { host: '127.0.0.1', port: 0 }, { tls: first })).address.port]
    }

    it.each([
      ['no bytes', ''],
      ['half a ClientHello', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00])],
    ])('closes a connection with an unfinished handshake: %s', async (_, bytes) => {
      const [service, impatient] = await openImpatient({ handshakeTimeoutMs: 50 })
      expect(await talk(impatient, bytes)).toBe('')
      await service.close()
    })

    it('answers 408 when no request follows the handshake', async () => {
      const [service, impatient] = await openImpatient({ headersTimeoutMs: 50, timeoutCheckMs: 10 })
      expect(answersIn(await readToEnd(await dialTls(impatient))).map(({ status }) => status)).toEqual([408])
      await service.close()
    })
  })

  describe('renewCertificate', () => {
    it('presents the new certificate to new connections', async () => {
      expect(presentedName(await dialTls(port))).toBe('first')
      door.renewCertificate(second)
      const socket = await dialTls(port, { rejectUnauthorized: true, ca: second.cert })
      expect([presentedName(socket), socket.authorized]).toEqual(['second', true])
    })

    it('keeps open connections', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
      const ports: unknown[] = []
      const get = async (): Promise<void> => {
        const sent = request({ agent, host: '127.0.0.1', port, path: '/api/toy/1.0/3/level' }).end()
        const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }]
        expect(response.statusCode).toBe(200)
        ports.push(sent.socket?.localPort)
        response.resume()
        await once(response, 'end')
      }
      await get()
      door.renewCertificate(second)
      await get()
      expect(ports[0]).toBe(ports[1])
      agent.destroy()
    })

    it.each(['TLSv1.2', 'TLSv1.3'] as const)('refuses to resume older sessions: %s', async (maxVersion) => {
      const resumed = async (session: Buffer) => {
        const socket = await dialTls(port, { maxVersion, session })
        const isReused = socket.isSessionReused()
        socket.destroy()
        return isReused
      }
      const old = await sessionOf(maxVersion)
      expect(await resumed(old)).toBe(true)
      door.renewCertificate(second)
      expect(await resumed(old)).toBe(false)
      expect(await resumed(await sessionOf(maxVersion))).toBe(true)
    })

    it('keeps the rules for versions and ciphers', async () => {
      door.renewCertificate(second)
      const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
      await expect(ask(old)).rejects.toThrow(/alert protocol version|unsupported protocol/i)
      await expect(ask({ maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' })).rejects.toThrow(/handshake failure/i)
    })

    it('changes nothing if certificate and key do not match', async () => {
      expect(() => door.renewCertificate({ cert: second.cert, key: first.key })).toThrow(/key values mismatch/)
      expect(() => door.renewCertificate({ cert: 'none', key: first.key })).toThrow()
      expect(presentedName(await dialTls(port))).toBe('first')
    })

    async function sessionOf(maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<Buffer> {
      const socket = await dialTls(port, { maxVersion })
      // With TLS 1.3, session tickets follow the handshake.
      socket.write(`${LEVEL}\r\n`)
      await readUntil(socket, 'level')
      const session = socket.getSession()
      socket.destroy()
      if (session === undefined) throw new Error('the server gave no session')
      return session
    }
  })

  describe('close', () => {
    it('finishes running requests and closes idle connections at once', async () => {
      const { reading, finish } = heldReading(toy.slot)
      const [raw, silent, busy] = [await dial(port), await dialTls(port), await dialTls(port)]
      const endings = [readToEnd(raw), readToEnd(silent), readToEnd(busy)]
      busy.write(`${LEVEL}\r\n`)
      await reading
      const closed = door.close()
      expect([await endings[0], await endings[1]]).toEqual(['', ''])
      finish({ level: 5 })
      const [answer] = answersIn((await endings[2]) ?? '')
      expect([answer?.status, answer?.body, answer?.headers['connection']]).toEqual([200, '{"level":5}\n', 'close'])
      await closed
    })

    it('destroys connections that do not end in time', async () => {
      const { reading } = heldReading(toy.slot)
      const [shaking, busy] = [await dial(port), await dialTls(port)]
      const endings = [readToEnd(shaking), readToEnd(busy)]
      shaking.write(Buffer.from([0x16, 0x03, 0x01]))
      busy.write(`${LEVEL}\r\n`)
      await reading
      const closed = door.close()
      await toy.clock.advance(1500)
      await closed
      expect(answersIn((await endings[1]) ?? '').map(({ status }) => status)).toEqual([503])
      expect(await endings[0]).toBe('')
    })
  })
})

it('a door without TLS refuses to renew a certificate', async () => {
  const toy = await createToy()
  const door = await listen(toy.service, { host: '127.0.0.1', port: 0 })
  expect(() => door.renewCertificate({ cert: '', key: '' })).toThrow('plain HTTP')
  await toy.service.close()
})
