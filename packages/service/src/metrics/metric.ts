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
