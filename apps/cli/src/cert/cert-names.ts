import {
  type CertificateNames,
  describeCertificate,
  namesNotCovered,
  type ServerNamesOptions,
  type SourcedName,
  type StoredCertificates,
  serverNameSources,
  serverNames,
} from '@slotwire/gateway'
import Table from 'cli-table3'

/** What this device would be called if the service started now. */
export type DeviceNames = Omit<ServerNamesOptions, 'announcedHostName'>

/** What `cert names` tells. */
export interface ShownNames {
  readonly names: readonly (Pick<SourcedName, 'name' | 'kind'> & { readonly source: string | null })[]
  /** Names of the device that the certificate is not valid for. */
  readonly notCovered: readonly string[]
}

/** Sources are found out anew, from the device as it is now: null where that does not explain a name. */
export function shownNames({ presented }: StoredCertificates, device: DeviceNames, now: number): ShownNames {
  if (presented === undefined) return { names: [], notCovered: [] }
  const { hosts, addresses }: CertificateNames = describeCertificate(presented.leaf, now).names
  // An address may also have been listened at by the service's command line.
  const sources = new Map(
    serverNameSources({ ...device, listen: [...device.listen, '::'] }).map(({ name, source }) => [name, source]),
  )
  const shown = (kind: SourcedName['kind']) => (name: string) => {
    const source = sources.get(name) ?? (isNumbered(name, device.hostName) ? 'announced host name' : null)
    return { name, kind, source }
  }
  return {
    names: [...hosts.map(shown('host')), ...addresses.map(shown('address'))],
    notCovered: namesNotCovered(presented.leaf, serverNames(device)),
  }
}

/** A device whose name was taken is announced with a number behind it. */
function isNumbered(name: string, hostName: string): boolean {
  const [label = ''] = hostName.toLowerCase().split('.')
  return name.startsWith(`${label}-`) && /^\d+(\.local)?$/.test(name.slice(label.length + 1))
}

export function formatNames({ names, notCovered }: ShownNames): string {
  if (names.length === 0) return 'The certificate is valid for no name.\n'
  const table = new Table({ head: ['NAME', 'SOURCE'], style: { head: [], border: [] } })
  for (const { name, source } of names) table.push([name, source ?? 'unknown'])
  const missing = notCovered.length === 0 ? '' : `Not valid for ${notCovered.join(', ')}.\n`
  return `${table.toString()}\n${missing}`
}
