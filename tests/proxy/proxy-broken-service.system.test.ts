import { type AddressInfo, createServer, type Socket } from 'node:net'
import { caddyConfig, nginxConfig } from '@slotwire/network/proxy-config'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { converseWith, requestHead } from './proxy-client.testkit.ts'
import { type BehindProxy, startCaddy, startNginx, startProxy } from './proxy-programs.testkit.ts'
import { type DoorUnderTest, MODE, VALUES } from './proxy-session.testkit.ts'
import { certificateFile, certify } from './proxy-world.testkit.ts'

const CLOSE = 'Connection: close\r\n'
const ALLOWED = `HTTP/1.1 204 No Content\r\n${CLOSE}\r\n`
const OK = `HTTP/1.1 200 OK\r\n${CLOSE}Content-Length: 2\r\n\r\n{}`
const UNREACHABLE =
  '{"status":"error","code":502,"message":"the service slotwire cannot be reached, nothing was done: try again in a few seconds"}'
const LOST =
  '{"status":"error","code":502,"message":"the service slotwire sent an incomplete answer: the change may have been made"}'

/** The answers of the service to a token check, and to other requests. Then it closes the connection. */
let auth = ALLOWED
let rest = OK
let passed: string[] = []

function serve(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.on('data', (data) => {
    const head = data.toString('latin1')
    if (!/^[A-Z]+ \//.test(head)) return
    if (head.startsWith('GET /slotwire/auth')) {
      socket.end(auth)
    } else {
      passed.push(head.split('\r\n')[0] ?? '')
      socket.end(rest)
    }
  })
}

type Answers = readonly (readonly [title: string, answer: string])[]

const broken: Answers = [
  ['sends nothing', ''],
  ['stops within its headers', 'HTTP/1.1 200 OK\r\nContent-'],
]
/** nginx takes it for an HTTP/0.9 response, which has no headers, and passes it on. */
const nonsense: Answers = [['sends nonsense', 'nonsense\r\n\r\n']]

function testBrokenService(open: (behind: BehindProxy) => Promise<DoorUnderTest>, answers: Answers): void {
  const folder = temporaryFolder()
  const service = createServer(serve)
  let door: DoorUnderTest

  beforeAll(async () => {
    const certificates = await certify(folder)
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const { port } = service.address() as AddressInfo
    door = await open({ certificateFile: certificateFile(folder), certificates, port })
    await certificates.close()
  }, 20_000)

  afterAll(async () => {
    await door.close()
    service.close()
  })

  const post = () => converseWith(door, `${requestHead(`POST ${MODE}`, { body: '{}' })}{}`)
  const get = () => converseWith(door, requestHead(`GET ${VALUES}`))
  const answersWith = (first: string, second: string): void => {
    auth = first
    rest = second
    passed = []
  }

  it('is forwarded to while it works', async () => {
    answersWith(ALLOWED, OK)
    expect([await get(), await post()]).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 /),
      expect.stringMatching(/^HTTP\/1\.1 200 /),
    ])
  })

  it.each(answers)('causes a 502 that leaves the effect open, and no retry, if it %s', async (_, answer) => {
    answersWith(ALLOWED, answer)
    for (const ask of [get, post]) {
      const text = await ask()
      expect(text).toMatch(/^HTTP\/1\.1 502 /)
      expect(text).toContain('application/json')
      expect(text).toContain(LOST)
    }
    expect(passed).toEqual([`GET ${VALUES} HTTP/1.1`, `POST ${MODE} HTTP/1.1`])
  })

  it.each([
    ['sends nothing', ''],
    ['sends nonsense', 'nonsense\r\n\r\n'],
    ['has failed', OK.replace('200 OK', '500 Oh')],
    ['is stopping', OK.replace('200 OK', '503 Later')],
  ])('allows no request if it %s in a token check', async (_, answer) => {
    answersWith(answer, OK)
    for (const ask of [get, post]) expect(await ask()).toMatch(/^HTTP\/1\.1 50[0-3] /)
    expect(passed).toEqual([])
  })

  it('causes a 502 that excludes any effect if it cannot check a token', async () => {
    answersWith('', OK)
    expect(await post()).toContain(UNREACHABLE)
  })

  it('causes an incomplete response, without an end, if it stops within its body', async () => {
    answersWith(ALLOWED, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a":')
    expect(await get()).toMatch(/Content-Length: 9\r\n[\s\S]*\r\n\r\n\{"a":$/i)
  })
}

describeWith('nginx', 'a broken service behind nginx', (nginx) => {
  testBrokenService(
    (behind) => startProxy(behind, nginxConfig, (folder, text, port) => startNginx(nginx, folder, text, port)),
    broken,
  )
})

describeWith('caddy', 'a broken service behind Caddy', (caddy) => {
  testBrokenService(
    (behind) => startProxy(behind, caddyConfig, (folder, text, port) => startCaddy(caddy, folder, text, port)),
    [...broken, ...nonsense],
  )
})
