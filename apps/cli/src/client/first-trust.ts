import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { baseUrl, ClientError } from '@slotwire/client'
import { type Clock, messageOf, SystemClock } from '@slotwire/core'

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
  readonly clock?: Clock | undefined
}

const DEADLINE_MS = 10_000
const MOST_BYTES = 65_536
const OK = 200

/**
 * Fetches the authority of a device, for a person to compare its fingerprint: trust on first connection (spec "Authentication", rule 4). Nothing
 * secret is sent.
 */
export async function firstTrust(
  address: string | URL,
  { path = '/ca.pem', fingerprint, clock = new SystemClock() }: FirstTrustOptions = {},
): Promise<ShownAuthority> {
  const url = baseUrl(address)
  if (url.protocol !== 'https:')
    throw new ClientError(`${url.href} is not encrypted: there is nothing to trust`, { kind: 'invalid' })
  const ca = await get(new URL(path, url), clock)
  let shown: string
  try {
    shown = new X509Certificate(ca).fingerprint256
  } catch (cause) {
    throw new ClientError(`${url.origin}${path} is no certificate: see paths.tls-ca in the settings of the device`, {
      kind: 'not-found',
      cause,
    })
  }
  if (fingerprint !== undefined && plain(fingerprint) !== plain(shown))
    throw new ClientError(`the device shows another authority, ${shown}: do not trust it before you know why`, {
      kind: 'credentials',
    })
  return { ca, fingerprint: shown }
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toUpperCase()
}

function get(url: URL, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown): void => {
      timer.cancel()
      sent.destroy()
      reject(new ClientError(`GET ${url.href}: ${reason}`, { kind: 'unreachable', canRetry: true, cause }))
    }
    // Not verified: whether this authority is right is the question.
    const sent = request(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      if (answer.statusCode !== OK) return fail(`status ${answer.statusCode}`)
      let text = ''
      answer.setEncoding('latin1')
      answer.on('data', (part: string) => {
        text += part
        if (text.length > MOST_BYTES) fail('this is too long for a certificate')
      })
      answer.on('end', () => {
        timer.cancel()
        resolve(text)
      })
      answer.on('error', (error) => fail(messageOf(error), error))
    })
    const timer = clock.after(DEADLINE_MS, () => fail('no answer within 10 s'))
    sent.on('error', (error) => fail(messageOf(error), error))
    sent.end()
  })
}
