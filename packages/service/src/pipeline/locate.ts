import type { Endpoint, PathParameter } from '@slotwire/contract'
import { rangeText } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { ModuleService } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { decimalOf } from './api-path.ts'

/**
 * Throws `deviceRestarting` while the device is away, `starting` while its modules have not been looked at: that comes before anything
 * else below `/api/`.
 */
export function assertUp({ rack }: Pick<ServiceContext, 'rack'>): void {
  if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
  if (!rack.ready) throw coreErrors.starting()
}

/** The module that a path's slot means. Throws `notFound` when it is no number, `slotNotUsable` when there is none. */
export function locateSlot(segment: string, service: ModuleService, { rack }: Pick<ServiceContext, 'rack'>): SlotApi {
  const number = decimalOf(segment)
  if (number === undefined) throw coreErrors.notFound()
  const slot = rack.find(number, service.vendorProductId)
  if (slot === undefined) throw coreErrors.slotNotUsable({ slot: segment, service: service.contract.service })
  return slot
}

type Numbers = Readonly<Record<string, number>>

const NO_PARAMETERS: Readonly<Record<string, PathParameter>> = {}
const NO_NUMBERS: Numbers = {}

/** Makes what reads an endpoint's parameters as numbers. It throws `notFound` for one that is none. */
export function parameterReader(endpoint: Endpoint): (segments: Readonly<Record<string, string>>) => Numbers {
  const names = Object.keys(endpoint.parameters ?? NO_PARAMETERS)
  if (names.length === 0) return () => NO_NUMBERS
  return (segments) => {
    const numbers: Record<string, number> = {}
    for (const name of names) {
      const value = decimalOf(segments[name] as string)
      if (value === undefined) throw coreErrors.notFound()
      numbers[name] = value
    }
    return numbers
  }
}

/** Throws `noSuchItem` for a parameter out of its range: the path is known, but there is no such pin or USB slot. */
export function assertItemsExist({ parameters }: Pick<Endpoint, 'parameters'>, numbers: Numbers): void {
  if (parameters === undefined) return
  for (const name in parameters) {
    const { min, max } = parameters[name] as PathParameter
    const value = numbers[name] as number
    if (value < min || value > max) throw coreErrors.noSuchItem({ field: name, value, bounds: rangeText({ min, max }) })
  }
}
