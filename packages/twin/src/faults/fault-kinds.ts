import { inOrder } from '../settings/kind.ts'
import type { Fault } from './fault.ts'
import * as kinds from './kinds.ts'

/** All kinds of faults by name. */
export const faultKinds = inOrder(kinds)

/** Makes a fault from a kind and unchecked settings. Throws `RangeError` that names the invalid setting and its bounds. */
export function faultFrom(kind: string, settings: Readonly<Record<string, unknown>>): Fault {
  const found = Object.values(faultKinds).find((each) => each.kind === kind)
  if (found === undefined) throw new RangeError(`there is no fault ${kind}: ${Object.keys(faultKinds).join(', ')}`)
  return found.from(settings)
}
