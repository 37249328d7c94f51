import { X509Certificate } from 'node:crypto'
import { baseUrl, ClientError } from '@slotwire/client'
import { type Clock, messageOf, SystemClock } from '@slotwire/core'
import { getText } from './get-text.ts'

/** A certificate authority that a device shows. */
export interface ShownAuthority {
  /** PEM, for the option `ca` of `connect`: store it. */
  readonly ca: string
  /** SHA-256, as `AB:CD:…`: compare it with what `slotwire cert show` says on the device. */
  readonly fingerprint: string
}

export interface FirstTrustOptions {
  /** Path of the certificate, as announced in `tls-ca`; `/ca.pem` by default. */
  readonly path?: string | undefined
  /** Rejects any other authority. */
  readonly fingerprint?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

const DEADLINE_MS = 10_000
const MAX_BYTES = 65_536
const OK = 200

/**
 * Fetches the authority of a device, for a person to compare its fingerprint: trust on first connection (spec "Authentication", rule 4). Nothing
 * secret is sent.
 */
export async function firstTrust(
  address: string | URL,
  { path = '/ca.pem', fingerprint, signal, clock = new SystemClock() }: FirstTrustOptions = {},
): Promise<ShownAuthority> {
  const url = baseUrl(address)
  if (url.protocol !== 'https:')
    throw new ClientError(`${url.href} is not encrypted: there is nothing to trust`, { kind: 'invalid' })
  const source = new URL(path, url)
  if (source.origin !== url.origin)
    throw new ClientError(`${path} is on another server than ${url.origin}: give a path of this one`, { kind: 'invalid' })
  const shownCertificate = certificateOf(await get(source, clock, signal), source)
  const shown = shownCertificate.fingerprint256
  if (fingerprint !== undefined && plain(fingerprint) !== plain(shown))
    throw new ClientError(`the device shows another authority, ${shown}: do not trust it before you know why`, {
      kind: 'credentials',
    })
  // Only what has this fingerprint, whatever else the file has.
  return { ca: shownCertificate.toString(), fingerprint: shown }
}

/** The certificate in a file. A second one would be trusted, too, without a fingerprint to compare. */
function certificateOf(text: string, source: URL): X509Certificate {
  const count = text.split('-----BEGIN').length - 1
  if (count > 1) {
    const remedy = 'a fingerprint is of one: get the authority from the operator of the device'
    throw new ClientError(`${source.href} has ${count} certificates, ${remedy}`, { kind: 'credentials' })
  }
  try {
    return new X509Certificate(text)
  } catch (cause) {
    throw new ClientError(`${source.href} is no certificate: see paths.tls-ca in the settings of the device`, {
      kind: 'not-found',
      cause,
    })
  }
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toUpperCase()
}

async function get({ href }: URL, clock: Clock, signal?: AbortSignal): Promise<string> {
  const failure = (reason: string, cause?: unknown): ClientError =>
    new ClientError(`GET ${href}: ${reason}`, { kind: 'unreachable', canRetry: true, cause })
  // Not verified: whether this authority is right is the question.
  const options = { rejectUnauthorized: false, clock, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES, signal }
  const { status, text } = await getText(href, options).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw failure(messageOf(error), error)
  })
  if (status !== OK) throw failure(`status ${status}`)
  return text
}
