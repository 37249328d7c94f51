import type { NetworkInterfaces } from '../network-interfaces.ts'
import { CertificateError } from './certificate-error.ts'
import type { CertificateNames } from './material.ts'
import { type CertificateName, certificateName, MOST_NAMES } from './names.ts'

/** All that says how clients may call the device. */
export interface ServerNamesOptions {
  /** Of the settings or the system; with or without domain. */
  readonly hostName: string
  /** Under which the device is announced now, without domain; undefined: it is not announced. */
  readonly announcedHostName?: string | undefined
  /** Addresses at which the network door listens; `0.0.0.0`: all of IPv4, `::`: all. */
  readonly listen: readonly string[]
  /** Host names and IP addresses that the operator adds. */
  readonly names: readonly string[]
  readonly interfaces: NetworkInterfaces
}

/** A name of the device, and why it is one. */
export interface SourcedName extends CertificateName {
  /** `settings`, `interface eth0`, … */
  readonly source: string
}

const MDNS_DOMAIN = '.local'
const ANY_IPV4 = '0.0.0.0'
const ANY_ADDRESS = '::'
/** Only good with a zone, which no certificate knows. */
const LINK_LOCAL = /^fe[89ab]/i

/** What the server's certificate is to be valid for. Throws `CertificateError` for a name of the settings that cannot be one. */
export function serverNames(options: ServerNamesOptions): CertificateNames {
  const names = serverNameSources(options)
  const all = (kind: CertificateName['kind']): string[] => names.filter((name) => name.kind === kind).map(({ name }) => name)
  return { hosts: all('host'), addresses: all('address') }
}

/**
 * The same, each name once with its first source; what matters most comes first. Of more addresses of interfaces than a certificate takes,
 * the last ones are left out. Throws `CertificateError`.
 */
export function serverNameSources(options: ServerNamesOptions): readonly SourcedName[] {
  const wished = [
    ...hostNames(options),
    ...options.names.map((name) => ({ ...certificateName(name), source: 'settings' })),
    ...options.listen
      .filter((address) => address !== ANY_IPV4 && address !== ANY_ADDRESS)
      .map((address) => ({ ...certificateName(address), source: 'listen address' })),
  ]
  const fixed = eachOnce(wished)
  if (fixed.length > MOST_NAMES) {
    throw new CertificateError(
      `${fixed.length} names are too many for one certificate: at most ${MOST_NAMES}; take some from the settings`,
    )
  }
  return eachOnce([...fixed, ...interfaceAddresses(options)]).slice(0, MOST_NAMES)
}

function hostNames({ hostName, announcedHostName }: ServerNamesOptions): readonly SourcedName[] {
  const announced = announcedHostName === undefined ? [] : withMdnsName(announcedHostName, 'announced host name')
  const [firstLabel = ''] = hostName.split('.')
  const own = [{ name: hostName, source: 'host name' }, ...withMdnsName(firstLabel, 'host name')]
  // The system's name may be one that no client could use either.
  const usable = [...announced, ...own].filter(({ name }) => isHostName(name))
  const names = usable.map(({ name, source }) => ({ ...certificateName(name), source }))
  return [...names, { kind: 'host', name: 'localhost', source: 'always' }]
}

function withMdnsName(label: string, source: string): readonly { readonly name: string; readonly source: string }[] {
  return [
    { name: label, source },
    { name: label + MDNS_DOMAIN, source },
  ]
}

function isHostName(text: string): boolean {
  try {
    return certificateName(text).kind === 'host'
  } catch {
    return false
  }
}

function interfaceAddresses({ listen, interfaces }: ServerNamesOptions): readonly SourcedName[] {
  const all = listen.includes(ANY_ADDRESS)
  if (!all && !listen.includes(ANY_IPV4)) return []
  return Object.entries(interfaces).flatMap(([name, infos]) =>
    (infos ?? [])
      .filter(({ address, family }) => (all || family === 'IPv4') && !LINK_LOCAL.test(address))
      .map(({ address }) => ({ ...certificateName(address), source: `interface ${name}` })),
  )
}

function eachOnce(names: readonly SourcedName[]): readonly SourcedName[] {
  const first = new Map<string, SourcedName>()
  for (const name of names) if (!first.has(name.name)) first.set(name.name, name)
  return [...first.values()]
}
