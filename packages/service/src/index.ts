export { type AlertsHandler, type ModuleAlert, UndoableReply } from './alerts.ts'
export { APP_PATH, type AppPage, isAppPath, readAppPage, wantsHtml } from './app-page.ts'
export { type MetricFamily, type MetricSource, type Sample, singleMetric } from './metrics/metric.ts'
export type { ModuleReadings, ReadingMetric, ReadingSample } from './metrics/readings.ts'
export * from './module-service.ts'
export { type Answer, COMMON_HEADERS, errorAnswer, JSON_TYPE, jsonText, sendAnswer, sendJson } from './pipeline/answer.ts'
export { pathSegments, placeOf, segmentsPlace } from './pipeline/api-path.ts'
export { BODY_UNFINISHED, deferContinue, failBody } from './pipeline/body.ts'
export {
  type ExtensionHandler,
  type ExtensionHandlers,
  extensionHandlers,
  type ServedExtension,
} from './pipeline/extension.ts'
export * from './pipeline/http-limits.ts'
export { assertUp } from './pipeline/module-request.ts'
export {
  type Caller,
  type Handle,
  hasBody,
  isSafe,
  loggedPath,
  type Request,
  type RequestOf,
  type Sender,
} from './pipeline/request.ts'
export type { Routes } from './pipeline/routes.ts'
export { endAfter, endsConnection, type RunningRequest } from './pipeline/running-requests.ts'
export { idleReader, type ReadWatched, type Watchable, watchableAt } from './pipeline/watchable.ts'
export type { WriteRecord, WriteTarget } from './pipeline/write-records.ts'
export { createService, Service, type ServiceDoor, type ServiceOptions } from './service.ts'
export * from './service-context.ts'
export { preferredType } from './static-content.ts'
