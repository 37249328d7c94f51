import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { systemWallTime } from '@slotwire/core'
import type { ServerCertificate } from '@slotwire/edge'
import { onTestFinished } from 'vitest'
import { device, fingerprintOf } from '../../certificates/certificates.testkit.ts'
import type { AnnouncedDoor, AnnouncedEntry } from './announced-entry.ts'

/** Body of a version root: spec "Version and device list". */
const version = { major: 1, minor: 2, patch: 3 }
export const ROOT = JSON.stringify({ version: { api: { ...version, minor: 0, patch: 0 }, service: version }, devices: [] })

/** A server on this machine, with its door and the requests received. */
export interface TestServer {
  readonly door: AnnouncedDoor
  readonly requests: readonly IncomingMessage[]
  readonly authorityPem: string
  readonly fingerprint: string
  readonly certificate: ServerCertificate
  /** Presents this certificate from the next connection on. */
  present(certificate: ServerCertificate): void
}

/** A device that answers each path with the given listener; over TLS with a certificate of its own authority for `press-4.local`. */
export async function serverFor(
  scheme: AnnouncedDoor['scheme'],
  answer: Readonly<Record<string, RequestListener>>,
): Promise<TestServer> {
  const { certificates } = await device({ date: systemWallTime() })
  await certificates.use(() => ({ hosts: ['press-4.local'], addresses: [] }))
  const requests: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(request)
    const handler = answer[request.url ?? '']
    if (handler === undefined) response.writeHead(404).end()
    else handler(request, response)
  }
  const certificate = certificates.current ?? { cert: '', key: '' }
  const secure = createTlsServer(certificate, listener)
  const { port } = await listening(scheme === 'https' ? secure : createServer(listener))
  const plain = { host: 'press-4.local', interfaceName: 'lo', addresses: ['127.0.0.1'] }
  return {
    door: { ...plain, scheme, port, machineIdPath: '/machine-id', tlsCaPath: '/ca.pem' },
    requests,
    authorityPem: certificates.authorityPem,
    fingerprint: fingerprintOf(certificates),
    certificate,
    present: (renewed) => secure.setSecureContext(renewed),
  }
}

async function listening(server: Server): Promise<AddressInfo> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server.address() as AddressInfo
}

/** Responds with this text. */
export function text(body: string | Buffer, status = 200): RequestListener {
  return (_request, response) => response.writeHead(status).end(body)
}

/** Responds like a version root to requests with this token, and with 401 to others. */
export function guarded(token: string): RequestListener {
  return (request, response) => {
    const isIn = request.headers.authorization === `Basic ${Buffer.from(`token:${token}`).toString('base64')}`
    response.writeHead(isIn ? 200 : 401).end(isIn ? ROOT : '{}')
  }
}

/** An announced service at a door. */
export function entryAt(door: AnnouncedDoor, path: string | undefined = '/api/io/'): AnnouncedEntry {
  return { service: 'io-module', path, vendor: undefined, door }
}
