import { defineElement } from './element.ts'

/** No connection: the terminal is left open. */
export const open = defineElement<object>({
  kind: 'open',
  summary: 'nothing: the terminal is left open',
  description: () => 'open',
  branch: () => undefined,
})
