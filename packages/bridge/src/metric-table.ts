import type { Metric, MetricData, MetricValue, ModulePlace } from './metric.ts'

/** A module within its device. */
export function keyOf({ service, slot }: ModulePlace): string {
  return `${service}/${slot}`
}

interface MetricEntry {
  readonly metric: Metric
  /** What gives its value: an endpoint of a module, or its state. */
  readonly source: string
  value: MetricData
}

/** The metrics of a device with their values. */
export class MetricTable {
  readonly metrics = new Map<string, Metric>()
  readonly #entries = new Map<string, MetricEntry>()

  valueOf(path: string): MetricData {
    return this.#entries.get(path)?.value
  }

  /** Takes all values that a source has now. Its other metrics have no value any more. */
  take(values: readonly MetricValue[], source: string): { readonly isNew: boolean; readonly changes: readonly MetricValue[] } {
    const before = this.metrics.size
    for (const { metric, value } of values) {
      const entry = this.#entries.get(metric.path)
      if (entry !== undefined) entry.value = value
      else {
        this.metrics.set(metric.path, metric)
        this.#entries.set(metric.path, { metric, source, value })
      }
    }
    const paths = new Set(values.map(({ metric }) => metric.path))
    const lost: MetricValue[] = []
    for (const entry of this.#entries.values()) {
      if (entry.source !== source || entry.value === undefined || paths.has(entry.metric.path)) continue
      entry.value = undefined
      lost.push({ metric: entry.metric, value: undefined })
    }
    return { isNew: this.metrics.size > before, changes: [...values, ...lost] }
  }

  /** Forgets the metrics of other modules than these, as from `keyOf`. Returns them. */
  keepOnly(modules: ReadonlySet<string>): readonly Metric[] {
    const removed = [...this.metrics.values()].filter((metric) => !modules.has(keyOf(metric)))
    for (const { path } of removed) {
      this.metrics.delete(path)
      this.#entries.delete(path)
    }
    return removed
  }
}
