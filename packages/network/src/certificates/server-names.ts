import { orElse } from '@slotwire/core'
import { ANY_ADDRESS, ANY_IPV4, type NetworkInterfaces, ownAddresses } from '../network-doors.ts'
import { OperatorError } from '../operator-error.ts'
import { byKind, type CertificateNames, certificateName, MAX_NAMES } from './names.ts'

/** Everything that determines how clients may address the device. */
export interface ServerNamesOptions {
  /** From the settings or the system; with or without domain. */
  readonly hostName: string
  /** Host name that the device announces now, without domain; undefined: it is not announced. */
  readonly announcedHostName?: string | undefined
  /** Addresses of the network door; `0.0.0.0`: all IPv4 addresses, `::`: all addresses. */
  readonly listen: readonly string[]
  /** Host names and IP addresses that the operator adds. */
  readonly names: readonly string[]
  readonly interfaces: NetworkInterfaces
}

const MDNS_DOMAIN = '.local'

/**
 * Names for the server certificate, the most important ones first. If there are too many addresses of interfaces, the last ones are
 * omitted. Throws `OperatorError` for an invalid name in the settings.
 */
export function serverNames(options: ServerNamesOptions): CertificateNames {
  const { names, listen, interfaces } = options
  const single = listen.filter((address) => address !== ANY_IPV4 && address !== ANY_ADDRESS)
  const required = new Set([...hostNames(options), ...names.map(certificateName), ...single.map(certificateName)])
  if (required.size > MAX_NAMES) {
    throw new OperatorError(
      `${required.size} names are too many for one certificate: at most ${MAX_NAMES}; remove some from the settings`,
    )
  }
  const own = ownAddresses(listen, interfaces).map(({ address }) => certificateName(address))
  const all = new Set([...required, ...own])
  return byKind([...all].slice(0, MAX_NAMES))
}

function hostNames({ hostName, announcedHostName }: ServerNamesOptions): readonly string[] {
  const [label = ''] = hostName.split('.')
  const announced = announcedHostName === undefined ? [] : [announcedHostName, announcedHostName + MDNS_DOMAIN]
  // The system's host name may be unusable for clients.
  const all = [...announced, hostName, label, label + MDNS_DOMAIN, 'localhost']
  return all.flatMap((text) => orElse([], () => byKind([certificateName(text)]).hosts))
}
