import type { ObjectSchema } from '@slotwire/contract'
import { type Entry, type MapTree, shownTree, type Tree } from '@slotwire/storage'
import { readFields, type StepField, type StepFields, type ValuesOf } from '../read/field.ts'
import type { PinPlace } from '../read/field-types.ts'
import type { ParseState } from '../read/parse-state.ts'
import type { Run } from '../run/run.ts'
import type { WorldRequest } from '../world.ts'

/** A parsed and validated action of a step. */
export interface Action {
  /** Pins of the action; a failure shows their waveform. */
  readonly pins: readonly PinPlace[]
  /** Slot of the action; a failure shows the pins of it that the scenario uses. */
  readonly slot?: number | undefined
  /** The action of the bench that it does, and its fields. */
  readonly action?: { readonly name: string; readonly values: Readonly<Record<string, unknown>> }
  /** What the device must have besides its API: the bench of a virtual device, or a journal. */
  readonly needs?: 'bench' | 'journal' | undefined
  /** The request that it makes, if it is one of a client. */
  readonly request?: WorldRequest | undefined
  /** A failure ends the scenario. */
  readonly stops?: boolean
  /** Records the initial state before the first step. */
  readonly prepare?: ((run: Run) => Promise<void>) | undefined
  /** Rejects with `StepFailure`, or with the error of the bench, if it cannot be done. */
  readonly run: (run: Run) => Promise<void> | void
}

/** An expectation or an action that a step can have. */
export interface StepKind {
  /** The key of the step. */
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** For the page about scenarios: the fields, or the body of an action. */
  readonly fields?: StepFields
  readonly body?: ObjectSchema
  /** Returns undefined if anything is invalid, and records every mistake. */
  readonly read: (entry: Entry, state: ParseState) => Action | undefined
}

interface StepDefinition<Of extends StepFields> extends Pick<StepKind, 'name' | 'summary'> {
  readonly fields: Of
  readonly pins?: (values: ValuesOf<Of>, state: ParseState) => readonly (PinPlace | undefined)[]
  /** Checks combinations of fields. */
  readonly check?: (values: ValuesOf<Of>, state: ParseState, entry: Entry) => void
  readonly needs?: Action['needs']
  readonly request?: (values: ValuesOf<Of>) => WorldRequest
  readonly run: (values: ValuesOf<Of>, run: Run) => Promise<void> | void
}

/** Makes a step with these fields. */
export function defineStep<Of extends StepFields>(definition: StepDefinition<Of>): StepKind {
  const { name, summary, fields, pins, check, needs, request, run } = definition
  return {
    name,
    summary,
    fields,
    read: (entry, state) => {
      const map = settingsOf(entry.value, entry, state, fields)
      const values = map && readFields(map, fields, state)
      if (values === undefined) return undefined
      check?.(values, state, entry)
      return {
        pins: (pins?.(values, state) ?? []).filter((pin) => pin !== undefined),
        needs,
        request: request?.(values),
        run: (running) => run(values, running),
      }
    },
  }
}

/** The settings of a step as a map, also for none if none is required. */
function settingsOf(tree: Tree, { key, keySpan }: Entry, state: ParseState, fields: StepFields): MapTree | undefined {
  if (tree.kind === 'map') return tree
  const { start, end } = tree
  if (tree.kind === 'nothing' && !needsAny(fields)) return { kind: 'map', start, end, entries: [] }
  return state.fail(tree.kind === 'nothing' ? keySpan : tree, `${key} is ${shownTree(tree)}: write ${writing(key, fields)}`)
}

function needsAny(fields: StepFields): boolean {
  return Object.values(fields).some((field: StepField<unknown>) => field.isNeeded)
}

/** The form of a step with its required fields: `connect: { pin: …, to: … }`. */
function writing(key: string, fields: StepFields): string {
  const names = Object.entries(fields).filter(([, { isNeeded }]) => isNeeded)
  return `${key}: { ${names.map(([name]) => `${name}: …`).join(', ')} }`
}
