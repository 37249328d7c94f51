import type { MapTree } from '@slotwire/storage'
import type { ModuleCatalog } from '../catalog.ts'
import { needed, optional, readFields, type StepField, type StepFields, type ValuesOf } from '../read/field.ts'
import { choice, duration, durationFrom, type PinPlace } from '../read/field-types.ts'
import type { ParseState } from '../read/parse-state.ts'
import { type Run, StepFailure } from '../run/run.ts'
import type { Action, StepKind } from '../steps/step-kind.ts'
import type { Mismatch } from './matcher.ts'

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
export interface ExpectationKind extends Omit<StepKind, 'read'> {
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

export function defineExpectation<Of extends StepFields>(definition: ExpectationDefinition<Of>): ExpectationKind {
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
