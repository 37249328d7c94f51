import { inOrder } from '../../settings/kind.ts'
import * as kinds from './kinds.ts'

export { type ButtonChange, type ButtonOptions, PRESS_DURATION_MS } from './button.ts'
export { type Between, type Element, type ElementKind, IDEAL_OHMS } from './element.ts'
export * from './kinds.ts'

/** All kinds of elements by name. */
export const elementKinds = inOrder(kinds)
