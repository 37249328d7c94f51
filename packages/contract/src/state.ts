import type { Endpoint } from './endpoint.ts'
import { reads } from './endpoint-kinds.ts'
import { extensionPaths } from './extension-paths.ts'
import { anyObject, integer, listOf, named, objectOf, text, unsigned } from './fields.ts'
import { namedPinSchema } from './pins.ts'

const module = named(
  'ModuleState',
  objectOf(
    {
      slot: unsigned(),
      service: text({ description: 'name of the service: io' }),
      type: text({ description: 'vendor_product_id of the module' }),
      session: text({ description: 'device_session of the module' }),
      since: text({ description: 'RFC 3339; when this session began, by the date of the device at that time' }),
      state: anyObject({ description: 'as last acknowledged in this session; "unknown" for what is not known' }),
      pins: listOf(namedPinSchema, { description: 'pins that the operator named; missing: none' }),
    },
    { optional: ['pins'] },
  ),
)

/** An extension outside the specification's `/api/`; its path is complete. */
export const stateEndpoints = {
  state: {
    ...reads,
    path: extensionPaths.state,
    reply: named(
      'State',
      objectOf({
        boot: integer({ min: 1, description: 'number of this start of the process' }),
        last: text({ description: 'id of the last record of the journal' }),
        driver_session: text(),
        modules: listOf(module, { description: 'usable modules, ordered by slot' }),
        leases: listOf(anyObject(), { description: 'who may write to a slot' }),
      }),
    ),
    summary: 'Shows the state of all modules, and who may write to them',
    description:
      'What the other endpoints cannot read back, such as the mode of a pin. Answered from memory; a token sees its services.',
    spec: 'an extension of the project',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
