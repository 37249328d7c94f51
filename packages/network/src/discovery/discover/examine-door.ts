import { X509Certificate } from 'node:crypto'
import { messageOf, orElse, type Version, visible } from '@slotwire/core'
import { type AnnouncedDoor, type AnnouncedEntry } from './announced-entry.ts'
import { type DoorAnswer, getFromDoor, type ProbeOptions } from './door-request.ts'
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

/** The result for one service. */
export type ProbeResult = Pick<FoundDoor, 'state'> & Partial<Pick<FoundDoor, 'reason' | 'versions'>>

export interface ExaminedDoor {
  readonly machineId: string | undefined
  readonly caFingerprint: string | undefined
  /** In the order of the entries. */
  readonly results: readonly ProbeResult[]
}

/** Checks whether a door can be used: first the server and its machine id, then each service announced at it. Never rejects. */
export async function examineDoor(
  door: AnnouncedDoor,
  entries: readonly AnnouncedEntry[],
  probe: ProbeOptions,
): Promise<ExaminedDoor> {
  const forAll = (result: ProbeResult): readonly ProbeResult[] => entries.map(() => result)
  const reached = await reach(door, probe)
  if ('reason' in reached) {
    return { machineId: undefined, caFingerprint: undefined, results: forAll({ state: 'unreachable', reason: reached.reason }) }
  }
  const { address, answer } = reached
  const machineId = answer.status === OK ? machineIdOf(answer.body) : undefined
  if (answer.distrust !== undefined && !probe.insecure) {
    const reason = DISTRUST[answer.distrust] ?? visible(answer.distrust)
    const caFingerprint = await fingerprintOf(door, address, probe)
    return { machineId, caFingerprint, results: forAll({ state: 'untrusted', reason }) }
  }
  const results: ProbeResult[] = []
  for (const { path } of entries) {
    const last = results.at(-1)
    // A token that was missing or refused for the previous service also fails here.
    const isRefused = path !== undefined && (last?.state === 'needs-token' || last?.state === 'token-refused')
    results.push(isRefused ? last : await probeService(door, address, path, probe))
  }
  return { machineId, caFingerprint: undefined, results }
}

type DoorReach = { readonly address: string; readonly answer: DoorAnswer } | { readonly reason: string }

/** Requests the machine id at each address and returns the first response. */
async function reach(door: AnnouncedDoor, probe: ProbeOptions): Promise<DoorReach> {
  let reason = 'no address is announced'
  for (const address of door.addresses.slice(0, MAX_ADDRESSES)) {
    try {
      const path = door.machineIdPath ?? '/'
      return { address, answer: await getFromDoor({ ...probe, door, address, path, strict: false }) }
    } catch (error) {
      reason = reasonOf(error)
    }
  }
  return { reason }
}

/** Fingerprint of the authority at the path `tls-ca`; undefined if it cannot be read. */
async function fingerprintOf(door: AnnouncedDoor, address: string, probe: ProbeOptions): Promise<string | undefined> {
  if (door.tlsCaPath === undefined) return undefined
  try {
    const { status, body } = await getFromDoor({ ...probe, door, address, path: door.tlsCaPath, strict: false })
    return status === OK ? new X509Certificate(body).fingerprint256 : undefined
  } catch {
    // Without a fingerprint, users have nothing to compare: report it as unknown.
    return undefined
  }
}

async function probeService(
  door: AnnouncedDoor,
  address: string,
  path: string | undefined,
  probe: ProbeOptions,
): Promise<ProbeResult> {
  if (path === undefined) return { state: 'failed', reason: 'the announced path is not the root of a service on this host' }
  const { token, insecure } = probe
  const isTold = token !== undefined && (door.scheme === 'https' || insecure)
  const headers = isTold ? { authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}` } : {}
  try {
    const { status, body } = await getFromDoor({ ...probe, door, address, path, headers, strict: !insecure })
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
