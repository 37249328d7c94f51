import type { Rail } from '@slotwire/core'
import type { ReplyTo, Service } from './device-types.ts'

export type Sensor = keyof ReplyTo<'power', 'getTemperature'> | keyof ReplyTo<'bmc', 'getTemperature'>

export interface ModulePlace {
  readonly slot: number
  readonly service: string
}

/** Something that needs a person. */
export type Problem =
  | { readonly kind: 'lost' | 'restarting' }
  | (ModulePlace & { readonly kind: 'left' | 'hung' | 'new-session' | 'emergency' })
  | (ModulePlace & { readonly kind: 'unreadable'; readonly error: string })
  | (ModulePlace & { readonly kind: 'alerts'; readonly pin: number; readonly flags: readonly string[]; readonly count: number })
  | (ModulePlace & { readonly kind: 'protection'; readonly counter: string; readonly count: number })
  | (ModulePlace & { readonly kind: 'rail-limit' | 'rail-off'; readonly rail: Rail })
  | (ModulePlace & { readonly kind: 'hot'; readonly sensor: Sensor; readonly celsius: number })
  | (ModulePlace & { readonly kind: 'watchdog'; readonly leftMs: number })
  | { readonly kind: 'hidden'; readonly services: readonly Service[] }
  | { readonly kind: 'warning'; readonly text: string }

/** A text for each kind. */
export type ProblemTexts = { readonly [Kind in Problem['kind']]: (problem: Problem & { readonly kind: Kind }) => string }

/** Problems that cannot wait. */
const BAD = ['lost', 'restarting', 'left', 'hung', 'unreadable', 'emergency', 'rail-limit', 'rail-off', 'watchdog']

export function isBad({ kind }: Problem): boolean {
  return BAD.includes(kind)
}

/** The page where a problem can be dealt with. */
export function pageOf(problem: Problem): string {
  if ('slot' in problem) return `#/${problem.service}/${problem.slot}`
  return problem.kind === 'restarting' ? '#/events' : '#/about'
}
