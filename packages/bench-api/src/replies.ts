import { integer, literal, objectOf, type Schema } from '@slotwire/contract'

/** `status` and more. */
export function doneSchema<const Properties extends Readonly<Record<string, Schema>>>(properties: Properties) {
  return objectOf({ status: literal('success'), ...properties })
}

/** The reply to everything that connects. */
export const connectedSchema = doneSchema({
  connection: integer({ description: 'its number, for changing it and taking it away' }),
})
