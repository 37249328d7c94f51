import { endpointErrors } from '@slotwire/core'
import type { Endpoint, ReplyOf } from './endpoint.ts'
import { extensionReads } from './endpoint-kinds.ts'
import { extensionPaths } from './extension-paths.ts'
import { anyObject, integer, listOf, literal, named, objectOf, text, unsigned } from './fields.ts'
import { namedPinSchema } from './pins.ts'
import { successSchema } from './schemas.ts'

/** `warnings`: what an operator must check although the service answers requests. */
const readySchema = named(
  'Readiness',
  objectOf({ status: literal('success'), warnings: listOf(text()) }, { optional: ['warnings'] }),
)

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

const recordFilter = {
  kinds: { description: 'only records of these kinds, separated by commas', example: 'alert,module' },
  slots: { description: 'only records of these slots, separated by commas', example: '3' },
} as const

/** Extensions outside the specification's `/api/`, about the process and all modules; their paths are complete. */
export const processEndpoints = {
  about: {
    ...extensionReads,
    path: extensionPaths.about,
    reply: named(
      'About',
      objectOf({ name: literal('slotwire'), version: text({ description: 'version of Slotwire: major.minor.patch' }) }),
    ),
    summary: 'Names the server and its version',
  },
  livez: {
    ...extensionReads,
    path: extensionPaths.livez,
    reply: successSchema,
    summary: 'Reports that the process is alive',
  },
  readyz: {
    ...extensionReads,
    path: extensionPaths.readyz,
    reply: readySchema,
    summary: 'Reports whether the device can be used',
    errors: [endpointErrors.deviceRestarting, endpointErrors.starting, endpointErrors.stopping],
  },
  /** It names modules and programs, so it is not public. */
  metrics: {
    ...extensionReads,
    path: '/slotwire/metrics',
    reply: text({ description: 'text format 0.0.4' }),
    mediaType: 'text/plain',
    summary: 'Reports the state of the process and the modules to Prometheus',
    description:
      'Requests, slots, bus and readings of the modules. Never waits for a module: readings are those last made, with their age.',
  },
  state: {
    ...extensionReads,
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
  },
  events: {
    ...extensionReads,
    path: extensionPaths.events,
    query: {
      after: {
        description: 'id of the last record that the client has; the header `Last-Event-ID` counts first',
        example: '7-1234',
      },
      ...recordFilter,
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
  },
  history: {
    ...extensionReads,
    path: extensionPaths.history,
    query: {
      since: {
        description: 'only records after this id, or since this time (RFC 3339); all by default',
        example: '2026-11-23T19:00:00Z',
      },
      ...recordFilter,
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
  },
  past: {
    ...extensionReads,
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
  },
} as const satisfies Readonly<Record<string, Endpoint>>

/** The state of the device at a moment: the body of `GET /slotwire/state`. */
export type StateDocument = ReplyOf<typeof processEndpoints.state>
