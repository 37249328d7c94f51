import type { MapTree } from '@slotwire/storage'
import type { ModuleCatalog } from '../catalog.ts'
import { duration } from '../read/duration.ts'
import type { Field, Fields, ValuesOf } from '../read/field.ts'
import { optional, readFields } from '../read/field.ts'
import type { PinPlace } from '../read/field-types.ts'
import { choice } from '../read/field-types.ts'
import type { Reading } from '../read/reading.ts'
import type { Run } from '../run/run.ts'
import { StepFailure } from '../run/step-failure.ts'
import type { Mismatch } from './matcher.ts'

/** What every expectation takes beside its own fields. */
export const sharedFields = {
  within: optional(duration, 'it is looked at again until it holds, for so long; once unless told otherwise'),
  otherwise: optional(choice(['stop', 'continue']), 'stop: nothing after it runs when it fails'),
}

/** An expectation, read and checked. */
export interface ReadExpectation {
  readonly pins: readonly PinPlace[]
  /** Slot that it is about: pins of it that were wired are worth a look when it fails. */
  readonly slot: number | undefined
  readonly stops: boolean
  readonly prepare: ((run: Run) => Promise<void>) | undefined
  /** Rejects with `StepFailure` when it does not hold in time. */
  readonly run: (run: Run) => Promise<void>
}

/** A kind of expectation: what can be looked at. */
export interface ExpectationKind {
  /** The key that names it. */
  readonly name: string
  readonly summary: string
  readonly fields: Fields
  /** Fields that follow from the module types, beside those. */
  readonly flags: (catalog: ModuleCatalog) => Flags
  readonly read: (map: MapTree, reading: Reading) => ReadExpectation | undefined
}

/** Yes or no, each. */
type Flags = Readonly<Record<string, Field<boolean | undefined>>>

/** What is known beside the fields: which module types there are, and what is said of their flags. */
interface Known {
  readonly catalog: ModuleCatalog
  readonly flags: Readonly<Record<string, boolean>>
}

interface ExpectationDefinition<Of extends Fields> {
  readonly name: string
  readonly summary: string
  readonly fields: Of
  readonly flags?: (catalog: ModuleCatalog) => Flags
  readonly pins?: (values: ValuesOf<Of>) => readonly PinPlace[]
  readonly slot?: (values: ValuesOf<Of>) => number | undefined
  /** Checks what goes beyond single fields. */
  readonly check?: (values: ValuesOf<Of>, reading: Reading, map: MapTree) => void
  /** Looks at how it is before the first step. */
  readonly prepare?: (values: ValuesOf<Of>, run: Run) => Promise<void>
  /** For people: what is looked at. */
  readonly about: (values: ValuesOf<Of>) => string
  /** Begins to look; what it returns looks once: undefined where all is as expected. */
  readonly begin: (values: ValuesOf<Of>, run: Run, known: Known) => () => Promise<Mismatch | undefined> | Mismatch | undefined
}

/** In `within` it is looked at so often, but neither more often than once in a millisecond nor less often than once in a second. */
const LOOKS = 100
const SHORTEST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 1000

export function defineExpectation<Of extends Fields>(definition: ExpectationDefinition<Of>): ExpectationKind {
  const { name, summary, fields, flags = () => ({}) } = definition
  return {
    name,
    summary,
    fields,
    flags,
    read: (map, reading) => {
      const { catalog } = reading
      const flagFields = flags(catalog)
      const read = readFields(map, { ...fields, ...flagFields, ...sharedFields }, reading, `expect ${name}`)
      if (read === undefined) return undefined
      const isFlag = (entry: readonly [string, unknown]): entry is [string, boolean] => entry[0] in flagFields
      const known = { catalog, flags: Object.fromEntries(Object.entries(read).filter(isFlag)) }
      const values = read as ValuesOf<Of>
      const { within, otherwise } = read as ValuesOf<typeof sharedFields>
      definition.check?.(values, reading, map)
      return {
        pins: definition.pins?.(values) ?? [],
        slot: definition.slot?.(values),
        stops: otherwise === 'stop',
        prepare: definition.prepare && ((run) => definition.prepare?.(values, run) ?? Promise.resolve()),
        run: async (run) => {
          const mismatch = await lookUntil(definition.begin(values, run, known), within ?? 0, run)
          if (mismatch === undefined) return
          const time = within === undefined ? '' : ` within ${within} ms`
          const where = mismatch.path === '' ? '' : ` ${mismatch.path}`
          throw new StepFailure(`${definition.about(values)}${where}: ${mismatch.expected}${time}`, mismatch.seen)
        },
      }
    },
  }
}

type Look = () => Promise<Mismatch | undefined> | Mismatch | undefined

async function lookUntil(look: Look, withinMs: number, run: Run): Promise<Mismatch | undefined> {
  const untilMs = run.nowMs + withinMs
  const pauseMs = Math.min(Math.max(withinMs / LOOKS, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS)
  for (;;) {
    const mismatch = await look()
    const leftMs = untilMs - run.nowMs
    if (mismatch === undefined || leftMs <= 0) return mismatch
    await run.waitFor(Math.min(pauseMs, leftMs))
  }
}
