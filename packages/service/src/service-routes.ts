import { readFile } from 'node:fs/promises'
import {
  API_VERSION,
  type Contract,
  type Endpoint,
  genericEndpoints,
  processEndpoints,
  type ReplyOf,
  servicePath,
  type ValueOf,
  versionRoot,
} from '@slotwire/contract'
import { coreErrors, formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import { DOCS_FILES, DOCS_PATH, DOCS_POLICY, docsPage, OPENAPI_PATH, pageHeaders, wantsHtml } from './app-page.ts'
import { EXPOSITION_TYPE, exposition, type MetricFamily, type MetricSource, type Sample, singleMetric } from './metrics/metric.ts'
import { processFamilies } from './metrics/process-metrics.ts'
import { ReadingRefresher, readingFamilies } from './metrics/reading-metrics.ts'
import { slotFamilies } from './metrics/slot-metrics.ts'
import type { Handler, ModuleService } from './module-service.ts'
import { JSON_TYPE, jsonText, sendAnswer, sendJson } from './pipeline/answer.ts'
import { methodsOf, RESOURCE_VERSIONS, SUPPORTED_VERSION, versionSupport } from './pipeline/api-path.ts'
import { noSuchVersion, visibleServices } from './pipeline/hints.ts'
import { assertUp, locator, moduleRequest } from './pipeline/module-request.ts'
import type { Caller, Handle } from './pipeline/request.ts'
import type { Routes } from './pipeline/routes.ts'
import type { ServiceContext } from './service-context.ts'
import { staticContent } from './static-content.ts'

/** Routes of one module service: version root, generic endpoints, and the contract's endpoints. */
export function addServiceRoutes(routes: Routes, module: ModuleService, context: ServiceContext): void {
  const { service, endpoints } = module.contract
  const base = `/api/${service}`
  routes.add({
    service,
    endpoint: 'versionRoot',
    path: base,
    methods: methodsOf(versionRoot),
    check: ([version]) => {
      assertUp(context)
      assertRootVersion(service, version)
    },
    handler: () => versionRootHandler(module, context),
  })
  const handlers = handlersOf(module)
  for (const [name, endpoint] of Object.entries<Endpoint>({ ...genericEndpoints, ...endpoints })) {
    const handler = handlers[name]
    if (handler === undefined) throw new Error(`${service}: the endpoint ${name} has no handler`)
    const served = { name, endpoint, handler, service: module }
    for (const version of RESOURCE_VERSIONS) {
      routes.add({
        service,
        endpoint: name,
        path: `${base}/${version}/{slot}${endpoint.path}`,
        methods: methodsOf(endpoint),
        check: (values, caller) => locator(served, context)(values, caller),
        handler: () => moduleRequest(served, context),
      })
    }
  }
}

/** Throws the error for the version segment of a version root. */
function assertRootVersion(service: string, segment: string | undefined): void {
  const support = segment === undefined ? 'resources' : versionSupport(segment)
  if (support === 'no-version') throw noSuchVersion(service)
  if (support === 'unsupported') throw coreErrors.versionNotSupported({ version: segment ?? '', supported: SUPPORTED_VERSION })
}

/** `GET /`: versions and usable modules of a service; spec "Version and device list". From memory: never waits for a module. */
function versionRootHandler(service: ModuleService, context: ServiceContext): Handle {
  const { rack, backplane, versions } = context
  return (_request, response, { values: [version] }) => {
    assertUp(context)
    assertRootVersion(service.contract.service, version)
    const body: ValueOf<typeof versionRoot.reply> = {
      driver_session: rack.driverSession,
      version: {
        api: API_VERSION,
        service: versions.service,
        module_driver: versions.moduleDriver,
        kernel_driver: backplane.kernelDriver,
      },
      devices: rack.usable(service.vendorProductId).map(({ slot, protocolVersion, session }) => ({
        slot_number: slot,
        sdbp_version: protocolVersion,
        device_session: session,
      })),
    }
    sendJson(response, jsonText(body))
  }
}

const ABOUT = jsonText({ name: 'slotwire', version: formatVersion(SLOTWIRE_VERSION) })
const SUCCESS = jsonText({ status: 'success' })

const MS_PER_SECOND = 1000

/** `/slotwire/`: name and version. `/slotwire/livez`: the process is alive. `/slotwire/readyz`: the modules are known, the device is up, and the service is not closing. */
export function addHealthRoutes(routes: Routes, context: ServiceContext, warnings: () => readonly string[]): void {
  const { rack, running } = context
  routes.addOwn('about', (_request, response) => sendJson(response, ABOUT))
  routes.addOwn('livez', (_request, response) => sendJson(response, SUCCESS))
  routes.addOwn('readyz', (_request, response) => {
    if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
    if (running.closing) throw coreErrors.stopping()
    if (!rack.ready) throw coreErrors.starting()
    const silent = rack.inventory().flatMap(({ slot, silentMs }) => {
      if (silentMs === undefined) return []
      return `slot ${slot}: the module has not answered for ${Math.ceil(silentMs / MS_PER_SECOND)} s and is not used`
    })
    const present = [...warnings(), ...silent]
    sendJson(response, present.length === 0 ? SUCCESS : jsonText({ status: 'success', warnings: present }))
  })
}

/** Handlers of the endpoints that every module has; spec "Generic endpoints". */
const genericHandlers: Readonly<Record<keyof typeof genericEndpoints, Handler>> = {
  reset: { kind: 'bus', run: (exchange, _request, { slot }) => slot.reset(exchange) },
  descriptor: {
    kind: 'direct',
    run: async (_request, { slot }): Promise<ReplyOf<(typeof genericEndpoints)['descriptor']>> => {
      const descriptor = await slot.descriptor()
      return {
        slot_number: slot.slot,
        vendor_product_id: descriptor.vendorProductId,
        product_name: descriptor.productName,
        vendor_name: descriptor.vendorName,
        serial_code: descriptor.serialCode,
        fw_version: { stability: descriptor.firmware.stability, version: descriptor.firmware.version },
        hw_version: descriptor.hardwareVersion,
        protocol_version: descriptor.protocolVersion,
        bootloader_state: descriptor.bootloaderState,
        max_frame_size: descriptor.maxFrameSize,
        max_power_12v: descriptor.maxPower12v,
        max_power_5v0: descriptor.maxPower5v0,
        max_power_3v3: descriptor.maxPower3v3,
        max_sclk_speed: descriptor.maxSclkSpeedKhz,
      }
    },
  },
}

/** The handlers of all endpoints of a module service, by their names in the contract. */
export function handlersOf({ handlers }: ModuleService): Readonly<Record<string, Handler>> {
  return { ...genericHandlers, ...handlers }
}

/** `/slotwire/metrics`: answered from memory. After the response, old readings of modules are refreshed for the next scrape. */
export function addMetricsRoutes(routes: Routes, context: ServiceContext, sources: readonly MetricSource[]): void {
  const refresher = new ReadingRefresher(context)
  const all = [() => ownFamilies(context), ...sources]
  routes.addOwn('metrics', ({ method }, response, { caller }) => {
    const isSeen = samplesFor(caller, context)
    const families = all.flatMap((source) => familiesOf(source, context))
    const body = exposition(families.map((family) => ({ ...family, samples: family.samples.filter(isSeen) })))
    sendAnswer(response, { status: 200, headers: { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' }, body })
    if (method === 'HEAD') return
    context.eventLoop.start()
    refresher.refresh()
  })
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

function ownFamilies(context: ServiceContext): MetricFamily[] {
  const { rack, running, requests, eventLoop, versions } = context
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
    ...readingFamilies(context),
  ]
}

const READING = ['GET', 'HEAD']
const LINKS = '<nav>'
const END_OF_LINKS = '</nav>'
const BEGINNING = { docs: DOCS_PATH, openapi: OPENAPI_PATH, health: processEndpoints.readyz.path }

/**
 * Routes of the API document, of the page that shows it and those of the extensions, and of `/`: it shows browsers the page of the app
 * (`appPage`; without one, it redirects them to the API reference), and programs where to begin.
 */
export function addDocsRoutes(
  routes: Routes,
  contracts: readonly Contract[],
  extensions: readonly string[],
  openApi: () => object,
  appPage?: Handle,
): void {
  const get = (path: string, handle: Handle): void => {
    routes.add({ service: 'slotwire', endpoint: 'docs', path, methods: READING, handler: () => handle })
  }

  addDocument(routes, OPENAPI_PATH, openApi)
  const back = appPage === undefined ? '' : '<a href="/">← Console</a> '
  const links = extensions.map((name) => ` <a href="?${name}">${name}</a>`).join('')
  const html = async () =>
    Buffer.from((await readFile(docsPage.file, 'utf8')).replace(LINKS, LINKS + back).replace(END_OF_LINKS, links + END_OF_LINKS))
  get(DOCS_PATH, page(docsPage.type, html))
  for (const { path, type, file } of DOCS_FILES)
    get(
      path,
      page(type, () => readFile(file)),
    )
  get('/', (request, response, match) => {
    if (!wantsHtml(request.headers)) {
      const services = Object.fromEntries(visibleServices(contracts, match.caller))
      sendJson(response, jsonText({ name: 'slotwire', version: formatVersion(SLOTWIRE_VERSION), services, ...BEGINNING }))
      return undefined
    }
    if (appPage !== undefined) return appPage(request, response, match)
    sendAnswer(response, { status: 302, headers: { location: DOCS_PATH, 'cache-control': 'no-store' }, body: '' })
    return undefined
  })
}

/** Route of an API document, made at the first request. */
export function addDocument(routes: Routes, path: string, openApi: () => object): void {
  const handle = staticContent({ 'content-type': JSON_TYPE }, () => Buffer.from(jsonText(openApi())))
  routes.add({ service: 'slotwire', endpoint: 'docs', path, methods: READING, handler: () => handle })
}

function page(type: string, load: () => Promise<Buffer>): Handle {
  return staticContent(pageHeaders(type, DOCS_POLICY), load)
}
