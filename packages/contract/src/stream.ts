import { endpointErrors } from '@slotwire/core'
import type { Endpoint } from './endpoint.ts'
import { reads } from './endpoint-kinds.ts'
import { extensionPaths } from './extension-paths.ts'
import { anyObject, listOf, named, objectOf, text } from './fields.ts'

/** The event stream, an extension outside the specification's `/api/`; its path is complete. */
export const streamEndpoints = {
  events: {
    ...reads,
    path: extensionPaths.events,
    query: {
      after: {
        description: 'id of the last record that the client has; the header `Last-Event-ID` counts first',
        example: '7-1234',
      },
      kinds: { description: 'only records of these kinds, separated by commas', example: 'alert,module' },
      slots: { description: 'only records of these slots, separated by commas', example: '3' },
      watch: {
        description: 'values to add, separated by commas: the path of a read below `/api/`, without version, and an interval',
        example: 'io/3/input/values@250ms',
      },
      wait: { description: 'answers with JSON, after this time at the latest: a long poll', example: '20s' },
    },
    reply: text({ description: 'Server-Sent Events; one JSON object with a `kind` in each' }),
    mediaType: 'text/event-stream',
    jsonReply: named(
      'EventPage',
      objectOf({
        messages: listOf(anyObject(), { description: 'in order, each with its `kind`' }),
        next: text({ description: '`after` of the next request' }),
      }),
    ),
    summary: 'Streams everything that happens, or waits for it',
    description:
      'Without a position the first message is `hello`, with the state. With one the missing records come first; what is lost is a `gap`. With `wait`, or `Accept: application/json`, the answer is JSON.',
    errors: [endpointErrors.invalidField, endpointErrors.serviceNotGranted, endpointErrors.streamsTaken, endpointErrors.stopping],
    spec: 'an extension of the project',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
