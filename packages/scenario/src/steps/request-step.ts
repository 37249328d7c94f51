import { answerMismatch, matcherType } from '../expect/matcher.ts'
import { optional, type ValuesOf } from '../read/field.ts'
import { existingPlace, givenName, type PinPlace, yesOrNo } from '../read/field-types.ts'
import type { Json } from '../read/json.ts'
import type { ParseState } from '../read/parse-state.ts'
import { apiPath, headersType, jsonType, shortPath, slotOf, statusType, unserved } from '../read/rest-types.ts'
import { type RequestOutcome, StepFailure } from '../run/run.ts'
import type { WorldRequest } from '../world.ts'
import { defineStep } from './step-kind.ts'

const fields = {
  get: optional(apiPath, 'path to read'),
  post: optional(apiPath, 'path to write to'),
  body: optional(jsonType, 'body to send'),
  headers: optional(headersType, 'additional headers'),
  status: optional(statusType, 'expected status; default 200'),
  answer: optional(matcherType, 'expected body, matched as in expect'),
  as: optional(givenName, 'name of the answer, for expect: { answer: … }'),
  wait: optional(yesOrNo, 'false: the next steps run meanwhile; the answer is checked by an expect with its name, or at the end'),
}

export const request = defineStep({
  name: 'request',
  summary: 'Makes a request like a client on the device.',
  fields,
  check: (values, state, entry) => {
    const { get, post, body, as, wait } = values
    if ((get === undefined) === (post === undefined))
      state.fail(entry.value, 'request needs get or post, one of them: { get: io/3/input/values }')
    if (get !== undefined && body !== undefined) state.fail(entry.value, 'request has a body, but get sends none: write post')
    if (as !== undefined && wait !== false)
      state.fail(entry.value, 'as names an answer that is awaited later: write wait: false, too')
    if (as !== undefined && (values.status !== undefined || values.answer !== undefined))
      state.fail(entry.value, `what ${as} answers is checked where it is awaited: write expect: { answer: ${as}, status: … }`)
    // A request whose status is checked may fail on purpose.
    const problem = values.status === undefined && wait !== false ? unserved(get ?? post ?? '', state.catalog) : undefined
    if (problem !== undefined) state.fail(entry.value, problem)
    state.defineName(entry, as, { what: 'answer' })
  },
  pins: ({ get, post, body }, state) => [pinIn(get ?? post ?? '', body?.json, state)],
  request: requestOf,
  run: async (values, run) => {
    const call = requestOf(values)
    const { as, wait, status, answer: body } = values
    if (wait === false) {
      const outcome = run.request(call)
      const check = (ended: RequestOutcome): void => checked(ended, call, { status, body })
      if (as === undefined) run.inBackground(outcome.then(check))
      else run.nameAnswer(as, outcome, check)
      return
    }
    checked(await run.ask(call), call, { status, body })
  },
})

/** The pin in the body of a request, if there is one. */
function pinIn(path: string, body: Json | undefined, state: ParseState): PinPlace | undefined {
  const slot = slotOf(path)
  if (slot === undefined || typeof body !== 'object' || body === null || !('pin' in body)) return undefined
  return existingPlace(`${slot}/${JSON.stringify(body['pin'])}`, state.pin)
}

function requestOf({ get, post, body, headers }: ValuesOf<typeof fields>): WorldRequest {
  const path = get ?? post ?? ''
  return {
    method: get === undefined ? 'POST' : 'GET',
    path,
    ...(body === undefined ? {} : { body: body.json }),
    ...(headers === undefined ? {} : { headers }),
  }
}

function checked(outcome: RequestOutcome, { path }: WorldRequest, wanted: Parameters<typeof answerMismatch>[1]): void {
  const mismatch = answerMismatch(outcome, wanted)
  if (mismatch === undefined) return
  throw new StepFailure(
    `${shortPath(path)} to answer ${mismatch.path} ${mismatch.expected}`.replace(/ {2,}/g, ' '),
    mismatch.seen,
  )
}
