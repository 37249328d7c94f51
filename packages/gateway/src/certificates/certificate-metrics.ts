import type { MetricFamily } from '@slotwire/service'
import type { StoredCertificates } from './stored-certificates.ts'
import { validityOf } from './validity.ts'

const MS_PER_SECOND = 1000

/** The figures of a device's certificates. */
export class CertificateMetrics {
  renewals = 0
  failures = 0
  readonly #stored: () => StoredCertificates

  constructor(stored: () => StoredCertificates) {
    this.#stored = stored
  }

  /** A `MetricSource`. */
  readonly families = (): readonly MetricFamily[] => {
    const { source, authority, presented } = this.#stored()
    const certificates = [
      { certificate: 'authority', x509: authority },
      ...(presented === undefined ? [] : [{ certificate: 'server', x509: presented.leaf }]),
    ]
    return [
      {
        name: 'slotwire_certificate_not_after_timestamp_seconds',
        help: 'When the certificate ends, in seconds since 1970.',
        type: 'gauge',
        samples: certificates.map(({ certificate, x509 }) => ({
          labels: { certificate, source },
          value: validityOf(x509).notAfter / MS_PER_SECOND,
        })),
      },
      {
        name: 'slotwire_certificate_renewals_total',
        help: 'Server certificates that this device made since it started.',
        type: 'counter',
        samples: [{ value: this.renewals }],
      },
      {
        name: 'slotwire_certificate_renewal_failures_total',
        help: 'Attempts to make a server certificate that failed since the device started.',
        type: 'counter',
        samples: [{ value: this.failures }],
      },
    ]
  }
}
