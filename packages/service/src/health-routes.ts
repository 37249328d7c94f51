import { healthEndpoints } from '@slotwire/contract'
import { coreErrors, formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import { jsonText, sendJson } from './pipeline/answer.ts'
import type { Handle, Routes } from './pipeline/routes.ts'
import type { ServiceContext } from './service-context.ts'

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
