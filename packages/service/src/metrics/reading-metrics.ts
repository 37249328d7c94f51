import { type NamedPin, pinsAt } from '@slotwire/contract'
import { messageOf } from '@slotwire/core'
import { type SlotApi, SlotNeeded } from '@slotwire/driver'
import type { BusHandler, HandlerContext, ModuleService } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import type { MetricFamily, Sample } from './metric.ts'
import type { ReadingMetric } from './readings.ts'

const MS_PER_SECOND = 1000

/** The last readings of all usable modules, each with its age, and the names of their pins. */
export function readingFamilies({
  services,
  rack,
  readings: store,
  pins,
}: Pick<ServiceContext, 'services' | 'rack' | 'readings' | 'pins'>): MetricFamily[] {
  const named = pins?.() ?? []
  const ages: Sample[] = []
  const families: MetricFamily[] = []
  for (const { contract, vendorProductId, readings = {} } of services) {
    const slots = rack.usable(vendorProductId)
    const present = slots.flatMap(({ slot }) => pinsAt(named, contract, slot))
    families.push({
      name: `slotwire_${contract.service}_pin_info`,
      help: 'Always 1: the name of a pin, and the unit of its quantity.',
      type: 'gauge',
      samples: present.map(({ slot, pin, name, unit = '' }) => ({ labels: { slot, pin, name, unit }, value: 1 })),
    })
    for (const [endpoint, metrics = []] of Object.entries(readings)) {
      const kept = slots.flatMap((slot) => {
        const reading = store.get(slot, endpoint)
        return reading === undefined ? [] : [{ slot: slot.slot, pins: pinsAt(named, contract, slot.slot), ...reading }]
      })
      for (const { slot, ageMs } of kept) {
        ages.push({ labels: { slot, service: contract.service, endpoint }, value: ageMs / MS_PER_SECOND })
      }
      for (const metric of metrics) families.push(familyOf(metric, contract.service, kept))
    }
  }
  const age: MetricFamily = {
    name: 'slotwire_reading_age_seconds',
    help: 'Age of the readings of an endpoint.',
    type: 'gauge',
    samples: ages,
  }
  return [...families, age]
}

function familyOf(
  metric: ReadingMetric<unknown>,
  service: string,
  kept: readonly { readonly slot: number; readonly pins: readonly NamedPin[]; readonly reply: unknown }[],
): MetricFamily {
  const { name, help, type = 'gauge' } = metric
  return {
    name: `slotwire_${service}_${name}`,
    help,
    type,
    samples: kept.flatMap(({ slot, pins, reply }) =>
      metric.samples(reply, pins).map(({ labels, value }) => ({ labels: { slot, ...labels }, value })),
    ),
  }
}

/** Readings of this age, in milliseconds, are read again for the next scrape. */
export const READING_REFRESHED_MS = 5000

/**
 * Refreshes old readings in spare time: one at a time per slot, and only while no request waits for the slot. A reading that was skipped is
 * tried again after the next scrape.
 */
export class ReadingRefresher {
  /** Slots that are being refreshed. */
  readonly #reading = new Set<SlotApi>()

  constructor(private readonly context: ServiceContext) {}

  /** Called after each scrape; returns at once. Without scrapes nothing is read. */
  refresh(): void {
    const { services, rack, running } = this.context
    if (running.closing) return
    for (const service of services) {
      for (const slot of rack.usable(service.vendorProductId)) this.#refreshSlot(slot, service)
    }
  }

  #refreshSlot(slot: SlotApi, service: ModuleService): void {
    if (service.readings === undefined || this.#reading.has(slot)) return
    this.#reading.add(slot)
    const done = (): void => {
      this.#reading.delete(slot)
    }
    this.#readAll(slot, service).then(done, done)
  }

  async #readAll(slot: SlotApi, service: ModuleService): Promise<void> {
    for (const endpoint of Object.keys(service.readings ?? {})) {
      const handler = service.handlers[endpoint]
      if (handler?.kind !== 'bus' || !this.#isOld(slot, endpoint)) continue
      try {
        await this.#read(slot, endpoint, handler)
      } catch (error) {
        if (error instanceof SlotNeeded) continue
        const reason = messageOf(error)
        this.context.log.debug({ slot: slot.slot, endpoint, reason }, 'a reading for the metrics failed')
      }
    }
  }

  #read(slot: SlotApi, endpoint: string, handler: BusHandler): Promise<void> {
    return slot.readWhenIdle(async (exchange) => {
      // The slot may have been busy for long: another request may have read the values, or the service may be closing.
      if (this.context.running.closing || !this.#isOld(slot, endpoint)) return
      const { hostDevices, log, readings } = this.context
      const context: HandlerContext = { slot, hostDevices, log, readOnly: true }
      readings.keep(slot, endpoint, await handler.run(exchange, { body: undefined, parameters: {} }, context))
    })
  }

  #isOld(slot: SlotApi, endpoint: string): boolean {
    const reading = this.context.readings.get(slot, endpoint)
    return reading === undefined || reading.ageMs >= READING_REFRESHED_MS
  }
}
