import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { type Log, ManualClock, seededRandom } from '@slotwire/core'
import type { Caller, WriteRecord } from '@slotwire/service'
import { afterEach } from 'vitest'
import { toyContract } from '../../../service/src/toy.testkit.ts'
import type { ForwardLimits } from './forward-limits.ts'
import { Forwarder } from './forwarder.ts'

/** A test service behind the forwarder. */
export interface TestUpstream {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** A service whose connections the test handles byte by byte. */
export interface RawService extends TestUpstream {
  readonly connections: Socket[]
  /** Everything received on a connection. */
  receivedOn(connection: number): string
}

/** A forwarder for `upstreams`, with a plain server in front. */
export interface TestForwarder {
  readonly port: number
  readonly forwarder: Forwarder
  readonly clock: ManualClock
  readonly writes: WriteRecord[]
  readonly log: string[]
  /** Number of connected clients. */
  readonly connections: number
  /** Caller of the next requests; undefined: unknown. */
  caller: Caller | undefined
  readonly upstreams: Record<string, string>
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

export const PATH = '/api/toy/1.0/3/level'
export const FEED = '/api/toy/1.0/3/feed'
export const NOTE = '/api/toy/1.0/3/note/1'
export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'
export const CLOSE = 'Connection: close\r\n'
/** Request line and headers with the final empty line. */
export const head = (line: string, headers = CLOSE) => `${line} HTTP/1.1\r\nHost: device.test\r\n${headers}\r\n`
export const post = (body: string, path = PATH) => head(`POST ${path}`, `Content-Length: ${body.length}\r\n${CLOSE}`) + body

/** Opened by a test; closed after it in reverse order. */
const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close()
})

/** Closes the part after the test. */
export function closeAfterTest<Part extends { close(): Promise<void> }>(part: Part): Part {
  opened.push(part)
  return part
}

/** A forwarder for the service `toy`. Both are closed after the test. */
export async function forwardTo(service: TestUpstream, limits: Partial<ForwardLimits> = {}): Promise<TestForwarder> {
  closeAfterTest(service)
  return closeAfterTest(await openForwarder({ toy: service.url }, limits))
}

export async function rawService(onConnection: (socket: Socket, connection: number) => void): Promise<RawService> {
  const connections: Socket[] = []
  const heard: string[] = []
  const server = createTcpServer((socket) => {
    const connection = connections.push(socket) - 1
    heard[connection] = ''
    socket.on('data', (data) => {
      heard[connection] = `${heard[connection] ?? ''}${data.toString('latin1')}`
    })
    socket.on('error', () => undefined)
    onConnection(socket, connection)
  })
  return { ...(await listening(server, connections)), connections, receivedOn: (connection) => heard[connection] ?? '' }
}

/** A service that answers the first request of each connection with these bytes, and closes the connection unless `keepOpen` is set. */
export function scripted(bytes: string | Buffer, options: { readonly keepOpen?: boolean } = {}): Promise<RawService> {
  return rawService((socket) => {
    socket.once('data', () => {
      if (options.keepOpen === true) socket.write(bytes)
      else socket.end(bytes)
    })
  })
}

export async function httpService(listener: RequestListener): Promise<TestUpstream & { readonly server: Server }> {
  const server = createServer(listener)
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => connections.push(socket))
  return { ...(await listening(server, connections)), server }
}

export async function openForwarder(
  upstreams: Record<string, string>,
  limits: Partial<ForwardLimits> = {},
): Promise<TestForwarder> {
  const clock = new ManualClock()
  const writes: WriteRecord[] = []
  const log: string[] = []
  const note = (fields: object, message: string): void => {
    log.push(`${message}: ${'service' in fields ? String(fields.service) : ''}`)
  }
  const keep: Log = { debug: note, info: note, warn: note, error: note }
  const forwarder = new Forwarder({
    upstreams: () => upstreams,
    contracts: [toyContract],
    clock,
    log: keep,
    random: seededRandom(3),
    limits,
    onWrite: (record) => writes.push(record),
  })
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    if (!forwarder.forward(request, response, result.caller)) response.writeHead(418, { 'content-length': 0 }).end()
  }
  const server = createServer(take)
  // The same as a door does.
  Object.assign(server, { httpAllowHalfOpen: true })
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => connections.push(socket))
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false
    take(request, response)
  })
  const listener = await listening(server, connections)
  const result: TestForwarder = {
    port: listener.port,
    forwarder,
    clock,
    writes,
    log,
    get connections() {
      return connections.filter(({ destroyed }) => !destroyed).length
    },
    caller: undefined,
    upstreams,
    close: async () => {
      for (const connection of connections) connection.destroy()
      await Promise.all([forwarder.close(), clock.advance(10_000)])
      await listener.close()
    },
  }
  return result
}

async function listening(server: TcpServer, connections: Socket[]): Promise<TestUpstream> {
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${LOOPBACK}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        for (const connection of connections) connection.destroy()
        server.close(() => resolve())
      }),
  }
}
