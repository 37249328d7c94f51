import { shownJson } from '../read/json.ts'
import type { Status } from '../read/rest-types.ts'
import type { Outcome } from '../run/run.ts'
import type { Matcher, Mismatch } from './matcher.ts'

/** Expected status and body of an answer. */
export interface ExpectedAnswer {
  /** Default 200. */
  readonly status: Status | undefined
  readonly body: Matcher | undefined
}

/** The first difference between an answer and the expectation; undefined if the answer matches. */
export function answerMismatch(outcome: Outcome, { status = 200, body }: ExpectedAnswer): Mismatch | undefined {
  if ('refused' in outcome)
    return status === 'none' ? undefined : { path: 'status', expected: String(status), seen: `no answer (${outcome.refused})` }
  const isExpected = status === 'any' || status === outcome.status
  if (!isExpected) {
    const expected = status === 'none' ? 'no answer at all' : String(status)
    return { path: 'status', expected, seen: `${outcome.status} ${shownJson(outcome.body)}` }
  }
  return body?.mismatch(outcome.body)
}
