import { hostname, networkInterfaces } from 'node:os'
import {
  type CertificateDescription,
  DEFAULT_SETTINGS,
  describeCertificate,
  namesNotCovered,
  type ServerNamesOptions,
  type StoredCertificates,
  serverNames,
  usableSettings,
} from '@slotwire/network'

/** The output of `cert show`. */
type ShownCertificates = ReturnType<typeof shownCertificates>

export function shownCertificates({ source, authority, presented, fault }: StoredCertificates, now: number) {
  return {
    source,
    authority: describeCertificate(authority, now),
    /** Null: there is no usable certificate. */
    server: presented === undefined ? null : describeCertificate(presented.leaf, now),
    /** Why the certificate file is unusable. */
    fault: fault?.message ?? null,
  }
}

const SOURCES = {
  own: 'made by this device, renewed automatically',
  imported: 'imported: renewed by its issuer',
}

/** Text for people. They compare the authority's fingerprint with the one seen on another machine. */
export function formatCertificates({ source, authority, server, fault }: ShownCertificates): string {
  const missing = `  ${fault ?? 'none yet: the service creates it when it opens its network door'}\n`
  return [
    'Authority that clients must trust\n',
    formatLines(linesOf(authority)),
    `\nServer certificate, ${SOURCES[source]}\n`,
    server === null ? missing : formatLines([...linesOf(server), ['names', namesOf(server)]]),
  ].join('')
}

type LabelledText = readonly [label: string, text: string]

function linesOf({ subject, validFrom, validUntil, daysLeft, fingerprint }: CertificateDescription): readonly LabelledText[] {
  const left = daysLeft >= 0 ? `${daysLeft} days left` : 'expired'
  return [
    ['subject', subject],
    ['valid', `from ${dateOf(validFrom)} until ${dateOf(validUntil)} (${left})`],
    ['SHA-256', fingerprint],
  ]
}

function namesOf({ names: { hosts, addresses } }: CertificateDescription): string {
  return [...hosts, ...addresses].join(', ') || 'none'
}

function formatLines(lines: readonly LabelledText[]): string {
  return lines.map(([label, text]) => `  ${label.padEnd(8)} ${text}\n`).join('')
}

/** The date of a time in ISO 8601. */
export function dateOf(iso: string): string {
  return iso.slice(0, 'YYYY-MM-DD'.length)
}

/** Names that this device would have if the service started now. */
export type DeviceNames = Omit<ServerNamesOptions, 'announcedHostName'>

/** The current names of a device with this state folder on this machine. */
export function ownNames(state: string): DeviceNames {
  const { hostName, listen, proxies, names } = usableSettings(state) ?? DEFAULT_SETTINGS
  return {
    hostName: hostName ?? hostname(),
    // A proxy may listen at any address of this host.
    listen: proxies.length === 0 ? listen : ['::'],
    names,
    interfaces: networkInterfaces(),
  }
}

/** The output of `cert names`. `notCovered`: names of the device that the certificate is not valid for. */
export function shownNames({ presented }: StoredCertificates, device: DeviceNames, now: number) {
  if (presented === undefined) return { hosts: [], addresses: [], notCovered: [] }
  const { hosts, addresses } = describeCertificate(presented.leaf, now).names
  return { hosts, addresses, notCovered: namesNotCovered(presented.leaf, serverNames(device)) }
}

export function formatNames({ hosts, addresses, notCovered }: ReturnType<typeof shownNames>): string {
  const names = [...hosts, ...addresses]
  const lines = names.length === 0 ? ['The certificate is valid for no name.'] : names
  const missing = notCovered.length === 0 ? [] : [`Not valid for ${notCovered.join(', ')}.`]
  return `${[...lines, ...missing].join('\n')}\n`
}
