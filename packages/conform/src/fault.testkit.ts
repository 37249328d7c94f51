import { isRecord, orElse } from '@slotwire/core'
import { answerOf, type DeviceWire, type DnsAnswer, type WireAnswer, type WireRequest } from './wire.ts'

type Json = Record<string, unknown>
/** A request, with its path below the module (`input/mode`) and its JSON. */
export interface Seen extends WireRequest {
  readonly name: string
  readonly json: Json
}
type Send = (request: WireRequest) => Promise<WireAnswer>

/** One fault over a correct device. */
export interface Fault {
  /** Whether it can change the answer to a request. */
  readonly touches: (request: Seen) => boolean
  readonly touchesRaw?: (bytes: string) => boolean
  readonly touchesNames?: boolean
  /** Whether the device itself does what it should, and only answers are wrong. */
  readonly isInAnswersOnly: boolean
  /** The broken wire; called once for each run. */
  readonly over: (wire: DeviceWire) => DeviceWire
}

export function seen(request: WireRequest): Seen {
  const name = request.path.replace(/^\/api\/(io|bmc|power)\/\d+\.\d+\/(\d+\/)?/, '$1:').replace(/\/+$/, '')
  const body = orElse<unknown>({}, () => JSON.parse(request.body ?? ''))
  return { ...request, name, json: isRecord(body) ? body : {} }
}

type When = string | ((request: Seen) => boolean)
const matches = (when: When) =>
  typeof when === 'string' ? (request: Seen) => `${request.method} ${request.name}` === when : when

/** A fault in a step between client and device, with state of its own for each run. */
function between(
  when: When,
  isInAnswersOnly: boolean,
  begin: () => (request: Seen, send: Send, wire: DeviceWire) => Promise<WireAnswer>,
): Fault {
  const touches = matches(when)
  const over = (wire: DeviceWire): DeviceWire => {
    const step = begin()
    return {
      ...wire,
      request: (request) => (touches(seen(request)) ? step(seen(request), wire.request, wire) : wire.request(request)),
    }
  }
  return { touches, isInAnswersOnly, over }
}

const again = ({ status, headers }: WireAnswer, body: unknown): WireAnswer => answerOf(status, headers, JSON.stringify(body))

/** Changes the JSON of successful answers. */
export const answers = (when: When, change: (body: Json, request: Seen) => unknown): Fault =>
  between(when, true, () => async (request, send) => {
    const answer = await send(request)
    return answer.status === 200 && typeof answer.body === 'object' ? again(answer, change(answer.body as Json, request)) : answer
  })
/** Changes a field, or with undefined drops it. The path may have dots; `*` is each item of a list. */
export const field = (when: When, path: string, value: unknown): Fault =>
  answers(when, (body) => withField(body, path.split('.'), value))
function withField(body: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  if (name === '*') return (body as unknown[]).map((item) => withField(item, rest, value))
  const fields = body as Json
  if (rest.length > 0) return { ...fields, [name]: withField(fields[name], rest, value) }
  return { ...fields, [name]: typeof value === 'function' ? (value as (before: unknown) => unknown)(fields[name]) : value }
}
/** A success in place of a refusal, without an effect. */
export const accepts = (when: When): Fault =>
  between(when, true, () => async (request, send) => {
    const answer = await send(request)
    return answer.status < 400 ? answer : answerOf(200, { 'content-type': 'application/json' }, '{"status":"success"}')
  })
/** A refusal in place of a success, though it has its effect. */
export const denies = (when: When, status = 422): Fault =>
  between(when, true, () => async (request, send) => {
    const answer = await send(request)
    return answer.status >= 400
      ? answer
      : answerOf(status, answer.headers, JSON.stringify({ status: 'error', code: status, message: 'no' }))
  })
/** A success without the effect. */
export const ignores = (when: When): Fault =>
  between(when, false, () => async () => answerOf(200, { 'content-type': 'application/json' }, '{"status":"success"}'))
/** Changes requests on their way. */
export const requests = (when: When, change: (request: Seen) => Partial<WireRequest>): Fault =>
  between(when, false, () => (request, send) => send({ ...request, ...change(request) }))
/** Another answer, from the request and the right one. */
export const whole = (when: When, change: (answer: WireAnswer, request: Seen) => WireAnswer): Fault =>
  between(when, true, () => async (request, send) => change(await send(request), request))
/** With state: the function is made once for each run. */
export const stateful = (when: When, begin: () => (request: Seen, send: Send, wire: DeviceWire) => Promise<WireAnswer>): Fault =>
  between(when, false, begin)

/** Changes what comes on a raw connection. */
export const raw = (touchesRaw: (bytes: string) => boolean, change: (text: string) => string): Fault => ({
  touches: () => false,
  touchesRaw,
  isInAnswersOnly: true,
  over: (wire) => ({ ...wire, raw: async (bytes) => (touchesRaw(bytes) ? change(await wire.raw(bytes)) : wire.raw(bytes)) }),
})
/** Changes the announcement. */
export const names = (change: (records: readonly DnsAnswer[], type: string) => readonly DnsAnswer[]): Fault => ({
  touches: () => false,
  touchesNames: true,
  isInAnswersOnly: true,
  over: (wire) => ({ ...wire, browse: async (type) => change(await wire.browse(type), type) }),
})

/** Name, the checks that may fail (`*` ends a prefix), and the fault. */
export type Row = readonly [name: string, mayFail: readonly string[], fault: Fault]
export const GET = 'GET '
export const post =
  (name: string, holds: (json: Seen['json'], request: Seen) => boolean = () => true) =>
  (request: Seen) =>
    request.method === 'POST' && request.name === name && holds(request.json, request)
const root = (request: Seen) => request.method === 'GET' && /^\/api\/(io|bmc|power)\/(1\.\d\/)?$/.test(request.path)
export const ofService = (name: string) => (request: Seen) => root(request) && request.path.startsWith(`/api/${name}/`)
export const descriptor = (request: Seen) => /descriptor$/.test(request.name)
