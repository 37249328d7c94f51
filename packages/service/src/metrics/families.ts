import { DURATION_BOUNDS_SECONDS, type DurationHistogram } from '@slotwire/driver'
import type { MetricFamily, Sample } from './metric.ts'

export type Labels = NonNullable<Sample['labels']>

/** A family with one sample and no labels. */
export function singleMetric(type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamily {
  return { name, help, type, samples: [{ value }] }
}

/** The samples of one histogram: buckets, sum and count. */
export function histogramSamples(histogram: DurationHistogram, labels: Labels = {}): readonly Sample[] {
  const { cumulative, count, sumSeconds } = histogram
  const buckets = DURATION_BOUNDS_SECONDS.map((le, index) => ({
    suffix: '_bucket',
    labels: { ...labels, le },
    value: cumulative[index] ?? count,
  }))
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sumSeconds },
    { suffix: '_count', labels, value: count },
  ]
}
