import { metricsEndpoints, servicePath } from '@slotwire/contract'
import { EXPOSITION_TYPE, exposition, type MetricFamily, type MetricSource, type Sample, singleMetric } from './metrics/metric.ts'
import { processFamilies } from './metrics/process-metrics.ts'
import { ReadingRefresher, readingFamilies } from './metrics/reading-metrics.ts'
import { slotFamilies } from './metrics/slot-metrics.ts'
import { sendAnswer } from './pipeline/answer.ts'
import { methodsOf } from './pipeline/api-path.ts'
import type { Caller, Handle } from './pipeline/request.ts'
import type { Routes } from './pipeline/routes.ts'
import type { ServiceContext } from './service-context.ts'

/** `/slotwire/metrics`: answered from memory. After the response, old readings of modules are refreshed for the next scrape. */
export function addMetricsRoutes(routes: Routes, context: ServiceContext, sources: readonly MetricSource[]): void {
  const { metrics } = metricsEndpoints
  const handler = () => metricsHandler(context, sources)
  routes.add({ service: 'slotwire', endpoint: 'metrics', path: metrics.path, methods: methodsOf(metrics), handler })
}

function metricsHandler(context: ServiceContext, sources: readonly MetricSource[]): Handle {
  const refresher = new ReadingRefresher(context)
  const all = [() => ownFamilies(context), ...sources]
  return ({ method }, response, { caller }) => {
    const isSeen = samplesFor(caller, context)
    const families = all.flatMap((source) => familiesOf(source, context))
    const body = exposition(families.map((family) => ({ ...family, samples: family.samples.filter(isSeen) })))
    sendAnswer(response, { status: 200, headers: { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' }, body })
    if (method === 'HEAD') return
    context.eventLoop.start()
    refresher.refresh()
  }
}

/** The samples that a caller may see: none of services that its token does not grant, nor of their modules. */
function samplesFor(caller: Caller | undefined, { contracts, services, rack }: ServiceContext): (sample: Sample) => boolean {
  const isHidden = (service: string): boolean => caller?.sees?.(servicePath(service)) === false
  const hidden = contracts.map(({ service }) => service).filter(isHidden)
  if (hidden.length === 0) return () => true
  const modules = services.filter(({ contract }) => hidden.includes(contract.service))
  const slots = modules.flatMap(({ vendorProductId }) => rack.usable(vendorProductId).map(({ slot }) => slot))
  return ({ labels: { service, slot } = {} }) => !hidden.includes(String(service)) && !slots.includes(Number(slot))
}

/** A source that throws is logged and omitted. */
function familiesOf(source: MetricSource, { log }: ServiceContext): readonly MetricFamily[] {
  try {
    return source()
  } catch (error) {
    log.error({ err: error }, 'a source of metrics failed')
    return []
  }
}

function ownFamilies({ services, rack, running, requests, readings, eventLoop, versions }: ServiceContext): MetricFamily[] {
  const isReady = rack.ready && rack.state === 'up' && !running.closing
  return [
    ...processFamilies(versions.service, eventLoop),
    singleMetric('gauge', 'slotwire_ready', '1 while the device can be used, like /slotwire/readyz.', isReady ? 1 : 0),
    ...requests.families(),
    singleMetric('gauge', 'slotwire_http_requests_in_flight', 'Requests without a response yet.', running.size),
    {
      name: 'slotwire_http_connections',
      help: 'Open connections, by the kind of the door.',
      type: 'gauge',
      samples: Object.entries(requests.connections).map(([door, value]) => ({ labels: { door }, value })),
    },
    ...slotFamilies(rack.inventory()),
    ...readingFamilies(services, rack, readings),
  ]
}
