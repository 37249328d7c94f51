import type { IncomingMessage } from 'node:http'
import { plainAddress } from '@slotwire/service'

/** Where a request comes from. */
export interface Client {
  /** IP address; of the connection, unless a configured proxy says another. */
  readonly address: string
  /** Whether a configured proxy has passed it on for somebody else. */
  readonly viaProxy: boolean
}

/** Addresses beyond any that could be a client's: a forged header must not cost more. */
const MOST_FORWARDED = 32
/** Addresses of connections that are known in their plain form: working that out takes microseconds, for each request. */
const MOST_KNOWN = 256

/**
 * Makes what tells where a request comes from. `X-Forwarded-For` counts from a configured proxy alone: the last address in it that is no
 * such proxy. What is in front of that was said by somebody else, and is not looked at; a text that is no address leaves that of the
 * connection. From anybody else the header is ignored.
 */
export function clientFinder(proxies: () => readonly string[]): (request: IncomingMessage) => Client {
  let configured: readonly string[] = []
  let proxyAddresses = new Set<string>()

  const plain = new Map<string, string>()

  function addressOf(remote: string): string {
    const found = plain.get(remote)
    if (found !== undefined) return found
    const address = plainAddress(remote) ?? 'unknown'
    if (plain.size >= MOST_KNOWN) plain.clear()
    plain.set(remote, address)
    return address
  }

  function isProxy(address: string): boolean {
    const now = proxies()
    if (now !== configured) {
      configured = now
      proxyAddresses = new Set(now.flatMap((proxy) => plainAddress(proxy) ?? []))
    }
    return proxyAddresses.has(address)
  }

  return ({ headers, socket }) => {
    const address = addressOf(socket.remoteAddress ?? '')
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined || !isProxy(address)) return { address, viaProxy: false }
    return { address: lastOfThem(String(forwarded), isProxy) ?? address, viaProxy: true }
  }
}

function lastOfThem(header: string, isProxy: (address: string) => boolean): string | undefined {
  for (const text of header.split(',').slice(-MOST_FORWARDED).reverse()) {
    const address = text.includes('%') ? undefined : plainAddress(text.trim())
    if (address === undefined || !isProxy(address)) return address
  }
  return undefined
}
