import { integer, type ObjectSchema, type ValueOf, wordOf } from '@slotwire/contract'
import { orElse, shown } from '@slotwire/core'
import type { Entry, MapTree, Tree } from '@slotwire/storage'
import { actionEndpoint, type BenchAction, benchActions, PIN, PLACE, perform, typesIn } from '@slotwire/twin'
import type { ModuleCatalog } from '../catalog.ts'
import { expectationKinds, waitFields } from '../expect/kinds.ts'
import { answerMismatch, matcherType } from '../expect/matcher.ts'
import { didYouMean, type FieldType, needed, optional, type ValuesOf } from '../read/field.ts'
import { duration, existingPlace, givenName, leaf, type PinPlace, placeNamed, yesOrNo } from '../read/field-types.ts'
import type { Json } from '../read/json.ts'
import type { ParseState } from '../read/parse-state.ts'
import { apiPath, headersType, jsonType, shortPath, slotOf, statusType, unserved } from '../read/rest-types.ts'
import { readObject } from '../read/schema-type.ts'
import { type RequestOutcome, StepFailure } from '../run/run.ts'
import type { WorldRequest } from '../world.ts'
import { type Action, defineStep, type StepKind } from './step-kind.ts'

type Values = Readonly<Record<string, unknown>>

/** A step for each action of the bench, with the fields of the action. */
function actionSteps(catalog: ModuleCatalog): readonly StepKind[] {
  return Object.entries(benchActions(typesIn(catalog))).map(([name, action]) => actionStep(name, action))
}

function actionStep(name: string, action: BenchAction): StepKind {
  const endpoint = actionEndpoint(name, action)
  return {
    name,
    summary: action.summary,
    body: action.body,
    read: (entry, state) => {
      const { value } = entry
      const schema = narrowed(action, value, state)
      const values = readObject(value, schema, state, name, value.kind === 'nothing' ? entry.keySpan : value)
      if (values === undefined) return undefined
      const problem = endpoint.check?.(values)
      if (problem !== undefined) return state.fail(value, `${name}: ${problem}`)
      const kind = action.makes?.(values as ValueOf<ObjectSchema>)
      if (kind !== undefined) state.defineName(entry, values['as'] as string | undefined, { what: 'connection', kind })
      return {
        pins: pinsIn(values, schema),
        slot: values['slot'] as number | undefined,
        needs: 'bench',
        action: { name, values },
        run: async (run) => {
          const done = perform(action, run.bench, values)
          if (done instanceof Promise) await run.settled(done, `${name} to end`)
        },
      }
    },
  }
}

/** The body for what the step is about, if a step above has made it: then its settings are known. */
function narrowed(action: BenchAction, tree: Tree, { names }: ParseState): ObjectSchema {
  const { body } = action
  if (action.bodyFor === undefined || tree.kind !== 'map') return body
  if (tree.entries.some(({ key }) => key === 'slot') && !tree.entries.some(({ key }) => key === 'of'))
    return action.bodyFor('module')
  const of = tree.entries.find(({ key }) => key === 'of')?.value
  const named = of?.kind === 'text' ? names.get(of.text) : undefined
  return named?.what === 'connection' ? action.bodyFor(named.kind) : body
}

/** The pins in the fields of an action. */
function pinsIn(values: Values, { properties }: ObjectSchema): readonly PinPlace[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const schema = properties[name]
    const title = schema?.type === 'array' ? (schema.items as ObjectSchema).title : schema?.title
    return title === PIN || title === PLACE
      ? [value]
          .flat()
          .filter((place) => /^\d/.test(String(place)))
          .map((place) => placeNamed(String(place)))
      : []
  })
}

const requestFields = {
  get: optional(apiPath, 'path to read'),
  post: optional(apiPath, 'path to write to'),
  body: optional(jsonType, 'body to send'),
  headers: optional(headersType, 'additional headers'),
  status: optional(statusType, 'expected status; default 200'),
  answer: optional(matcherType, 'expected body, matched as in expect'),
  as: optional(givenName, 'name of the answer, for expect: { answer: … }'),
  wait: optional(yesOrNo, 'false: the next steps run meanwhile; the answer is checked by an expect with its name, or at the end'),
}

const request = defineStep({
  name: 'request',
  summary: 'Makes a request like a client on the device.',
  fields: requestFields,
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

function requestOf({ get, post, body, headers }: ValuesOf<typeof requestFields>): WorldRequest {
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

/** Limit of steps in one scenario. */
export const MAX_STEPS = 10_000

/** The raw tree; steps are parsed separately. */
export const stepsType: FieldType<Tree> = { wording: 'a list of steps, each beginning with -', read: (tree) => tree }

const TIMES = integer({ min: 1, max: MAX_STEPS })

/** How often a block runs; undefined if that is not valid. */
export const timesIn = (text: string): number | undefined => orElse(undefined, () => wordOf(TIMES).read(text, ''))

/** Begins a block: `read-steps.ts` puts its steps behind it, as often as they run. */
export const repeat = defineStep({
  name: 'repeat',
  summary: 'Runs a list of steps several times.',
  fields: {
    times: needed(leaf(TIMES), 'how often the steps run'),
    steps: needed(stepsType, 'the steps; they take after, but not at'),
  },
  run: () => undefined,
})

const killService = defineStep({
  name: 'kill_service',
  summary: 'Kills the service like SIGKILL. With for, starts it again after that time, while the steps continue.',
  fields: { for: optional(duration, 'time until it starts again; default: until start_service') },
  needs: 'bench',
  run: async ({ for: away }, run) => {
    await run.settled(run.world.killService(), 'the service to end')
    if (away !== undefined) run.later(away, () => run.world.startService())
  },
})

const startService = defineStep({
  name: 'start_service',
  summary: 'Starts a killed service again.',
  fields: {},
  needs: 'bench',
  run: (_values, run) => run.settled(run.world.startService(), 'the service to start'),
})

const made = new WeakMap<ModuleCatalog, readonly StepKind[]>()

/** All kinds of steps, in the order of the page about scenarios: the actions of the bench, then those that only a scenario has. */
export function stepKinds(catalog: ModuleCatalog): readonly StepKind[] {
  const kinds = made.get(catalog) ?? [...actionSteps(catalog), killService, startService, request, repeat, waitStep, expectStep]
  made.set(catalog, kinds)
  return kinds
}

const NAMES = expectationKinds.map(({ name }) => name)
const EXAMPLE = {
  expect: '{ notification: 3/2, high_current_alert: true }',
  wait: '{ pin: 3/1, volts: 4.., within: 2s }',
} as const

export const expectStep: StepKind = {
  name: 'expect',
  summary: 'Checks an expectation; a list checks several.',
  fields: {},
  read: (entry, state) => readExpectation(entry, state, 'expect'),
}

export const waitStep: StepKind = {
  name: 'wait',
  summary: 'Waits until an expectation holds, at most until a deadline. If it does not hold by then, the scenario ends.',
  fields: waitFields,
  read: (entry, state) => {
    const { value } = entry
    if (value.kind === 'text') {
      const time = shown(value.text)
      return state.fail(value, `wait is ${time}: write after: ${time} in the step that follows, or wait: ${EXAMPLE.wait}`)
    }
    return readExpectation(entry, state, 'wait')
  },
}

function readExpectation({ value }: Entry, state: ParseState, step: 'expect' | 'wait'): Action | undefined {
  const map = state.map(value, step, `what is expected, as in ${EXAMPLE[step]}`)
  const kind = map && expectationKinds.find(({ name }) => map.entries.some(({ key }) => key === name))
  if (map !== undefined && kind === undefined) return noKind(map, state, step)
  return map && kind?.read(map, state, step)
}

function noKind(map: MapTree, state: ParseState, step: 'expect' | 'wait'): undefined {
  const [first] = map.entries
  const names = NAMES.join(', ')
  if (first === undefined) return state.fail(map, `${step} is empty: write one of ${names}, as in ${EXAMPLE[step]}`)
  const meant = didYouMean(first.key, NAMES)
  return state.fail(first.keySpan, `${step} has no subject: ${shown(first.key)} is not one of ${names}${meant}`)
}
