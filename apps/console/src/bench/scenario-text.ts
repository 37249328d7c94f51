import type { SentRequest } from '../store/sent.ts'
import { BENCH, type Values } from './api-document.ts'
import type { Connection } from './bench-types.ts'

/** An action of a scenario: `{ short: '3/2' }`. */
type Step = Values

interface Context {
  /** Connections that this page made. */
  readonly named: Set<number>
  readonly seen: ReadonlyMap<number, Connection>
  /** Slots of the faults that this page caused, by number. */
  readonly faultSlots: Map<number, number>
  readonly reply: Values
}

type Match = readonly string[]
type Rule = readonly [path: RegExp, step: (match: Match, body: Values, context: Context) => Step | undefined]

/** How each request to the bench is written in a scenario; `{}`: it needs no step. */
const RULES: readonly Rule[] = [
  // Times of the steps are those of the device, so a pause or a pace need no step.
  [/^\/(time|scenario)\//, () => ({})],
  [/^\/pin\/(\d+\/\d+)\/wire$/, ([pin], other, context) => withName({ pins: [pin, placesIn(other)] }, 'wire', context)],
  [/^\/pin\/(\d+\/\d+)\/disconnect$/, ([pin]) => ({ disconnect: pin })],
  [/^\/pin\/(\d+\/\d+)\/short$/, ([pin], _, context) => withName({ pin }, 'short', context)],
  [
    /^\/pin\/(\d+\/\d+)\/(\w+)$/,
    ([pin, kind = ''], body, context) => withName({ pin, ...element(kind, body) }, 'connect', context),
  ],
  [/^\/connection\/(\d+)\/set$/, ([number], body, context) => at(Number(number), context, (of) => ({ set: { of, ...body } }))],
  [/^\/connection\/(\d+)\/disconnect$/, ([number], _, context) => at(Number(number), context, (from) => ({ disconnect: from }))],
  [/^\/slot\/(\d+)\/plug$/, ([slot], { module }) => ({ plug: { slot: Number(slot), module } })],
  [/^\/slot\/(\d+)\/(unplug|factory_reset)$/, ([slot, action = '']) => ({ [action]: Number(slot) })],
  [/^\/slot\/(\d+)\/(press|set)$/, ([slot, action = ''], body) => ({ [action]: { slot: Number(slot), ...body } })],
  [/^\/slot\/(\d+)\/faults\/clear$/, ([slot]) => ({ clear_faults: Number(slot) })],
  [/^\/slot\/(\d+)\/break$/, ([slot], body, context) => fault(Number(slot), 'break', durable(body), context)],
  [
    /^\/slot\/(\d+)\/fault\/(\w+)$/,
    ([slot, kind = ''], { for_ms, ...settings }, context) =>
      fault(Number(slot), 'fault', { [kind]: isEmpty(settings) ? true : settings, ...durable({ for_ms }) }, context),
  ],
  [/^\/faults\/clear$/, () => ({ clear_faults: 'all' })],
  [
    /^\/fault\/(\d+)\/clear$/,
    ([number], _, { faultSlots }) => {
      const slot = faultSlots.get(Number(number))
      return slot === undefined ? undefined : { clear_faults: slot }
    },
  ],
  [/^\/(ambient|computer)$/, ([what = ''], body) => ({ [what]: Object.values(body)[0] })],
  [/^\/rail$/, ({}, { rail, load_milliampere: load, offset_millivolt: offset }) => ({ rail: { rail, load, offset } })],
  [/^\/restart$/, () => ({ restart: 'device' })],
  [/^\/usb\/attach$/, ({}, body) => ({ usb_attach: body })],
  [/^\/usb\/(detach|host)$/, ([what = ''], body) => ({ [`usb_${what}`]: Object.values(body)[0] })],
]

/** What this page did, as a scenario that `slotwire scenario run` and the bench accept. `seen`: all connections, by number. */
export function scenarioText(sent: readonly SentRequest[], name: string, seen: ReadonlyMap<number, Connection>): string {
  const named = new Set<number>()
  const faultSlots = new Map<number, number>()
  const startMs = sent[0]?.twinMs ?? 0
  let lastMs = startMs
  const steps = sent.flatMap((one) => {
    const step = stepOf(one, { named, seen, faultSlots, reply: (one.reply ?? {}) as Values })
    const [[action, value] = []] = Object.entries(step ?? {})
    const { method, path, body } = one.request
    if (step === undefined)
      return [`  # no step can do this: ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`]
    if (action === undefined) return []
    const time = one.twinMs === lastMs ? '' : `at: ${timeText(one.twinMs - startMs)}\n    `
    lastMs = one.twinMs
    return [`  - ${time}${action}: ${flow(value)}`]
  })
  return [`name: ${flow(name)}`, 'steps:', ...steps, ''].join('\n')
}

/** The action for a request; `{}`: none is needed; undefined: a scenario has no such action. */
function stepOf({ request: { method, path, body } }: SentRequest, context: Context): Step | undefined {
  if (method !== 'POST') return undefined
  if (path.startsWith('/api/')) return { request: { post: path, ...(body === undefined ? {} : { body }) } }
  if (!path.startsWith(BENCH)) return undefined
  for (const [pattern, step] of RULES) {
    const match = pattern.exec(path.slice(BENCH.length))
    if (match !== null) return step(match.slice(1), (body ?? {}) as Values, context)
  }
  return undefined
}

/** The step that connects something, with a name for later steps. */
function withName(fields: Values, action: string, { named, reply: { connection } }: Context): Step {
  const number = Number(connection)
  named.add(number)
  return { [action]: { ...fields, as: nameOf(number) } }
}

const nameOf = (number: number): string => `c${number}`

/** A connection by its name, or by its pin if it was there before. */
function at(number: number, { named, seen }: Context, step: (place: string) => Step): Step | undefined {
  const place = named.has(number) ? nameOf(number) : seen.get(number)?.pins[0]
  return place === undefined ? undefined : step(place)
}

/** An element with its settings, and the other pins that it takes beside its settings. */
function element(kind: string, body: Values): Values {
  const ends = Object.entries(body).flatMap(([name, value]) => {
    const places = placesIn(value)
    return places === undefined ? [] : [[name, places] as const]
  })
  const settings = Object.entries(body).filter(([name]) => !ends.some(([end]) => end === name))
  return { to: settings.length === 0 ? kind : { [kind]: Object.fromEntries(settings) }, ...Object.fromEntries(ends) }
}

/** `{ slot: 3, pin: 1 }` is `3/1`; an object of such is a list. */
function placesIn(value: unknown): string | readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { slot, pin } = value as { readonly slot?: unknown; readonly pin?: unknown }
  if (typeof slot === 'number' && typeof pin === 'number') return `${slot}/${pin}`
  const inner = Object.values(value).map(placesIn)
  return inner.length > 0 && inner.every((place) => typeof place === 'string') ? inner : undefined
}

function fault(slot: number, action: string, settings: Values, { faultSlots, reply: { fault: number } }: Context): Step {
  if (typeof number === 'number') faultSlots.set(number, slot)
  return { [action]: { slot, ...settings } }
}

function durable({ for_ms: forMs, ...settings }: Values): Values {
  return forMs === undefined ? settings : { ...settings, for: timeText(Number(forMs)) }
}

const isEmpty = (values: object): boolean => Object.keys(values).length === 0
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
