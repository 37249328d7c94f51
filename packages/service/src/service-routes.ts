import {
  API_VERSION,
  type Endpoint,
  genericEndpoints,
  healthEndpoints,
  type ReplyOf,
  type ValueOf,
  versionRoot,
} from '@slotwire/contract'
import { coreErrors, formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { CheckedHandler, ModuleService } from './module-service.ts'
import { jsonText, sendJson } from './pipeline/answer.ts'
import { methodsOf, RESOURCE_VERSIONS, SUPPORTED_VERSION, versionSupport } from './pipeline/api-path.ts'
import { noSuchVersion } from './pipeline/hints.ts'
import { locator, moduleRequest } from './pipeline/module-request.ts'
import type { Handle } from './pipeline/request.ts'
import type { Routes } from './pipeline/routes.ts'
import { assertUp, type ServiceContext } from './service-context.ts'

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

type Device = ValueOf<typeof versionRoot.reply>['devices'][number]

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
      devices: rack.usable(service.vendorProductId).map(deviceOf),
    }
    sendJson(response, jsonText(body))
  }
}

function deviceOf({ slot, protocolVersion, session }: SlotApi): Device {
  return { slot_number: slot, sdbp_version: protocolVersion, device_session: session }
}

const ABOUT = jsonText({ name: 'slotwire', version: formatVersion(SLOTWIRE_VERSION) })
const SUCCESS = jsonText({ status: 'success' })

const MS_PER_SECOND = 1000

/** `/slotwire/`: name and version. `/slotwire/livez`: the process is alive. `/slotwire/readyz`: the modules are known, the device is up, and the service is not closing. */
export function addHealthRoutes(routes: Routes, context: ServiceContext, warnings: () => readonly string[]): void {
  const handlers: Readonly<Record<keyof typeof healthEndpoints, Handle>> = {
    about: (_request, response) => sendJson(response, ABOUT),
    livez: (_request, response) => sendJson(response, SUCCESS),
    readyz: (_request, response) => {
      const { rack, running } = context
      if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
      if (running.closing) throw coreErrors.stopping()
      if (!rack.ready) throw coreErrors.starting()
      const silent = rack.inventory().flatMap(({ slot, silentMs }) => {
        if (silentMs === undefined) return []
        return `slot ${slot}: the module has not answered for ${Math.ceil(silentMs / MS_PER_SECOND)} s and is not used`
      })
      const present = [...warnings(), ...silent]
      sendJson(response, present.length === 0 ? SUCCESS : jsonText({ status: 'success', warnings: present }))
    },
  }
  for (const name of ['about', 'livez', 'readyz'] as const) routes.addOwn(name, healthEndpoints[name], handlers[name])
}

/** Handlers of the endpoints that every module has; spec "Generic endpoints". */
const genericHandlers: Readonly<Record<keyof typeof genericEndpoints, CheckedHandler>> = {
  reset: {
    kind: 'bus',
    run: async (exchange, _request, { slot }) => {
      await slot.reset(exchange)
      return { status: 'success' }
    },
  },
  descriptor: {
    kind: 'direct',
    run: async (_request, { slot }): Promise<ReplyOf<(typeof genericEndpoints)['descriptor']>> => {
      const found = await slot.descriptor()
      return {
        slot_number: slot.slot,
        vendor_product_id: found.vendorProductId,
        product_name: found.productName,
        vendor_name: found.vendorName,
        serial_code: found.serialCode,
        fw_version: { stability: found.firmware.stability, version: found.firmware.version },
        hw_version: found.hardwareVersion,
        protocol_version: found.protocolVersion,
        bootloader_state: found.bootloaderState,
        max_frame_size: found.maxFrameSize,
        max_power_12v: found.maxPower12v,
        max_power_5v0: found.maxPower5v0,
        max_power_3v3: found.maxPower3v3,
        max_sclk_speed: found.maxSclkSpeedKhz,
      }
    },
  },
}

/** The handlers of all endpoints of a module service, by their names in the contract. */
export function handlersOf({ handlers }: ModuleService): Readonly<Record<string, CheckedHandler>> {
  return { ...genericHandlers, ...handlers }
}
