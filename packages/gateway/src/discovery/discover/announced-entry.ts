import { visible } from '@slotwire/core'
import type { FoundEntry } from '../mdns/browse.ts'
import { sameName } from '../mdns/dns-name.ts'
import { serviceType } from '../service-type.ts'

/** The server of a network that listens at one port. */
export interface Door {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
  readonly interfaceName: string
  readonly addresses: readonly string[]
  /** As announced; undefined: none that can be followed. */
  readonly machineIdPath: string | undefined
  readonly tlsCaPath: string | undefined
}

/** An entry of the specification. */
export interface AnnouncedEntry {
  readonly service: string
  /** Undefined: none that can be followed. */
  readonly path: string | undefined
  readonly vendor: string | undefined
  readonly door: Door
}

const USUAL_PORTS = { http: 80, https: 443 } as const
const MAX_HOST_LENGTH = 253
const HOST = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/
/** On this host: neither a whole URL nor `//host/`. */
const PATH = /^\/(?![/\\])[\x21-\x7e]*$/

/** Host and port of a door as URLs have them: the usual port is left out. */
export function authorityOf({ scheme, host, port }: Pick<Door, 'scheme' | 'host' | 'port'>): string {
  return port === USUAL_PORTS[scheme] ? host : `${host}:${port}`
}

/** What an entry says of a service; undefined: it is none of the specification's, such as the page of a printer. */
export function announcedEntry(entry: FoundEntry): AnnouncedEntry | undefined {
  const txt = textOf(entry.txt)
  const [service, path] = [txt.get('service'), txt.get('path')]
  if (service === undefined || path === undefined || !isHost(entry.host) || entry.port === 0) return undefined
  return {
    service: visible(service),
    path: pathOf(path),
    vendor: optional(txt.get('vendor')),
    door: {
      scheme: sameName(entry.type, serviceType('https')) ? 'https' : 'http',
      host: entry.host,
      port: entry.port,
      interfaceName: entry.interfaceName,
      addresses: entry.addresses,
      machineIdPath: pathOf(txt.get('machine-id')),
      tlsCaPath: pathOf(txt.get('tls-ca')),
    },
  }
}

/** Keys in lower case; of a key that stands twice the first counts (RFC 6763 section 6.4). Keys that nobody asks for do no harm. */
function textOf(strings: readonly Uint8Array[]): ReadonlyMap<string, string> {
  const txt = new Map<string, string>()
  for (const bytes of strings) {
    const text = new TextDecoder().decode(bytes)
    const equals = text.indexOf('=')
    const key = text.slice(0, equals).toLowerCase()
    if (equals > 0 && !txt.has(key)) txt.set(key, text.slice(equals + 1))
  }
  return txt
}

function isHost(host: string): boolean {
  return host.length <= MAX_HOST_LENGTH && HOST.test(host)
}

function pathOf(text: string | undefined): string | undefined {
  return text !== undefined && PATH.test(text) ? text : undefined
}

function optional(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : visible(text)
}
