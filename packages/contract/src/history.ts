import { endpointErrors } from '@slotwire/core'
import type { Endpoint } from './endpoint.ts'
import { reads } from './endpoint-kinds.ts'
import { extensionPaths } from './extension-paths.ts'
import { anyObject, listOf, named, objectOf, text, unsigned } from './fields.ts'

/** Extensions outside the specification's `/api/`; their paths are complete. */
export const historyEndpoints = {
  history: {
    ...reads,
    path: extensionPaths.history,
    query: {
      since: {
        description: 'only records after this id, or since this time (RFC 3339); all by default',
        example: '2026-11-23T19:00:00Z',
      },
      kinds: { description: 'only records of these kinds, separated by commas', example: 'alert,module' },
      slots: { description: 'only records of these slots, separated by commas', example: '3' },
      count: { description: 'most records of the page, 1…1000; 100 by default', example: '100' },
    },
    reply: named(
      'History',
      objectOf({
        records: listOf(anyObject(), { description: 'oldest first; `count`: so many alerts of one pin within a second' }),
        next: text({ description: '`since` of the next page; the last page has no records' }),
      }),
    ),
    summary: 'Pages through what happened, also before the last start',
    description:
      'Records of the kinds `alert`, `device`, `module`, `power`, `protection` and `watchdog`, from the disk; a token sees its services.',
    errors: [endpointErrors.invalidField],
    spec: 'an extension of the project',
  },
  past: {
    ...reads,
    path: extensionPaths.past,
    query: {
      watch: {
        isRequired: true,
        description: 'a read with metrics, below `/api/` without version',
        example: 'io/3/input/values',
      },
      since: { description: 'only the last so long, 1s…1h; 1h by default', example: '10m' },
    },
    reply: named(
      'Past',
      objectOf({
        ago_milliseconds: listOf(unsigned(), { description: 'age of each row, the oldest first' }),
        series: listOf(anyObject(), { description: '`values`: one for each row, null where it is not known; which number' }),
      }),
    ),
    summary: 'Shows the numbers that were read in the last hour',
    description: 'From what clients, watches and metrics read: asks no module. A token sees its services.',
    errors: [endpointErrors.invalidField, endpointErrors.serviceNotGranted],
    spec: 'an extension of the project',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
