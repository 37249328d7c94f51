import { recordKinds } from '@slotwire/contract'
import { isRecord, shown } from '@slotwire/core'
import type { MapTree } from '@slotwire/storage'
import { withSnakeNames } from '@slotwire/twin'
import { alertEndpointOf, flagsIn, type ModuleCatalog } from '../catalog.ts'
import { needed, optional, readFields, type StepField, type StepFields, textType, type ValuesOf } from '../read/field.ts'
import {
  choice,
  deviceWord,
  duration,
  durationFrom,
  type PinPlace,
  pinPlace,
  slotNumber,
  slotOr,
  yesOrNo,
} from '../read/field-types.ts'
import { shownJson } from '../read/json.ts'
import type { ParseState } from '../read/parse-state.ts'
import { apiPath, headersType, shortPath, slotOf, statusType, unserved } from '../read/rest-types.ts'
import { ANSWER_DEADLINE_MS, type Run, StepFailure } from '../run/run.ts'
import type { Action, StepKind } from '../steps/step-kind.ts'
import type { WorldRecord } from '../world.ts'
import { answerMismatch, type Mismatch, matcherType, measured } from './matcher.ts'

/** Fields that every expectation has. */
export const sharedFields = {
  within: optional(duration, 'how long it is checked again until it holds; default: checked once'),
  otherwise: optional(choice(['stop', 'continue']), 'stop: a failure ends the scenario'),
}

/** Shortest deadline of a wait, in ms: a microsecond. */
const MIN_DEADLINE_MS = 0.001

/** Fields that every wait has, in place of these. */
export const waitFields = {
  within: needed(durationFrom(MIN_DEADLINE_MS), 'deadline: how long it waits at most'),
  otherwise: optional(choice(['stop', 'continue']), 'continue: a missed deadline does not end the scenario; default stop'),
}

/** A kind of expectation; `name` is the key that identifies it. */
interface ExpectationKind extends Omit<StepKind, 'read'> {
  /** Additional fields that depend on the module types. */
  readonly flags: (catalog: ModuleCatalog) => Flags
  /** The action rejects with `StepFailure` if the expectation does not hold in time. `step`: which step has it. */
  readonly read: (map: MapTree, state: ParseState, step: 'expect' | 'wait') => Action | undefined
}

/** Optional true/false fields. */
type Flags = Readonly<Record<string, StepField<boolean | undefined>>>

/** The catalog and the expected flags, beside the fields. */
interface Known {
  readonly catalog: ModuleCatalog
  readonly flags: Readonly<Record<string, boolean>>
}

interface ExpectationDefinition<Of extends StepFields> extends Pick<StepKind, 'name' | 'summary'> {
  readonly fields: Of
  readonly flags?: (catalog: ModuleCatalog) => Flags
  readonly pins?: (values: ValuesOf<Of>) => readonly PinPlace[]
  readonly slot?: (values: ValuesOf<Of>) => number | undefined
  readonly needs?: Action['needs']
  /** Checks combinations of fields. */
  readonly check?: (values: ValuesOf<Of>, state: ParseState, map: MapTree) => void
  /** Records the initial state before the first step. */
  readonly prepare?: (values: ValuesOf<Of>, run: Run) => Promise<void>
  /** For people: the subject of the check. */
  readonly about: (values: ValuesOf<Of>) => string
  /** Starts a check; the returned function checks once. It returns undefined if the expectation holds. */
  readonly begin: (values: ValuesOf<Of>, run: Run, known: Known) => MismatchCheck
}

/** Number of checks during `within`, at intervals from 1 ms to 1 s. The steps after a wait begin at the moment that it finds. */
const CHECKS = { expect: 100, wait: 1000 } as const
const MIN_PAUSE_MS = 1
const MAX_PAUSE_MS = 1000

function defineExpectation<Of extends StepFields>(definition: ExpectationDefinition<Of>): ExpectationKind {
  const { name, summary, fields, flags = () => ({}) } = definition
  return {
    name,
    summary,
    fields,
    flags,
    read: (map, state, step) => {
      const { catalog } = state
      const flagFields = flags(catalog)
      const shared = step === 'wait' ? waitFields : sharedFields
      const read = readFields(map, { ...fields, ...flagFields, ...shared }, state)
      if (read === undefined) return undefined
      const isFlag = (entry: readonly [string, unknown]): entry is [string, boolean] => entry[0] in flagFields
      const known = { catalog, flags: Object.fromEntries(Object.entries(read).filter(isFlag)) }
      const values = read as ValuesOf<Of>
      const { within, otherwise } = read as ValuesOf<typeof sharedFields>
      definition.check?.(values, state, map)
      return {
        pins: definition.pins?.(values) ?? [],
        slot: definition.slot?.(values),
        needs: definition.needs,
        stops: (otherwise ?? (step === 'wait' ? 'stop' : 'continue')) === 'stop',
        prepare: definition.prepare && ((run) => definition.prepare?.(values, run) ?? Promise.resolve()),
        run: async (run) => {
          const mismatch = await checkUntil(
            definition.begin(values, run, known),
            { withinMs: within ?? 0, checks: CHECKS[step] },
            run,
          )
          if (mismatch === undefined) return
          const time = within === undefined ? '' : ` within ${within} ms`
          const where = mismatch.path === '' ? '' : ` ${mismatch.path}`
          throw new StepFailure(`${definition.about(values)}${where}: ${mismatch.expected}${time}`, mismatch.seen)
        },
      }
    },
  }
}

type MismatchCheck = () => Promise<Mismatch | undefined> | Mismatch | undefined

async function checkUntil(
  check: MismatchCheck,
  { withinMs, checks }: { readonly withinMs: number; readonly checks: number },
  run: Run,
): Promise<Mismatch | undefined> {
  const untilMs = run.nowMs + withinMs
  const pauseMs = Math.min(Math.max(withinMs / checks, MIN_PAUSE_MS), MAX_PAUSE_MS)
  for (;;) {
    const mismatch = await check()
    const leftMs = untilMs - run.nowMs
    if (mismatch === undefined || leftMs <= 0) return mismatch
    await run.waitFor(Math.min(pauseMs, leftMs))
  }
}

/** Requests a value that is not cached. */
const FRESH = { 'cache-control': 'no-cache' }

const restExpectation = defineExpectation({
  name: 'get',
  summary: 'The answer of a REST resource, without caches.',
  fields: {
    get: needed(apiPath, 'path of the resource'),
    headers: optional(headersType, 'additional headers'),
    status: optional(statusType, 'expected status; default 200'),
    body: optional(matcherType, 'expected parts of the body'),
  },
  check: ({ get, status }, state, map) => {
    const problem = status === undefined ? unserved(get, state.catalog) : undefined
    if (problem !== undefined) state.fail(map, problem)
  },
  slot: ({ get }) => slotOf(get),
  about: ({ get }) => shortPath(get),
  begin:
    ({ get, headers, status, body }, run) =>
    async () =>
      answerMismatch(await run.ask({ method: 'GET', path: get, headers: { ...FRESH, ...headers } }), { status, body }),
})

const notificationExpectation = defineExpectation({
  name: 'notification',
  summary: 'Alerts of a pin. Reading clears them: the next check sees only newer ones.',
  fields: { notification: needed(pinPlace, 'the pin') },
  flags: (catalog) =>
    Object.fromEntries(Object.entries(flagsIn(catalog)).map(([name, meaning]) => [name, optional(yesOrNo, meaning)])),
  pins: ({ notification }) => [notification],
  about: ({ notification }) => `notification ${notification.name}`,
  begin: ({ notification: { slot, pin } }, run, { catalog, flags: wanted }) => {
    // Reading clears the flags, so keep those that came while waiting.
    const seen = new Set<string>()
    return async () => {
      const type = run.moduleType(slot)
      if (type === undefined) return { path: '', expected: `a module in slot ${slot}`, seen: 'the slot was always empty' }
      const contract = catalog[type]?.contract
      const delivery = contract && alertEndpointOf(contract)
      if (delivery === undefined) return { path: '', expected: 'a module type with pin alerts', seen: type }
      const { flags, pathOf } = delivery
      const names = Object.keys(flags)
      const strange = Object.keys(wanted).find((flag) => !names.includes(flag))
      if (strange !== undefined) return { path: '', expected: strange, seen: `${type} has only ${names.join(', ')}` }
      const outcome = await run.ask({ method: 'GET', path: pathOf(slot, pin) })
      const refused = answerMismatch(outcome, { status: 200, body: undefined })
      if (refused !== undefined) return refused
      const body = 'body' in outcome ? outcome.body : undefined
      for (const flag of names) if (isRecord(body) && body[flag] === true) seen.add(flag)
      return flagMismatch(names, wanted, seen)
    }
  },
})

function flagMismatch(flags: readonly string[], wanted: Readonly<Record<string, boolean>>, seen: ReadonlySet<string>) {
  const flagsSeen = [...seen].join(', ') || 'no flag'
  const named = flags.filter((flag) => wanted[flag] !== undefined)
  if (named.length === 0) return seen.size > 0 ? undefined : { path: '', expected: 'a flag', seen: flagsSeen }
  const wrong = named.find((flag) => wanted[flag] !== seen.has(flag))
  return wrong === undefined ? undefined : { path: '', expected: `${wrong} ${String(wanted[wrong])}`, seen: flagsSeen }
}

/** Most records of the same kind in a failure. */
const SHOWN_RECORDS = 3

const eventExpectation = defineExpectation({
  name: 'event',
  summary: "A record of the service's journal since the start of the scenario. A record holds for one expectation only.",
  fields: {
    event: needed(choice(recordKinds), 'kind of the record'),
    pin: optional(pinPlace, 'the pin of an alert'),
    slot: optional(slotNumber, 'slot of the module'),
    record: optional(matcherType, 'expected parts of the record'),
    is: optional(choice(['present', 'absent']), 'absent: there is no such record so far; default present'),
  },
  needs: 'journal',
  pins: ({ pin }) => (pin === undefined ? [] : [pin]),
  slot: ({ slot }) => slot,
  about: ({ event, pin, slot }) =>
    `event ${event}${pin === undefined ? '' : ` of pin ${pin.name}`}${slot === undefined ? '' : ` of slot ${slot}`}`,
  begin:
    ({ event, pin, slot = pin?.slot, record, is = 'present' }, run, { catalog }) =>
    async () => {
      const isAt = (entry: WorldRecord): boolean => {
        const contract = catalog[entry.service ?? '']?.contract
        const pinName = contract && alertEndpointOf(contract)?.pinName
        return (slot === undefined || entry.slot === slot) && (pin === undefined || entry[pinName ?? 'pin'] === pin.pin)
      }
      const sameKind = (await run.records(event)).filter(({ id }) => !run.seenRecords.has(id))
      const fitting = sameKind.find((entry) => isAt(entry) && record?.mismatch(entry) === undefined)
      if (is === 'absent') return fitting && { path: '', expected: 'no such record', seen: shownJson(fitting) }
      if (fitting === undefined) {
        const seen = sameKind.slice(-SHOWN_RECORDS).map(shownJson).join(', ')
        return { path: '', expected: record?.wording ?? 'a record', seen: seen === '' ? 'no other record of this kind' : seen }
      }
      run.seenRecords.add(fitting.id)
      return undefined
    },
})

const pinExpectation = defineExpectation({
  name: 'pin',
  summary: 'Voltage of a pin, and current that its module delivers.',
  fields: {
    pin: needed(pinPlace, 'the pin'),
    volts: optional(measured('V', 0.01), 'voltage against ground'),
    milliampere: optional(measured('mA', 1), 'current out of the module; negative while it sinks'),
  },
  needs: 'bench',
  pins: ({ pin }) => [pin],
  check: ({ volts, milliampere }, state, map) => {
    if (volts === undefined && milliampere === undefined)
      state.fail(map, 'expect pin needs volts or milliampere: { pin: 3/1, volts: 4.9..5.2 }')
  },
  about: ({ pin }) => `pin ${pin.name}`,
  begin:
    ({ pin: { slot, pin }, volts, milliampere }, run) =>
    () => {
      const benchPin = run.bench.pin(slot, pin)
      return volts?.mismatch(benchPin.volts, 'volts') ?? milliampere?.mismatch(benchPin.amps * 1000, 'milliampere')
    },
})

const sessionExpectation = defineExpectation({
  name: 'session',
  summary: 'The device_session of a slot, or the driver_session, compared with the last such expectation or with the start.',
  fields: {
    session: needed(slotOr('driver'), 'slot or driver'),
    is: needed(choice(['same', 'new', 'gone', 'present']), 'expected state of the session'),
  },
  prepare: async ({ session }, run) => {
    if (!run.sessions.has(session)) run.sessions.set(session, await run.readSession(session))
  },
  about: ({ session }) => `session ${session}`,
  begin:
    ({ session, is }, run) =>
    async () => {
      const before = run.sessions.get(session)
      const now = await run.readSession(session)
      const became = {
        same: now !== undefined && now === before,
        new: now !== undefined && now !== before,
        gone: now === undefined,
        present: now !== undefined,
      }
      if (!became[is])
        return {
          path: '',
          expected: is,
          seen: now === undefined ? 'it is gone' : now === before ? 'it is the same' : 'it is new',
        }
      run.sessions.set(session, now)
      return undefined
    },
})

const observeExpectation = defineExpectation({
  name: 'observe',
  summary: 'What an observer sees or hears at a module.',
  fields: {
    observe: needed(deviceWord, 'name of the observation: buzzer'),
    slot: needed(slotNumber, 'the slot of the module'),
    is: optional(matcherType, 'expected value'),
  },
  needs: 'bench',
  slot: ({ slot }) => slot,
  about: ({ slot, observe }) => `${observe} of slot ${slot}`,
  begin:
    ({ slot, observe, is }, run) =>
    () => {
      const all = run.bench.slot(slot).observe()
      if (!Object.hasOwn(all, observe))
        return {
          path: '',
          expected: 'to exist',
          seen: Object.keys(all).length === 0 ? 'nothing' : `only ${Object.keys(all).join(', ')}`,
        }
      return is?.mismatch(withSnakeNames(all[observe]))
    },
})

/** Name of an earlier request that was not awaited. */
const answerName = textType('the name of a request with wait: false above', (text, name, { names }) => {
  if (names.get(text)?.what === 'answer') return text
  const known = [...names].filter(([, { what }]) => what === 'answer').map(([each]) => each)
  const remedy = known.join(', ') || 'write request: { …, as: name, wait: false }'
  throw new RangeError(`${name}: no request above is named ${shown(text)}: ${remedy}`)
})

const answerFields = {
  answer: needed(answerName, 'name of the request'),
  status: optional(statusType, 'expected status; default 200'),
  body: optional(matcherType, 'expected parts of the body'),
}

const answerExpectation = defineExpectation({
  name: 'answer',
  summary: 'The answer to a request with wait: false; waits for it now.',
  fields: answerFields,
  about: ({ answer }) => `answer ${answer}`,
  begin:
    ({ answer, status, body }: ValuesOf<typeof answerFields>, run) =>
    async () => {
      const outcome = run.answer(answer)
      if (outcome === undefined) throw new StepFailure(`an answer ${answer}`, 'its request was not made')
      return answerMismatch(await run.settled(outcome, `answer ${answer}`, ANSWER_DEADLINE_MS), { status, body })
    },
})

/** All kinds of expectations. */
export const expectationKinds = [
  restExpectation,
  notificationExpectation,
  // Before `pin`, which is a field of it.
  eventExpectation,
  pinExpectation,
  sessionExpectation,
  observeExpectation,
  answerExpectation,
] as const
