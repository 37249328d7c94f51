import { X509Certificate } from 'node:crypto'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { rootCertificates, TLSSocket } from 'node:tls'
import { type Clock, messageOf, orElse, type Version, visible } from '@slotwire/core'
import { type AnnouncedDoor, type AnnouncedEntry, authorityOf } from './announced-entry.ts'
import type { FoundDoor, ServiceVersions } from './found-device.ts'

/** Most addresses of a door that are tried, one after the other. */
const MAX_ADDRESSES = 4
const MACHINE_ID = /^[\x21-\x7e]{1,128}$/

const OK = 200
const UNAUTHORIZED = 401

/** Descriptions of TLS error codes; other codes are shown unchanged. */
const DISTRUST: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'of an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'of an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'signed by itself',
  CERT_SIGNATURE_FAILURE: 'of an authority that only has the name of a trusted one',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'for other names',
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

/** The result for one service. */
export type ProbeResult = Pick<FoundDoor, 'state'> & Partial<Pick<FoundDoor, 'reason' | 'versions'>>

/**
 * Checks whether a door can be used: first the server and its machine id, then each service announced at it. Never rejects. The results are
 * in the order of the entries.
 */
export async function examineDoor(door: AnnouncedDoor, entries: readonly AnnouncedEntry[], probe: ProbeOptions) {
  const forAll = (result: ProbeResult): readonly ProbeResult[] => entries.map(() => result)
  const reached = await reach(door, probe)
  if ('reason' in reached) {
    return { machineId: undefined, caFingerprint: undefined, results: forAll({ state: 'unreachable', reason: reached.reason }) }
  }
  const { at, answer } = reached
  const machineId = answer.status === OK ? machineIdOf(answer.body) : undefined
  if (answer.distrust !== undefined && !probe.insecure) {
    const reason = DISTRUST[answer.distrust] ?? visible(answer.distrust)
    const caFingerprint = await fingerprintOf(at)
    return { machineId, caFingerprint, results: forAll({ state: 'untrusted', reason }) }
  }
  const results: ProbeResult[] = []
  for (const { path } of entries) {
    const last = results.at(-1)
    // A token that was missing or refused for the previous service also fails here.
    const isRefused = path !== undefined && (last?.state === 'needs-token' || last?.state === 'token-refused')
    results.push(isRefused ? last : await probeService(at, path))
  }
  return { machineId, caFingerprint: undefined, results }
}

/** A door at one of its addresses. */
interface ReachedDoor extends ProbeOptions {
  readonly door: AnnouncedDoor
  readonly address: string
}

type DoorReach = { readonly at: ReachedDoor; readonly answer: DoorAnswer } | { readonly reason: string }

/** Requests the machine id at each address and returns the first response. */
async function reach(door: AnnouncedDoor, probe: ProbeOptions): Promise<DoorReach> {
  let reason = 'no address is announced'
  for (const address of door.addresses.slice(0, MAX_ADDRESSES)) {
    try {
      const at = { ...probe, door, address }
      return { at, answer: await getFromDoor({ ...at, path: door.machineIdPath ?? '/', strict: false }) }
    } catch (error) {
      reason = reasonOf(error)
    }
  }
  return { reason }
}

/** Fingerprint of the authority at the path `tls-ca`; undefined if it cannot be read. */
async function fingerprintOf(at: ReachedDoor): Promise<string | undefined> {
  const { tlsCaPath: path } = at.door
  if (path === undefined) return undefined
  try {
    const { status, body } = await getFromDoor({ ...at, path, strict: false })
    return status === OK ? new X509Certificate(body).fingerprint256 : undefined
  } catch {
    // Without a fingerprint, users have nothing to compare: report it as unknown.
    return undefined
  }
}

async function probeService(at: ReachedDoor, path: string | undefined): Promise<ProbeResult> {
  if (path === undefined) return { state: 'failed', reason: 'the announced path is not the root of a service on this host' }
  const { door, token, insecure } = at
  const isTold = token !== undefined && (door.scheme === 'https' || insecure)
  const headers = isTold ? { authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}` } : {}
  try {
    const { status, body } = await getFromDoor({ ...at, path, headers, strict: !insecure })
    if (status === UNAUTHORIZED && isTold) return { state: 'token-refused' }
    if (status === UNAUTHORIZED && token !== undefined) return { state: 'needs-token', reason: 'it is not sent unencrypted' }
    if (status === UNAUTHORIZED) return { state: 'needs-token' }
    if (status !== OK) return { state: 'failed', reason: `status ${status}` }
    const versions = orElse(undefined, () => versionsOf(body))
    return versions === undefined ? { state: 'failed', reason: 'the answer names no API version' } : { state: 'works', versions }
  } catch (error) {
    return { state: 'failed', reason: reasonOf(error) }
  }
}

function machineIdOf(body: Buffer): string | undefined {
  const text = body.toString('latin1').trim()
  return MACHINE_ID.test(text) ? text : undefined
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'there was no time left for it'
  return visible(messageOf(error))
}

/** The versions in the body of a version root (spec "Version and device list"). Throws for another body. */
function versionsOf(body: Buffer): ServiceVersions {
  const { version } = JSON.parse(body.toString()) as { readonly version: Readonly<Record<'api' | 'service', Version>> }
  return { api: formatted(version.api), service: formatted(version.service) }
}

/** Throws for an invalid version. */
function formatted({ major, minor, patch }: Version): string {
  const parts = [major, minor, patch]
  if (!parts.every((part) => Number.isSafeInteger(part) && part >= 0)) throw new TypeError('no version')
  return parts.join('.')
}

/** Time limit per request, including connecting. */
const REQUEST_MS = 3000
const MAX_BODY_BYTES = 256 * 1024

interface DoorAnswer {
  readonly status: number
  readonly body: Buffer
  /** Why the certificate is not trusted; undefined: it is trusted or absent. */
  readonly distrust: string | undefined
}

interface DoorRequest extends ReachedDoor {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Refuse an untrusted certificate before anything is sent. */
  readonly strict: boolean
}

/**
 * Sends one GET to an address of a door over a new connection; does not follow redirects. Rejects if the whole response takes over 3 s or
 * exceeds 256 KiB, or if the certificate is refused.
 */
function getFromDoor(options: DoorRequest): Promise<DoorAnswer> {
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
