/** One line of the audit log. Holds no secret. */
export interface AuditEntry {
  /** Name of the token; `local` for a command typed on the device itself. */
  readonly who: string
  /** Id of the token, if there is one: names can be reused. */
  readonly token?: string
  /** IP address of the client, if there is one. */
  readonly address?: string
  /** `write`, `token.create`, `certificate.import`, `settings.set`, … */
  readonly action: string
  /** Details: path and body of a write, name of a token, keys of settings. */
  readonly what: Readonly<Record<string, unknown>>
  /** `success` or the reason of the failure; for a write its HTTP status, for several refused writes `refused`. */
  readonly result: string | number
}

/** Permanent record of changes. */
export interface AuditLog {
  /** Never throws: if an entry cannot be written, it goes to the service's log as an error. */
  add(entry: AuditEntry): void
}
