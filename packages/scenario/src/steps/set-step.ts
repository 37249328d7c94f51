import type { Fields as DeclaredFields } from '@slotwire/twin'
import { elementKinds, inSnakeNames } from '@slotwire/twin'
import { readDeclared } from '../read/declared.ts'
import { needed, readFields, withEntries } from '../read/field.ts'
import type { StepKind } from './step-kind.ts'
import { settingsOf } from './step-kind.ts'
import { connectionAt, pinOrName } from './wiring-steps.ts'

const setFields = { of: needed(pinOrName, 'the pin that the element hangs on, or the name of its connection') }

/** What any element takes: of an element on a pin it is known only later what it is. */
const ALL_FIELDS: DeclaredFields = Object.assign({}, ...Object.values(elementKinds).map(({ fields }) => fields)) as DeclaredFields

export const setStep: StepKind = {
  name: 'set',
  summary: 'Changes an element that is connected: its settings stand beside of.',
  fields: setFields,
  read: (entry, reading) => {
    const map = settingsOf(entry.value, entry, reading, setFields, undefined)
    if (map === undefined) return undefined
    const own = map.entries.filter(({ key }) => key in setFields)
    const values = readFields(withEntries(map, own), setFields, reading, 'set')
    if (values === undefined) return undefined
    const { of } = values
    const kind = 'connection' in of ? Object.values(elementKinds).find((each) => each.kind === of.kind) : undefined
    if ('connection' in of && kind === undefined)
      return reading.fail(entry.value, `set: a ${of.kind} has nothing to set: disconnect it, and connect something else`)
    const changes = map.entries.filter(({ key }) => !(key in setFields))
    if (changes.length === 0)
      return reading.fail(entry.value, 'set changes nothing: name a setting and its figure, as in { of: 3/1, volts: 12V }')
    const change = readDeclared(
      changes,
      kind?.fields ?? boundless(ALL_FIELDS),
      reading,
      kind === undefined ? 'set' : `set of a ${kind.kind}`,
    )
    if (change === undefined) return undefined
    return {
      pins: 'connection' in of ? [] : [of],
      run: (run) => {
        const connection = connectionAt(of, undefined, run)
        changed(() => connection.set(change))
      },
    }
  },
}

/** Which bounds hold is known when the element is: it checks them itself. */
function boundless(fields: DeclaredFields): DeclaredFields {
  const entries = Object.entries(fields).map(([name, field]) =>
    field.type === 'number' ? [name, { ...field, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }] : [name, field],
  )
  return Object.fromEntries(entries) as DeclaredFields
}

function changed(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new RangeError(inSnakeNames(error.message), { cause: error })
  }
}
