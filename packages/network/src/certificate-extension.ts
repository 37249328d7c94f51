import { certificateContract } from '@slotwire/contract'
import { extensionHandlers, type ServedExtension } from '@slotwire/service'
import type { CertificateDescription } from './certificates/certificate-description.ts'
import type { DeviceNetwork } from './device-network.ts'

/** `/slotwire/certificates`. */
export function certificateExtension(network: Pick<DeviceNetwork, 'certificates' | 'settings'>): ServedExtension {
  return {
    contract: certificateContract,
    handlers: extensionHandlers(certificateContract.endpoints, {
      showCertificates: () => {
        const { source, authority, server } = network.certificates?.described ?? {}
        return {
          ca_path: network.settings.tlsCaPath,
          ...(source === undefined ? {} : { source }),
          ...(authority === undefined ? {} : { authority: shown(authority) }),
          ...(server === undefined ? {} : { server: shown(server) }),
        }
      },
    }),
  }
}

function shown({ subject, issuer, names, validFrom, validUntil, daysLeft, fingerprint }: CertificateDescription) {
  return {
    subject,
    issuer,
    names: [...names.hosts, ...names.addresses],
    valid_from: validFrom,
    valid_until: validUntil,
    days_left: daysLeft,
    fingerprint,
  }
}
