export type { EndpointsOf, Given, InputOf, Reply } from './calls.ts'
export { ClientError, type ErrorKind } from './client-error.ts'
export { type CallOptions, Connection, pauseMs } from './connection.ts'
export {
  type ConnectOptions,
  connectWith,
  Device,
  type DeviceEvents,
  type DeviceOf,
  type PresentModule,
  type Which,
} from './device.ts'
export { defineClient, Module, type ModuleClient, type ModuleOf } from './module.ts'
export type { DuringSetup, SessionChange, SetupResult } from './sessions.ts'
export type { Transport, TransportRequest } from './transport.ts'
