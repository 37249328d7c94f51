import type { MapTree } from '@slotwire/storage'
import { type Fields as DeclaredFields, elementKinds, inSnakeNames, type Settings } from '@slotwire/twin'
import type { ModuleCatalog } from '../catalog.ts'
import { readDeclared } from '../read/declared.ts'
import { optional, readFields, splitByFields, type ValuesOf } from '../read/field.ts'
import { slotNumber } from '../read/field-types.ts'
import type { Reading } from '../read/reading.ts'
import type { Action, StepKind } from './step-kind.ts'
import { connectionAt, pinOrName } from './wiring-steps.ts'

const setFields = {
  of: optional(pinOrName, 'pin of the element, or name of its connection'),
  slot: optional(slotNumber, 'the slot of the module'),
}
const EXAMPLE = '{ of: 3/1, volts: 12V }'

/** The settings of all elements: the kind of an element on a pin is known only at run time. */
const elementFields = merged(Object.values(elementKinds).map(({ fields }) => fields))

export const setStep: StepKind = {
  name: 'set',
  summary: 'Changes the settings of a connected element, or of the surroundings of a module.',
  fields: setFields,
  read: (entry, reading) => {
    const map = reading.map(entry.value, 'set', EXAMPLE)
    if (map === undefined) return undefined
    const [own, changes] = splitByFields(map, setFields)
    const values = readFields(own, setFields, reading, 'set')
    if (values === undefined) return undefined
    const { of, slot } = values
    if (of !== undefined && slot === undefined) return elementChange(of, changes, reading)
    if (of === undefined && slot !== undefined) return moduleChange(slot, changes, reading)
    return reading.fail(map, `set needs an element, ${EXAMPLE}, or the slot of a module, { slot: 6, … }, one of them`)
  },
}

type Place = NonNullable<ValuesOf<typeof setFields>['of']>

function elementChange(of: Place, map: MapTree, reading: Reading): Action | undefined {
  const kind = 'connection' in of ? Object.values(elementKinds).find((each) => each.kind === of.kind) : undefined
  if ('connection' in of && kind === undefined)
    return reading.fail(map, `set: ${of.kind} has nothing to set: disconnect it, and connect something else`)
  const what = kind === undefined ? 'set' : `set of ${kind.kind}`
  const change = readChange(map, kind?.fields ?? boundless(elementFields), reading, what)
  return (
    change && {
      pins: 'connection' in of ? [] : [of],
      run: (run) => connectionAt(of, undefined, run).set(change),
    }
  )
}

/** The module in the slot is known only at run time: accepts the settings of all types. */
function moduleChange(slot: number, map: MapTree, reading: Reading): Action | undefined {
  const fields = settingsIn(reading.catalog)
  const change = readChange(map, boundless(fields), reading, 'set of a module')
  return (
    change && {
      pins: [],
      slot,
      run: ({ world }) => {
        try {
          world.bench.slot(slot).set(change)
        } catch (error) {
          if (!(error instanceof RangeError)) throw error
          throw new RangeError(inSnakeNames(error.message, Object.keys(fields)), { cause: error })
        }
      },
    }
  )
}

function readChange(map: MapTree, fields: DeclaredFields, reading: Reading, what: string): Settings | undefined {
  if (map.entries.length === 0) return reading.fail(map, `set changes nothing: write a setting and its value, as in ${EXAMPLE}`)
  return readDeclared(map.entries, fields, reading, what)
}

/** Settings of all module types. */
function settingsIn(catalog: ModuleCatalog): DeclaredFields {
  return merged(Object.values(catalog).map(({ firmware: { settings = {} } }) => settings))
}

function merged(all: readonly DeclaredFields[]): DeclaredFields {
  return Object.fromEntries(all.flatMap((fields) => Object.entries(fields)))
}

/** The element or the module checks its bounds itself, at run time. */
function boundless(fields: DeclaredFields): DeclaredFields {
  const entries = Object.entries(fields).map(([name, field]) =>
    field.type === 'number' ? [name, { ...field, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }] : [name, field],
  )
  return Object.fromEntries(entries) as DeclaredFields
}
