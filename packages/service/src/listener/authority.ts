import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Host and port as a Host header or an absolute target has them. */
export interface Authority {
  /** Lower case, without the brackets of an IPv6 address and without a dot at the end. */
  readonly host: string
  /** Undefined: that of the scheme. */
  readonly port: number | undefined
}

/** Where a page comes from. */
export interface Origin extends Authority {
  /** Lower case: `https`, or that of an application (`tauri`). */
  readonly scheme: string
}

const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::(\d{0,5}))?$/i
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i
const HIGHEST_PORT = 65_535

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Undefined for anything but a host with or without a port: no user, no path, no letters beyond ASCII. */
export function parseAuthority(text: string): Authority | undefined {
  const [, address, name, digits = ''] = AUTHORITY.exec(text) ?? []
  const host = (address ?? name)?.toLowerCase()
  const port = digits === '' ? undefined : Number(digits)
  if (host === undefined || (port ?? 0) > HIGHEST_PORT || (address !== undefined && !isIPv6(address))) return undefined
  return { host, port }
}

/** The authority of an absolute URL, as it is written; undefined for a text that is none. */
export function authorityOf(url: string): string | undefined {
  return ABSOLUTE.exec(url)?.[2]
}

/** Where the page of a URL, such as a `Referer`, comes from; undefined for what is no absolute URL with a host. */
export function originOfUrl(url: string): Origin | undefined {
  return parseOrigin(ABSOLUTE.exec(url)?.[0] ?? '')
}

/** An `Origin` header; undefined for `null`, for several, and for what is none. */
export function parseOrigin(text: string): Origin | undefined {
  const [whole, scheme = '', written = ''] = ABSOLUTE.exec(text) ?? []
  const authority = whole === text ? parseAuthority(written) : undefined
  return authority === undefined ? undefined : { scheme: scheme.toLowerCase(), ...authority }
}

/** Whether a host leads to this very machine for everybody, so that nobody else can decide what is behind the name. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return isIPv4(host) ? loopback.check(host, 'ipv4') : isIPv6(host) && loopback.check(host, 'ipv6')
}
