import type { Endpoint, PathParameter } from '@slotwire/contract'
import { rangeText } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import { decimalOf } from './api-path.ts'
import type { ModuleService } from './module-service.ts'
import type { ServiceContext } from './service-context.ts'

/** Throws `deviceRestarting` while the device is away: that comes before anything else below `/api/`. */
export function assertUp({ rack }: Pick<ServiceContext, 'rack'>): void {
  if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
}

/** The module that a path's slot means. Throws `notFound` when it is no number, `slotNotUsable` when there is none. */
export function locateSlot(segment: string, service: ModuleService, { rack }: Pick<ServiceContext, 'rack'>): SlotApi {
  const number = decimalOf(segment)
  if (number === undefined) throw coreErrors.notFound()
  const slot = rack.find(number, service.vendorProductId)
  if (slot === undefined) throw coreErrors.slotNotUsable({ slot: segment, service: service.contract.service })
  return slot
}

const NO_PARAMETERS: Readonly<Record<string, PathParameter>> = {}

/** An endpoint's parameters as numbers. Throws `notFound` for one that is none. */
export function parseParameters(
  endpoint: Endpoint,
  segments: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, number>> {
  const parameters: Record<string, number> = {}
  for (const name in endpoint.parameters ?? NO_PARAMETERS) {
    const value = decimalOf(segments[name] ?? '')
    if (value === undefined) throw coreErrors.notFound()
    parameters[name] = value
  }
  return parameters
}

/** Throws `noSuchItem` for a parameter out of its range: the path is known, but there is no such pin or USB slot. */
export function assertItemsExist(endpoint: Endpoint, parameters: Readonly<Record<string, number>>): void {
  for (const [name, bounds] of Object.entries(endpoint.parameters ?? NO_PARAMETERS)) {
    const value = parameters[name] as number
    if (value >= bounds.min && value <= bounds.max) continue
    throw coreErrors.noSuchItem({ field: name, value, bounds: rangeText({ min: bounds.min, max: bounds.max }) })
  }
}
