import { API_VERSION, type ValueOf, type versionRoot } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { ModuleService } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { jsonText, sendJson } from './answer.ts'
import { SUPPORTED_VERSION, versionSupport } from './api-path.ts'
import { noSuchVersion } from './hints.ts'
import { assertUp } from './locate.ts'
import type { Handle } from './routes.ts'

type Device = ValueOf<typeof versionRoot.reply>['devices'][number]

/** Throws the error for the version segment of a version root. */
export function assertRootVersion(service: string, segment: string | undefined): void {
  const support = segment === undefined ? 'resources' : versionSupport(segment)
  if (support === 'no-version') throw noSuchVersion(service)
  if (support === 'unsupported') throw coreErrors.versionNotSupported({ version: segment ?? '', supported: SUPPORTED_VERSION })
}

/** `GET /`: versions and usable modules of a service; spec "Version and device list". From memory: never waits for a module. */
export function versionRootHandler(service: ModuleService, context: ServiceContext): Handle {
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
