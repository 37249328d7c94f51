import type { SlotwireError } from '@slotwire/core'
import { RETRY_AFTER_SECONDS } from '../listener/http-limits.ts'

/** Content type of every JSON answer, success or error, to the byte. */
export const JSON_TYPE = 'application/json'

/** An answer that needs no framework to be sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const SERVICE_UNAVAILABLE = 503

/** The specification's error body ("Errors", rule 3) with its headers; `extra` headers go on top. */
export function errorAnswer(error: SlotwireError, extra: Readonly<Record<string, string>> = {}): Answer {
  return {
    status: error.status,
    headers: {
      'content-type': JSON_TYPE,
      'cache-control': 'no-store',
      ...(error.status === SERVICE_UNAVAILABLE ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
      ...extra,
    },
    body: JSON.stringify({ status: 'error', code: error.status, message: error.message }),
  }
}
