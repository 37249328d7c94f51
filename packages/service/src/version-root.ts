import { API_VERSION, type ValueOf, type versionRoot } from '@slotwire/contract'
import { coreErrors, type ModuleDescriptor, SlotwireError } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { FastifyReply } from 'fastify'
import { SUPPORTED_VERSION, versionSupport } from './api-path.ts'
import type { PathRequest } from './endpoint-handler.ts'
import { assertUp } from './locate.ts'
import type { ModuleService } from './module-service.ts'
import { sendFailure, sendJson } from './send.ts'
import type { ServiceContext } from './service-context.ts'

type Device = ValueOf<typeof versionRoot.reply>['devices'][number]

/** Throws what a version segment deserves where only the version root is asked for. */
export function assertRootVersion(segment: string | undefined): void {
  const support = segment === undefined ? 'resources' : versionSupport(segment)
  if (support === 'no-version') throw coreErrors.notFound()
  if (support === 'unsupported') {
    throw coreErrors.versionNotSupported({ version: segment ?? '', supported: SUPPORTED_VERSION })
  }
}

/** `GET /`: versions and the usable modules of a service; spec "Version and device list". */
export function versionRootHandler(service: ModuleService, context: ServiceContext) {
  const { rack, backplane, versions, running } = context

  async function reply(request: PathRequest, response: FastifyReply): Promise<void> {
    const done = running.add({ request: request.raw, response: response.raw })
    try {
      const devices = await Promise.all(rack.usable(service.vendorProductId).map(deviceOf))
      const body: ValueOf<typeof versionRoot.reply> = {
        driver_session: rack.driverSession,
        version: {
          api: API_VERSION,
          service: versions.service,
          module_driver: versions.moduleDriver,
          kernel_driver: backplane.kernelDriver,
        },
        devices: devices.filter((device) => device !== undefined),
      }
      sendJson(response, JSON.stringify(body))
    } catch (error) {
      sendFailure(response, request, error, context)
    } finally {
      done()
    }
  }

  return (request: PathRequest, response: FastifyReply): Promise<void> => {
    assertUp(context)
    assertRootVersion(request.params['version'])
    return reply(request, response)
  }
}

/** Undefined when the module left while its descriptor was read: then it is not in the list. */
async function deviceOf(slot: SlotApi): Promise<Device | undefined> {
  const descriptor = await descriptorOf(slot)
  return descriptor && { slot_number: slot.slot, sdbp_version: descriptor.protocolVersion, device_session: slot.session }
}

async function descriptorOf(slot: SlotApi): Promise<ModuleDescriptor | undefined> {
  try {
    return await slot.descriptor()
  } catch (error) {
    if (error instanceof SlotwireError && error.definition === coreErrors.moduleLost.definition) return undefined
    throw error
  }
}
