import type { Endpoint } from '@slotwire/contract'
import { rangeText } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { ModuleService } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { slotHint } from './hints.ts'
import type { Caller } from './request.ts'

const MS_PER_SECOND = 1000

/** Throws `deviceRestarting` or, until the modules are known, `starting`. The first check of every path below `/api/`. */
export function assertUp({ rack }: Pick<ServiceContext, 'rack'>): void {
  if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
  if (!rack.ready) throw coreErrors.starting()
}

/** The module of a request, and the numbers in its path. */
interface Target {
  readonly slot: SlotApi
  readonly parameters: Numbers
}

/** Checks that the device is up, and then slot and item: in behaviour.md "Status codes" after version and path, before the method. */
export function locator(
  { endpoint, service }: { readonly endpoint: Endpoint; readonly service: ModuleService },
  context: ServiceContext,
): (values: readonly string[], caller: Caller | undefined) => Target {
  const read = parameterReader(endpoint, 1)
  return (values, caller) => {
    assertUp(context)
    const slot = locateSlot(values[0] as string, service, context, caller)
    return { slot, parameters: read(values) }
  }
}

/** The module in the slot of a path. Throws `moduleNotAnswering` or `slotNotUsable` if this service has no usable module there. */
export function locateSlot(
  segment: string,
  service: ModuleService,
  context: Pick<ServiceContext, 'rack' | 'services'>,
  caller: Caller | undefined,
): SlotApi {
  const number = Number(segment)
  const slot = context.rack.find(number, service.vendorProductId)
  if (slot !== undefined) return slot
  const seconds = silentSeconds(context.rack, number, service.vendorProductId)
  if (seconds !== undefined) throw coreErrors.moduleNotAnswering({ slot: number, seconds })
  const hint = slotHint(number, service, context, caller)
  throw coreErrors.slotNotUsable({ slot: segment, service: service.contract.service }, { hint })
}

/** How long a module of this type in a slot has not answered; undefined without such a module. */
function silentSeconds(rack: ServiceContext['rack'], number: number, type: string): number | undefined {
  const found = rack.inventory().find(({ slot, descriptor }) => slot === number && descriptor?.vendorProductId === type)
  return found?.silentMs === undefined ? undefined : Math.ceil(found.silentMs / MS_PER_SECOND)
}

type Numbers = Readonly<Record<string, number>>

const NAME = /\{(\w+)\}/g
const NO_NUMBERS: Numbers = {}

/**
 * Creates a function that names the numbers in a path. `first`: values before those of the endpoint's own path. Throws `noSuchItem` for a
 * number out of range: the item does not exist.
 */
export function parameterReader(
  { path, parameters = {} }: Pick<Endpoint, 'path' | 'parameters'>,
  first = 0,
): (values: readonly string[]) => Numbers {
  const ranges = [...path.matchAll(NAME)].map(([, name = '']) => ({ name, ...parameters[name] }))
  if (ranges.length === 0) return () => NO_NUMBERS
  return (values) => {
    const numbers: Record<string, number> = {}
    ranges.forEach(({ name, min = 0, max = Number.POSITIVE_INFINITY }, index) => {
      const text = values[first + index] ?? ''
      const value = Number(text)
      if (value < min || value > max) throw coreErrors.noSuchItem({ field: name, value: text, bounds: rangeText({ min, max }) })
      numbers[name] = value
    })
    return numbers
  }
}
