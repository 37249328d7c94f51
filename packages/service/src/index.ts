export { type AlertsHandler, Delivery } from './alerts.ts'
export { canonicalAddress, networkOf, plainAddress } from './listener/address.ts'
export { type Caller, callerOf, setCaller } from './listener/caller.ts'
export type { DoorManners, Forward, OpenDoor, PresentedCertificate } from './listener/door-manners.ts'
export { defaultHttpLimits, type HttpLimits } from './listener/http-limits.ts'
export { guardLoopback, guardOrigin, receiveLoopback } from './listener/loopback-guard.ts'
export type { Receive, Reception } from './listener/reception.ts'
export { TLS_1_2_CIPHERS } from './listener/tls-rules.ts'
export type { MetricFamily, MetricSource, Sample } from './metrics/metric.ts'
export type { ModuleReadings, ReadingMetric, ReadingSample } from './metrics/readings.ts'
export * from './module-service.ts'
export { type Answer, errorAnswer, sendAnswer } from './pipeline/answer.ts'
export { pathSegments, placeOf, segmentsPlace } from './pipeline/api-path.ts'
export { goAhead, onUnfinishedBody } from './pipeline/body.ts'
export { refusedAs } from './pipeline/client-error.ts'
export {
  type CheckedExtensionHandler,
  type CheckedExtensionHandlers,
  type ExtensionHandler,
  extensionHandlers,
  type ServedExtension,
} from './pipeline/extension.ts'
export { createService, Service, type ServiceOptions } from './service.ts'
export type { ServedRack, ServiceVersions } from './service-context.ts'
export type { WriteRecord } from './write-record.ts'
