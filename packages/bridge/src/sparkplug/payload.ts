import type { Metric, MetricData, MetricValue } from '../metric.ts'
import type { BridgedDevice } from '../output.ts'

/** Types of Sparkplug that are used. */
export type SparkplugType = 'Double' | 'Int64' | 'Boolean' | 'String'

export interface SparkplugMetric {
  readonly name: string
  readonly type: SparkplugType
  /** `null`: none now. */
  readonly value: number | boolean | string | null
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly properties?: Readonly<Record<string, { readonly type: SparkplugType; readonly value: string | boolean }>>
}

export interface SparkplugPayload {
  readonly timestamp: number
  /** Missing only in a death certificate of an edge node. */
  readonly seq?: number
  readonly metrics: readonly SparkplugMetric[]
}

/** A payload that arrived. Its content comes from others. */
export interface ReceivedPayload {
  readonly metrics?: readonly { readonly name?: string | null; readonly value?: unknown }[] | null
}

/** The encoding `spBv1.0`, of the package `sparkplug-payload`. */
export interface SparkplugCodec {
  encode(payload: SparkplugPayload): Uint8Array
  /** Throws if the bytes are no payload. */
  decode(bytes: Uint8Array): ReceivedPayload
}

/** Everything that a device will report, with its present values, units and what it means: [tck-id-topics-dbirth-metric-reqs]. */
export function birthMetricsOf(device: BridgedDevice, timestamp: number): readonly SparkplugMetric[] {
  const values = [...device.metrics.values()].map((metric) => ({
    ...metricOf(metric, device.valueOf(metric.path), timestamp),
    properties: propertiesOf(metric),
  }))
  const alerts = device.alertSources.map(({ path }) => alertMetric(path, null, timestamp))
  return [...values, ...alerts]
}

/** Values that changed. */
export function dataMetricsOf(changes: Iterable<MetricValue>, timestamp: number): readonly SparkplugMetric[] {
  return [...changes].map(({ metric, value }) => metricOf(metric, value, timestamp))
}

/** The last alert of a pin: the names of its flags. */
export function alertMetric(path: string, flags: string | null, timestamp: number): SparkplugMetric {
  return { name: path, type: 'String', value: flags, timestamp }
}

function metricOf(metric: Metric, value: MetricData, timestamp: number): SparkplugMetric {
  return { name: metric.path, type: typeOf(metric), value: value ?? null, timestamp }
}

function typeOf({ type, isCounter }: Metric): SparkplugType {
  if (type === 'number') return isCounter ? 'Int64' : 'Double'
  return type === 'boolean' ? 'Boolean' : 'String'
}

/** Names that hosts know: `engUnit`, `readOnly`, `documentation`. */
function propertiesOf({ unit, control, help }: Metric): NonNullable<SparkplugMetric['properties']> {
  return {
    ...(unit === undefined ? {} : { engUnit: { type: 'String', value: unit } }),
    readOnly: { type: 'Boolean', value: control === undefined },
    documentation: { type: 'String', value: help },
  }
}
