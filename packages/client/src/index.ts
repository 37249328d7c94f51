export { type CallArguments, type EndpointsOf, hasForm, type InputOf, type Reply, shortName } from './calls.ts'
export { ClientError, type ErrorKind, inWordsOf, type Remedies } from './client-error.ts'
export {
  type ConnectOptions,
  connectWith,
  Device,
  type DeviceEvents,
  type DeviceOf,
  type ModuleSelector,
  type OffModule,
  type PresentModule,
} from './device.ts'
export { type CallOptions, HttpClient, pauseMs } from './http-client.ts'
export { Feed, type MakeSource, type Message } from './live/feed.ts'
export { type HistoryOptions, readState } from './live/history.ts'
export { type Gap, type Inbox, isGap } from './live/inbox.ts'
export { type Grant, isGrant, type Lease, type LeaseOptions } from './live/lease.ts'
export { type Alert, type ConnectionChange, forEach, type JournalRecord, type RecordFilter } from './live/live.ts'
export type { Past } from './live/past.ts'
export type { Interval, WatchUpdate } from './live/values.ts'
export { defineClient, Module, type ModuleClient, type ModuleOf, moduleOf } from './module.ts'
export { type DuringSetup, type SessionChange, type SetupResult, throwLater } from './sessions.ts'
export { baseUrl, type InProcess, readText, type Transport, type TransportRequest } from './transport.ts'
