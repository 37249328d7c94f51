import type { MetricFamily, Sample } from './metric.ts'

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
