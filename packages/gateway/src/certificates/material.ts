/** What a TLS server presents, in PEM. */
export interface ServerCertificate {
  /** The server's own certificate first, then those between it and the authority. */
  readonly chain: string
  readonly key: string
}

/** Names that a server certificate is to be valid for. */
export interface CertificateNames {
  /** Lower case. */
  readonly hosts: readonly string[]
  /** IP addresses. */
  readonly addresses: readonly string[]
}
