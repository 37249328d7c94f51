import type { Entry, MapTree, Tree } from '@slotwire/storage'
import type { Field, Fields, ValuesOf } from '../read/field.ts'
import { readFields } from '../read/field.ts'
import type { PinPlace } from '../read/field-types.ts'
import { nameOf } from '../read/name-of.ts'
import type { Reading } from '../read/reading.ts'
import type { Run } from '../run/run.ts'

/** What a step does, read and checked. */
export interface Action {
  /** Pins that it is about: their waveform is shown when it fails. */
  readonly pins: readonly PinPlace[]
  /** Slot that it is about as a whole: pins of it that the scenario names are shown then. */
  readonly slot?: number | undefined
  /** Nothing after it runs when it fails. */
  readonly stops?: boolean
  /** Looks at how things are before the first step. */
  readonly prepare?: ((run: Run) => Promise<void>) | undefined
  /** Rejects with `StepFailure`, or whatever the bench throws, where it cannot be done. */
  readonly run: (run: Run) => Promise<void> | void
}

/** An expectation or an action that a step can have. */
export interface StepKind {
  /** The key of the step. */
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** For the page about scenarios. */
  readonly fields: Fields
  /** Undefined where something is wrong: then every mistake is noted. */
  readonly read: (entry: Entry, reading: Reading) => Action | undefined
}

interface StepDefinition<Of extends Fields> {
  readonly name: string
  readonly summary: string
  readonly fields: Of
  /** The field that a value alone stands for: `short: 3/2`. */
  readonly alone?: keyof Of & string
  readonly pins?: (values: ValuesOf<Of>, reading: Reading) => readonly (PinPlace | undefined)[]
  /** Checks what goes beyond single fields. */
  readonly check?: (values: ValuesOf<Of>, reading: Reading, entry: Entry) => void
  readonly run: (values: ValuesOf<Of>, run: Run) => Promise<void> | void
}

/** A step whose settings are fields. */
export function defineStep<Of extends Fields>(definition: StepDefinition<Of>): StepKind {
  const { name, summary, fields, alone, pins, check, run } = definition
  return {
    name,
    summary,
    fields,
    read: (entry, reading) => {
      const map = settingsOf(entry.value, entry, reading, fields, alone)
      const values = map && readFields(map, fields, reading, name)
      if (values === undefined) return undefined
      check?.(values, reading, entry)
      return { pins: (pins?.(values, reading) ?? []).filter((pin) => pin !== undefined), run: (running) => run(values, running) }
    },
  }
}

/** The settings of a step as a map: also where it has a value alone, or none and needs none. */
export function settingsOf(
  tree: Tree,
  { key, keySpan }: Entry,
  reading: Reading,
  fields: Fields,
  alone: string | undefined,
): MapTree | undefined {
  if (tree.kind === 'map') return tree
  const { start, end } = tree
  if (alone !== undefined && tree.kind !== 'nothing')
    return { kind: 'map', isFlow: false, start, end, entries: [{ key: alone, keySpan, value: tree }] }
  if (tree.kind === 'nothing' && alone === undefined && !needsAny(fields))
    return { kind: 'map', isFlow: false, start, end, entries: [] }
  const takes = alone === undefined ? writing(key, fields) : (fields[alone]?.type.wording ?? '')
  return reading.fail(tree.kind === 'nothing' ? keySpan : tree, `${key} is ${nameOf(tree)}: write ${takes}`)
}

function needsAny(fields: Fields): boolean {
  return Object.values(fields).some((field: Field<unknown>) => field.isNeeded)
}

/** How a step is written, by its needed fields: `connect: { pin: …, to: … }`. */
function writing(key: string, fields: Fields): string {
  const names = Object.entries(fields).filter(([, { isNeeded }]) => isNeeded)
  return `${key}: { ${names.map(([name]) => `${name}: …`).join(', ')} }`
}
