export { canonicalAddress, networkOf, plainAddress } from './address.ts'
export { type Answer, errorAnswer } from './answer.ts'
export { matchPath, pathSegments } from './api-path.ts'
export { type Caller, callerOf, setCaller } from './caller.ts'
export { refusedAs } from './client-error.ts'
export type { DoorManners, Forward, OpenDoor, PresentedCertificate } from './door-manners.ts'
export {
  type CheckedExtensionHandler,
  type CheckedExtensionHandlers,
  type ExtensionHandler,
  extensionHandlers,
  type ServedExtension,
} from './extension.ts'
export { goAhead } from './go-ahead.ts'
export { defaultHttpLimits, type HttpLimits } from './http-limits.ts'
export { guardLoopback, guardOrigin, receiveLoopback } from './loopback-guard.ts'
export type { MetricFamily, MetricSource, Sample } from './metrics/metric.ts'
export type { ModuleReadings, ReadingMetric, ReadingSample } from './metrics/readings.ts'
export * from './module-service.ts'
export type { Receive, Reception } from './reception.ts'
export { createService, Service, type ServiceOptions } from './service.ts'
export type { ServedRack, ServiceVersions } from './service-context.ts'
export { TLS_1_2_CIPHERS } from './tls-rules.ts'
export { onUnfinishedBody } from './unfinished-body.ts'
export type { WriteRecord } from './write-record.ts'
