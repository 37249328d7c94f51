import { integer, literal, named, objectOf, type Schema } from '@slotwire/contract'

/** A reply with `status` and these fields. */
export function doneSchema<const Properties extends Readonly<Record<string, Schema>>>(properties: Properties) {
  return objectOf({ status: literal('success'), ...properties })
}

/** Reply of endpoints that make a connection. */
export const connectedSchema = named(
  'Connected',
  doneSchema({
    connection: integer({ description: 'number of the connection, for changing and removing it' }),
  }),
)

/** Reply of endpoints that begin a fault. */
export const injectedSchema = named(
  'Injected',
  doneSchema({ fault: integer({ description: 'number of the fault, for clearing it' }) }),
)
