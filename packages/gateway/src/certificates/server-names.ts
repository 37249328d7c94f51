import { ANY_ADDRESS, ANY_IPV4, isLinkLocal, type NetworkInterfaces } from '../network-interfaces.ts'
import { OperatorError } from '../operator-error.ts'
import { byKind, type CertificateNames, certificateName, MOST_NAMES } from './names.ts'

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

const MDNS_DOMAIN = '.local'

/**
 * What the server's certificate is to be valid for; what matters most comes first. Of more addresses of interfaces than a certificate takes,
 * the last ones are left out. Throws `OperatorError` for a name of the settings that cannot be one.
 */
export function serverNames(options: ServerNamesOptions): CertificateNames {
  const { names, listen } = options
  const single = listen.filter((address) => address !== ANY_IPV4 && address !== ANY_ADDRESS)
  const wished = new Set([...hostNames(options), ...names.map(certificateName), ...single.map(certificateName)])
  if (wished.size > MOST_NAMES) {
    throw new OperatorError(
      `${wished.size} names are too many for one certificate: at most ${MOST_NAMES}; take some from the settings`,
    )
  }
  const all = new Set([...wished, ...interfaceAddresses(options)])
  return byKind([...all].slice(0, MOST_NAMES))
}

function hostNames({ hostName, announcedHostName }: ServerNamesOptions): readonly string[] {
  const [label = ''] = hostName.split('.')
  const announced = announcedHostName === undefined ? [] : [announcedHostName, announcedHostName + MDNS_DOMAIN]
  // The system's name may be one that no client could use.
  return [...announced, hostName, label, label + MDNS_DOMAIN, 'localhost'].flatMap(hostNameIn)
}

function hostNameIn(text: string): readonly string[] {
  try {
    return byKind([certificateName(text)]).hosts
  } catch {
    return []
  }
}

function interfaceAddresses({ listen, interfaces }: ServerNamesOptions): readonly string[] {
  const all = listen.includes(ANY_ADDRESS)
  if (!all && !listen.includes(ANY_IPV4)) return []
  return Object.values(interfaces)
    .flatMap((infos) => infos ?? [])
    .filter(({ address, family }) => (all || family === 'IPv4') && !isLinkLocal(address))
    .map(({ address }) => certificateName(address))
}
