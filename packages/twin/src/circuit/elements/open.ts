import { defineElement } from './element.ts'

/** Nothing: the terminal is left open. */
export const open = defineElement<object>({
  kind: 'open',
  summary: 'nothing: the terminal is left open',
  description: () => 'open',
  branch: () => undefined,
})
