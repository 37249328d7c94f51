import type { SentRequest } from '../store/sent.ts'
import { BENCH, type Values } from './api-document.ts'

/** Requests whose effect is the time of the next step, and those that only look. */
const WITHOUT_STEP = /^\/(time|scenario|trace)\//

/** What this page did, as a scenario that `slotwire scenario run` and the bench accept. */
export function scenarioText(sent: readonly SentRequest[], name: string): string {
  const startMs = sent[0]?.twinMs ?? 0
  let lastMs = startMs
  const steps = sent.flatMap((one) => {
    const { method, path, body } = one.request
    if (path.startsWith(BENCH) && WITHOUT_STEP.test(path.slice(BENCH.length))) return []
    const [[action, value] = []] = Object.entries(stepOf(one) ?? {})
    if (action === undefined)
      return [`  # no step can do this: ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`]
    const time = one.twinMs === lastMs ? '' : `at: ${timeText(one.twinMs - startMs)}\n    `
    lastMs = one.twinMs
    return [`  - ${time}${action}: ${flow(value)}`]
  })
  return [`name: ${flow(name)}`, 'steps:', ...steps, ''].join('\n')
}

/** The step of a request: an action of the bench has the same fields in both. What it made keeps its name, for later steps. */
function stepOf({ request: { method, path, body }, reply }: SentRequest): Values | undefined {
  if (method !== 'POST') return undefined
  if (path.startsWith('/api/')) return { request: { post: path, ...(body === undefined ? {} : { body }) } }
  const [, action] = /^\/(\w+)$/.exec(path.startsWith(BENCH) ? path.slice(BENCH.length) : '') ?? []
  if (action === undefined) return undefined
  const { name } = (reply ?? {}) as { readonly name?: unknown }
  return { [action]: { ...(body as Values | undefined), ...(typeof name === 'string' ? { as: name } : {}) } }
}

const MS_PER_SECOND = 1000

function timeText(ms: number): string {
  const whole = Math.round(ms)
  return whole < MS_PER_SECOND ? `${whole}ms` : `${whole / MS_PER_SECOND}s`
}

/** Words that YAML takes for something else than text. */
const RESERVED = /^(true|false|null|yes|no|on|off|~)$/i
const PLAIN = /^[\w/][\w./-]*$/

/** A value in one line of YAML. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(flow).join(', ')}]`
  if (typeof value === 'string')
    return PLAIN.test(value) && !RESERVED.test(value) && Number.isNaN(Number(value)) ? value : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, field]) => `${flow(name)}: ${flow(field)}`).join(', ')} }`
}
