/** The log of the project; pino fits. Fields first, then one plain sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const nothing = (): void => undefined

/** A log that drops everything. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
