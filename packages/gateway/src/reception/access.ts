import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer, pathSegments } from '@slotwire/service'
import type { Token } from '../tokens/token.ts'

/** Decoded segments that another server may take for a step up or for several: a limited token opens no path with one. */
const AMBIGUOUS = /^\.{1,2}$|[/\\\0]/
/** Below `/slotwire/`: what no one from the network gets to see, whoever that is. */
const HIDDEN = new Set(['bench', 'auth', 'status'])
/** Below `/slotwire/`: what tells of all services at once. */
const OF_ALL_SERVICES = new Set(['metrics'])

/** Whether a path is for programs of the device alone. `segments` are those of `pathSegments`. */
export function isHidden([root, name]: readonly string[]): boolean {
  return root === 'slotwire' && HIDDEN.has(name ?? '')
}

/** What to answer where a token does not open what a request is for; undefined: it does. Judged by the path as the service itself splits it. */
export function scopeRefusal({ services }: Token, url: string): Answer | undefined {
  if (services === undefined) return undefined
  const segments = pathSegments(url)
  if (segments === undefined || segments.some((segment) => AMBIGUOUS.test(segment))) return refusal(services)
  const [root, name = ''] = segments
  if (root === 'api') return services.includes(name) ? undefined : refusal(services)
  return root === 'slotwire' && OF_ALL_SERVICES.has(name) ? refusal(services) : undefined
}

function refusal(services: readonly string[]): Answer {
  return errorAnswer(coreErrors.serviceNotGranted({ services: services.join(', ') }))
}
