import { visible } from '@slotwire/core'
import { serviceType } from '../announcement-zone.ts'
import { type FoundEntry, isHost } from '../mdns/browse.ts'

/** A service entry of the specification. */
export type AnnouncedEntry = NonNullable<ReturnType<typeof announcedEntry>>
/** A listening port of a found server. */
export type AnnouncedDoor = AnnouncedEntry['door']

const USUAL_PORTS = { http: 80, https: 443 } as const
/** Names of mDNS (RFC 6762 section 3). Of another name, anyone who owns it has a certificate. */
const LOCAL_HOST = /\.local$/i
/** The root of a service on the same host (spec "Discovery"). Below it a GET may act, and any host can announce any path. */
const SERVICE_ROOT = /^\/api\/[\w-]+\/$/
/** A file on the same host that is not of a service. */
const FILE = /^(?!\/api\/)(?:\/\.?[\w-]+(?:\.[\w-]+)*)+$/i
/** Host and port of a door for a URL; the default port is omitted. */
export function authorityOf({ scheme, host, port }: Pick<AnnouncedDoor, 'scheme' | 'host' | 'port'>): string {
  return port === USUAL_PORTS[scheme] ? host : `${host}:${port}`
}

/** Reads an entry; undefined if it is not of the specification, for example the page of a printer. */
export function announcedEntry({ type, txt: strings, ...place }: FoundEntry) {
  const txt = textOf(strings)
  const [service, path] = [txt.get('service'), txt.get('path')]
  if (service === undefined || path === undefined || !isHost(place.host) || !LOCAL_HOST.test(place.host) || place.port === 0)
    return undefined
  return {
    service: visible(service),
    /** Undefined: not the root of a service on this host. */
    path: pathOf(path, SERVICE_ROOT),
    vendor: visible(txt.get('vendor') ?? '') || undefined,
    door: {
      ...place,
      scheme: type === serviceType('https') ? ('https' as const) : ('http' as const),
      /** Announced paths; undefined: not a path of a resource outside of `/api/` on this host. */
      machineIdPath: pathOf(txt.get('machine-id'), FILE),
      tlsCaPath: pathOf(txt.get('tls-ca'), FILE),
    },
  }
}

/** Keys in lower case; the first of repeated keys counts (RFC 6763 section 6.4). Unknown keys are ignored. */
function textOf(strings: readonly Buffer[]): ReadonlyMap<string, string> {
  const txt = new Map<string, string>()
  for (const bytes of strings) {
    const text = bytes.toString()
    const equals = text.indexOf('=')
    const key = text.slice(0, equals).toLowerCase()
    if (equals > 0 && !txt.has(key)) txt.set(key, text.slice(equals + 1))
  }
  return txt
}

function pathOf(text: string | undefined, form: RegExp): string | undefined {
  return text !== undefined && form.test(text) ? text : undefined
}
