import { shownJson } from '../read/json.ts'
import type { Status } from '../read/rest-types.ts'
import type { Outcome } from '../run/run.ts'
import type { Matcher, Mismatch } from './matcher.ts'

/** What an answer must be. */
export interface WantedAnswer {
  /** 200 unless told otherwise. */
  readonly status: Status | undefined
  readonly body: Matcher | undefined
}

/** Where an answer is not as wanted; undefined where it is. */
export function answerMismatch(outcome: Outcome, { status = 200, body }: WantedAnswer): Mismatch | undefined {
  if ('refused' in outcome)
    return status === 'none' ? undefined : { path: 'status', expected: String(status), seen: `no answer (${outcome.refused})` }
  const isWanted = status === 'any' || status === outcome.status
  if (!isWanted) {
    const expected = status === 'none' ? 'no answer at all' : String(status)
    return { path: 'status', expected, seen: `${outcome.status} ${shownJson(outcome.body)}` }
  }
  return body?.mismatch(outcome.body)
}
