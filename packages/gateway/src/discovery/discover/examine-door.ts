import { X509Certificate } from 'node:crypto'
import { type Clock, visible } from '@slotwire/core'
import type { AnnouncedEntry, Door } from './announced-entry.ts'
import { type DoorAnswer, getFromDoor } from './door-request.ts'
import type { DoorState, ServiceVersions } from './found-device.ts'

/** Of one door so many addresses are tried, one after the other. */
const MAX_ADDRESSES = 4
const MACHINE_ID = /^[\x21-\x7e]{1,128}$/

const OK = 200
const UNAUTHORIZED = 401

/** What TLS says of a certificate, in plain words; anything else is shown as it is. */
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

/** Who knocks, and how. */
export interface Knocking {
  readonly token: string | undefined
  /** PEM. */
  readonly authorities: string | undefined
  /** Also tells the token where nobody can say who is listening. */
  readonly insecure: boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** What came of knocking for one service. */
export interface Knocked {
  readonly state: DoorState
  readonly reason?: string
  readonly versions?: ServiceVersions
}

export interface ExaminedDoor {
  readonly machineId: string | undefined
  readonly caFingerprint: string | undefined
  /** In the order of the entries. */
  readonly results: readonly Knocked[]
}

/** Looks whether a door can be used: first whether anybody is there and who, then for each of the services announced at it. Never rejects. */
export async function examineDoor(door: Door, entries: readonly AnnouncedEntry[], knocking: Knocking): Promise<ExaminedDoor> {
  const reached = await reach(door, knocking)
  if ('reason' in reached) {
    const results = entries.map((): Knocked => ({ state: 'unreachable', reason: reached.reason }))
    return { machineId: undefined, caFingerprint: undefined, results }
  }
  const { address, answer } = reached
  const machineId = answer.status === OK ? machineIdOf(answer.body) : undefined
  if (answer.distrust !== undefined && !knocking.insecure) {
    const reason = DISTRUST[answer.distrust] ?? visible(answer.distrust)
    const results = entries.map((): Knocked => ({ state: 'untrusted', reason }))
    return { machineId, caFingerprint: await fingerprintOf(door, address, knocking), results }
  }
  const results: Knocked[] = []
  for (const entry of entries) results.push(await knock(entry, address, knocking, results.at(-1)))
  return { machineId, caFingerprint: undefined, results }
}

type Reached = { readonly address: string; readonly answer: DoorAnswer } | { readonly reason: string }

/** The first address that answers at all, asked for the machine id. */
async function reach(door: Door, knocking: Knocking): Promise<Reached> {
  let reason = 'no address is announced'
  for (const address of door.addresses.slice(0, MAX_ADDRESSES)) {
    try {
      const path = door.machineIdPath ?? '/'
      return { address, answer: await getFromDoor({ ...knocking, door, address, path, strict: false }) }
    } catch (error) {
      reason = reasonOf(error)
    }
  }
  return { reason }
}

/** Of the authority at the path `tls-ca`; undefined: there is none. */
async function fingerprintOf(door: Door, address: string, knocking: Knocking): Promise<string | undefined> {
  if (door.tlsCaPath === undefined) return undefined
  try {
    const { status, body } = await getFromDoor({ ...knocking, door, address, path: door.tlsCaPath, strict: false })
    return status === OK ? new X509Certificate(body).fingerprint256 : undefined
  } catch {
    // Shown as not known: there is nothing that it would have to be compared with.
    return undefined
  }
}

/** `last` is what came of the service before: credentials that were missing there are missing here. */
async function knock(
  { path, door }: AnnouncedEntry,
  address: string,
  knocking: Knocking,
  last: Knocked | undefined,
): Promise<Knocked> {
  if (path === undefined) return { state: 'failed', reason: 'the announced path is none of this host' }
  if (last?.state === 'needs-token' || last?.state === 'token-refused') return last
  const { token, insecure } = knocking
  const mayTell = door.scheme === 'https' || insecure
  const headers =
    token !== undefined && mayTell ? { authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}` } : {}
  try {
    return judge(await getFromDoor({ ...knocking, door, address, path, headers, strict: !insecure }), token, mayTell)
  } catch (error) {
    return { state: 'failed', reason: reasonOf(error) }
  }
}

function judge({ status, body }: DoorAnswer, token: string | undefined, mayTell: boolean): Knocked {
  if (status === UNAUTHORIZED && token !== undefined && mayTell) return { state: 'token-refused' }
  if (status === UNAUTHORIZED)
    return { state: 'needs-token', ...(token !== undefined && { reason: 'it is not sent unencrypted' }) }
  if (status !== OK) return { state: 'failed', reason: `status ${status}` }
  const versions = versionsOf(body)
  return versions === undefined ? { state: 'failed', reason: 'the answer names no API version' } : { state: 'works', versions }
}

function machineIdOf(body: Buffer): string | undefined {
  const text = body.toString('latin1').trim()
  return MACHINE_ID.test(text) ? text : undefined
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'there was no time left for it'
  return visible(error instanceof Error ? error.message : String(error))
}

/** The versions in the answer of a version root (spec "Version and device list"); undefined: it is none. */
function versionsOf(body: Buffer): ServiceVersions | undefined {
  const version = member(parsed(body), 'version')
  const [api, service] = [formatted(member(version, 'api')), formatted(member(version, 'service'))]
  return api === undefined || service === undefined ? undefined : { api, service }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function formatted(version: unknown): string | undefined {
  const parts = ['major', 'minor', 'patch'].map((name) => member(version, name))
  return parts.every((part) => typeof part === 'number' && Number.isSafeInteger(part) && part >= 0) ? parts.join('.') : undefined
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
