import { inOrder } from '../../settings/kind.ts'
import * as kinds from './kinds.ts'

export { PRESS_DURATION_MS } from './button.ts'
export { type Element, type ElementKind, IDEAL_OHMS } from './element.ts'
export * from './kinds.ts'

/** All kinds of elements by name. */
export const elementKinds = inOrder(kinds)
