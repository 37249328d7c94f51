import type { ClientError } from './client-error.ts'

/** What users of a surface can do about an error, by its name: the server's remedies are requests. */
export type Remedies = Readonly<Record<string, string>>

/** The message of an error for users who send no requests: with the surface's own remedy, if it has one. */
export function inWordsOf(remedies: Remedies, { message, request, code = '' }: ClientError): string {
  const remedy = Object.hasOwn(remedies, code) ? remedies[code] : undefined
  if (remedy === undefined) return message
  const text = request === undefined ? message : message.replace(`${request}: `, '')
  const end = text.lastIndexOf(': ')
  return `${end < 0 ? text : text.slice(0, end)}: ${remedy}`
}
