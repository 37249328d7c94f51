import type { Socket } from 'node:net'
import { connect as connectPlain } from 'node:net'
import { connect as connectTls, type SecureContextOptions } from 'node:tls'
import { answersIn, type RawAnswer, readToEnd } from '../../packages/edge/src/door/socket.testkit.ts'

/** A network door of any kind, for clients. */
export interface FrontDoor {
  readonly httpsPort: number
  readonly httpPort: number
  /** The authority that clients trust, in PEM. */
  readonly authority: string
}

export interface Asking {
  readonly token?: string | undefined
  readonly headers?: readonly string[]
  readonly body?: string
  /** The client's IP address on this machine. */
  readonly from?: string
  /** Without TLS. */
  readonly plain?: boolean
}

/** Credentials of a token, as a header. */
export function basic(token: string): string {
  return `Authorization: Basic ${Buffer.from(`token:${token}`).toString('base64')}`
}

/** The head of a request, as bytes; by default the last request of its connection. */
export function requestHead(line: string, { token, headers = [], body }: Asking = {}, connection = 'close'): string {
  const lines = [
    `${line} HTTP/1.1`,
    'Host: localhost',
    `Connection: ${connection}`,
    ...(token === undefined ? [] : [basic(token)]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

export function dialDoor(door: FrontDoor, { from = '127.0.0.1', plain = false }: Asking = {}): Promise<Socket> {
  const at = { host: '127.0.0.1', localAddress: from }
  return new Promise((resolve, reject) => {
    const socket = plain
      ? connectPlain({ ...at, port: door.httpPort }, () => resolve(socket))
      : connectTls({ ...at, port: door.httpsPort, ca: door.authority, servername: 'localhost' }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** The outcome of a TLS handshake with these options. */
export function handshake(door: FrontDoor, options: SecureContextOptions): Promise<string> {
  return new Promise((resolve) => {
    const at = { host: '127.0.0.1', port: door.httpsPort, servername: 'localhost' }
    const socket = connectTls({ ...at, ca: door.authority, ...options }, () => {
      resolve('accepted')
      socket.destroy()
    })
    socket.once('error', (error: Error) => resolve(`refused: ${error.message}`))
  })
}

/** The whole answer to these bytes, until the door closes the connection. */
export async function converseWith(door: FrontDoor, bytes: string, asking: Asking = {}): Promise<string> {
  const socket = await dialDoor(door, asking)
  const all = readToEnd(socket)
  socket.write(bytes)
  return all
}

/** The answer to one request. */
export async function askDoor(door: FrontDoor, line: string, asking: Asking = {}): Promise<RawAnswer> {
  const text = await converseWith(door, requestHead(line, asking) + (asking.body ?? ''), asking)
  if (line.startsWith('HEAD ')) return headOnly(text)
  const [answer, ...more] = answersIn(text)
  if (answer === undefined || more.length > 0) throw new Error(`not one answer: ${text}`)
  return answer
}

/** An answer without a body although it has a Content-Length. */
function headOnly(text: string): RawAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [answer] = answersIn(`${head.replace(/^content-length:.*$/im, 'Content-Length: 0')}\r\n\r\n`)
  const length = /^content-length: (.*)$/im.exec(head)?.[1] ?? ''
  if (answer === undefined) throw new Error(`no answer: ${text}`)
  return { ...answer, headers: { ...answer.headers, 'content-length': length }, body }
}
