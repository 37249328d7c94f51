import { inOrder } from '../../settings/kind.ts'
import type { Element } from './element.ts'
import * as kinds from './kinds.ts'

export { type ButtonChange, type ButtonOptions, PRESS_DURATION_MS } from './button.ts'
export { type Between, type Element, type ElementKind, IDEAL_OHMS } from './element.ts'
export * from './kinds.ts'

/** All kinds of elements by name. */
export const elementKinds = inOrder(kinds)

/** Makes an element from a kind and unchecked settings. Throws `RangeError` that names the invalid setting and its bounds. */
export function elementFrom(kind: string, settings: Readonly<Record<string, unknown>>): Element {
  const found = Object.values(elementKinds).find((each) => each.kind === kind)
  if (found === undefined) throw new RangeError(`there is no element ${kind}: ${Object.keys(elementKinds).join(', ')}`)
  return found.from(settings)
}
