import { defineElement } from './element.ts'

/** Nothing: the terminal is left open. */
export const open = defineElement<object, undefined>({
  kind: 'open',
  summary: 'nothing: the terminal is left open',
  primary: undefined,
  fields: {},
  description: () => 'open',
  branch: () => undefined,
})
