/** One line of the audit log. Holds no secret. */
export interface AuditEntry {
  /** Name of the token; `local` for what was typed on the device itself. */
  readonly who: string
  /** Id of the token, where there is one: names may be given again. */
  readonly token?: string
  /** IP address of the client, where there is one. */
  readonly address?: string
  /** `write`, `token.create`, `certificate.import`, `settings.set`, … */
  readonly action: string
  /** What it was done to, or with: path and body of a write, name of a token, keys of settings. */
  readonly what: Readonly<Record<string, unknown>>
  /** `success`, or why not; of a write the HTTP status, `refused` of several that were refused. */
  readonly result: string | number
}

/** Where changes are written down for good. */
export interface AuditLog {
  /** Never throws: what cannot be written goes to the log as an error. */
  add(entry: AuditEntry): void
}
