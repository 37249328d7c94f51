import { type Finding, OUTCOMES } from '../check.ts'
import type { Installation } from '../installation.ts'

/** What the process of the checks says when it can be asked. */
export const READY = 'ready'

/** What it is asked: one check at a time, by its name. */
export interface CheckRequest {
  readonly check: string
  readonly installation: Installation
}

/** Whether that is an answer. */
export function areFindings(message: unknown): message is readonly Finding[] {
  return Array.isArray(message) && message.every(isFinding)
}

function isFinding(value: unknown): value is Finding {
  if (typeof value !== 'object' || value === null || !('outcome' in value) || !('found' in value)) return false
  return OUTCOMES.some((outcome) => outcome === value.outcome) && typeof value.found === 'string'
}
