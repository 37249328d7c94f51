/** One figure of a family; `suffix` is what a histogram adds to the name: `_bucket`, `_sum`, `_count`. */
export interface Sample {
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string | number>>
  readonly value: number
}

/** What a Prometheus server scrapes under one name. Names and units follow its conventions: base units, `_total` for counters. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** Tells its figures as they are now; at once and without making anybody wait. */
export type MetricSource = () => readonly MetricFamily[]
