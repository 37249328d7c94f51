import { type Log, silentLog } from '@slotwire/core'

/** Prints warnings and errors on standard error: a command has no other log. */
export function hintLog(hint: (text: string) => void): Log {
  const tell = (fields: object, message: string): void => hint(`slotwire: ${message}${reasonIn(fields)}\n`)
  return { ...silentLog, warn: tell, error: tell }
}

function reasonIn(fields: object): string {
  if ('err' in fields && fields.err instanceof Error) return ` (${fields.err.message})`
  if ('reason' in fields && typeof fields.reason === 'string') return ` (${fields.reason})`
  return ''
}
