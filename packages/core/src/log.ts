/** Where the project writes what happened; pino fits. Fields first, then one plain sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const nothing = (): void => undefined

/** A log that keeps nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
