import { recordKinds } from '@slotwire/contract'
import { isRecord, shown } from '@slotwire/core'
import { withSnakeNames } from '@slotwire/twin'
import { alertEndpointOf, flagsIn } from '../catalog.ts'
import { needed, optional, textType, type ValuesOf } from '../read/field.ts'
import { choice, deviceWord, pinPlace, slotNumber, slotOr, yesOrNo } from '../read/field-types.ts'
import { shownJson } from '../read/json.ts'
import { apiPath, headersType, shortPath, slotOf, statusType, unserved } from '../read/rest-types.ts'
import { ANSWER_DEADLINE_MS, StepFailure } from '../run/run.ts'
import type { WorldRecord } from '../world.ts'
import { defineExpectation } from './expectation.ts'
import { answerMismatch, matcherType, measured } from './matcher.ts'

/** Requests a value that is not cached. */
const FRESH = { 'cache-control': 'no-cache' }

export const restExpectation = defineExpectation({
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

export const notificationExpectation = defineExpectation({
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

export const eventExpectation = defineExpectation({
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

export const pinExpectation = defineExpectation({
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

export const sessionExpectation = defineExpectation({
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

export const observeExpectation = defineExpectation({
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

export const answerExpectation = defineExpectation({
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
