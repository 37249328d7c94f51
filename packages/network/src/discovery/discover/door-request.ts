import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { rootCertificates, TLSSocket } from 'node:tls'
import { type Clock, messageOf } from '@slotwire/core'
import { type AnnouncedDoor, authorityOf } from './announced-entry.ts'

/** Time limit per request, including connecting. */
const REQUEST_MS = 3000
const MAX_BODY_BYTES = 256 * 1024

export interface DoorAnswer {
  readonly status: number
  readonly body: Buffer
  /** Why the certificate is not trusted; undefined: it is trusted or absent. */
  readonly distrust: string | undefined
}

/** How doors are probed. */
export interface ProbeOptions {
  readonly token: string | undefined
  /** PEM of authorities to trust in addition to the usual ones. */
  readonly authorities: string | undefined
  /** Sends the token even to an unverified server. */
  readonly insecure: boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface DoorRequest extends Pick<ProbeOptions, 'authorities' | 'clock' | 'signal'> {
  readonly door: AnnouncedDoor
  /** An address of the door. */
  readonly address: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Refuse an untrusted certificate before anything is sent. */
  readonly strict: boolean
}

/**
 * Sends one GET to an address of a door over a new connection; does not follow redirects. Rejects if the whole response takes over 3 s or
 * exceeds 256 KiB, or if the certificate is refused.
 */
export function getFromDoor(options: DoorRequest): Promise<DoorAnswer> {
  return new Promise((resolve, reject) => {
    const request = start(options)
    const end = (then: () => void): void => {
      timer.cancel()
      request.destroy()
      then()
    }
    const fail = (error: unknown): void => end(() => reject(error instanceof Error ? error : new Error(String(error))))
    const timer = options.clock.after(REQUEST_MS, () => fail(new Error(`no answer within ${REQUEST_MS / 1000} s`)))
    request.on('error', fail)
    request.on('upgrade', () => fail(new Error('the answer is of another protocol')))
    request.on('response', (response) => {
      const distrust = distrustOf(request)
      read(response).then((body) => end(() => resolve({ status: response.statusCode ?? 0, body, distrust })), fail)
    })
    request.end()
  })
}

function start({ door, address, path, headers, authorities, strict, signal }: DoorRequest): ClientRequest {
  // Use the announced name, not the address: the certificate is issued for the name.
  const host = authorityOf(door)
  const common = { host: address, port: door.port, path, agent: false, signal, headers: { ...headers, host } }
  if (door.scheme === 'http') return httpRequest(common)
  const ca = authorities === undefined ? {} : { ca: [...rootCertificates, authorities] }
  return httpsRequest({ ...common, servername: door.host, rejectUnauthorized: strict, ...ca })
}

function distrustOf(request: ClientRequest): string | undefined {
  const { socket } = request
  if (!(socket instanceof TLSSocket) || socket.authorized) return undefined
  const error: unknown = socket.authorizationError
  return messageOf(error)
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error(`the answer is over ${MAX_BODY_BYTES / 1024} KiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
