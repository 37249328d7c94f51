import { DURATION_BOUNDS_SECONDS, type DurationHistogram } from '@slotwire/driver'

/** One sample of a family; `suffix`: the part that a histogram adds to the name, `_bucket`, `_sum`, `_count`. */
export interface Sample {
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string | number>>
  readonly value: number
}

/** A Prometheus metric with all its samples. Names and units follow its conventions: base units, `_total` for counters. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** Returns the present values at once. */
export type MetricSource = () => readonly MetricFamily[]

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

/** Content type of `exposition`. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Formats families in Prometheus' text format 0.0.4. Merges families of one name, as the format requires; omits those without samples. */
export function exposition(families: readonly MetricFamily[]): string {
  const byName = new Map<string, MetricFamily>()
  for (const family of families) {
    if (family.samples.length === 0) continue
    const known = byName.get(family.name)
    byName.set(family.name, known === undefined ? family : { ...known, samples: [...known.samples, ...family.samples] })
  }
  return [...byName.values()].map(textOf).join('')
}

function textOf({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map((sample) => `${name}${sample.suffix ?? ''}${labelsOf(sample)} ${numberOf(sample.value)}\n`)
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelsOf({ labels }: Sample): string {
  if (labels === undefined) return ''
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function numberOf(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"')
}
