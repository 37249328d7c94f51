import { ClientError } from '@slotwire/client'
import { messageOf } from '@slotwire/core'
import { en } from '../texts/en.ts'

/** An error for `texts.error`: its name if there are words for it, else what it says without the method and path before it. */
export function reasonOf(error: unknown): string {
  if (error instanceof ClientError && error.code !== undefined && en.error(error.code) !== error.code) return error.code
  return messageOf(error).replace(/^[A-Z]+ \/\S*: /, '')
}
