import type { ModuleService } from '../module-service.ts'
import type { ServedRack } from '../service-context.ts'
import type { MetricFamily, Sample } from './metric.ts'
import type { ReadingStore } from './reading-store.ts'
import type { CheckedReadingMetric } from './readings.ts'

const MS_PER_SECOND = 1000

/** The last readings of all usable modules, each with its age. */
export function readingFamilies(services: readonly ModuleService[], rack: ServedRack, store: ReadingStore): MetricFamily[] {
  const ages: Sample[] = []
  const families: MetricFamily[] = []
  for (const { contract, vendorProductId, readings = {} } of services) {
    const slots = rack.usable(vendorProductId)
    for (const [endpoint, metrics = []] of Object.entries(readings)) {
      const kept = slots.flatMap((slot) => {
        const reading = store.get(slot, endpoint)
        return reading === undefined ? [] : [{ slot: slot.slot, ...reading }]
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
  metric: CheckedReadingMetric,
  service: string,
  kept: readonly { readonly slot: number; readonly reply: unknown }[],
): MetricFamily {
  const { name, help, type = 'gauge' } = metric
  return {
    name: `slotwire_${service}_${name}`,
    help,
    type,
    samples: kept.flatMap(({ slot, reply }) =>
      metric.samples(reply).map(({ labels, value }) => ({ labels: { slot, ...labels }, value })),
    ),
  }
}
