import type { ClientError } from './client-error.ts'

/** What users of a surface can do about an error, by its name: the server's remedies are requests. */
export type Remedies = Readonly<Record<string, string>>

/** The message of a named error for users who send no requests: without the request, and with the surface's own remedy if it has one. */
export function inWordsOf(remedies: Remedies, { message, request, code = '' }: ClientError): string {
  const remedy = Object.hasOwn(remedies, code) ? remedies[code] : undefined
  const text = request === undefined || code === '' ? message : message.replace(`${request}: `, '')
  if (remedy === undefined) return text
  const end = text.lastIndexOf(': ')
  return `${end < 0 ? text : text.slice(0, end)}: ${remedy}`
}
