import { wordingOf } from '@slotwire/core'
import {
  checkedSettings,
  defaultSettings,
  type Field,
  type Fields,
  type NumberField,
  type Settings,
  type TextField,
} from './field.ts'

/** All options but one; of a union, all of each member but one. */
type Without<Options, Name extends PropertyKey> = Options extends unknown ? Omit<Options, Name> : never

/** Options that may be left out altogether if none of them is required. */
type Given<Options extends object> = Partial<Options> extends Options ? [of?: Options] : [of: Options]

/** Arguments of a factory function: settings, `source({ volts: 24 })`, or the primary setting first, `source(24, { ohms: 10_000 })`. */
export type CallOf<Options extends object, Primary> =
  | Given<Options>
  | (Primary extends PropertyKey ? [figure: number, ...others: Given<Without<Options, Primary>>] : never)

/** Description of a kind of element or fault. */
export interface Kind<Primary extends PropertyKey | undefined = string | undefined> {
  readonly kind: string
  /** For people: what it is. */
  readonly summary: string
  readonly fields: Fields
  /** The setting that may be given first, as a plain number, if there is an obvious one. */
  readonly primary: Primary
}

/** The kinds that a file exports, by name and in the order of their names: on pages, in messages, in documents. */
export function inOrder<Kinds extends Readonly<Record<string, Kind>>>(kinds: Kinds): Kinds {
  return Object.fromEntries(Object.entries(kinds).sort(([a], [b]) => (a < b ? -1 : 1))) as Kinds
}

/** The settings of a call, with the primary setting under its name. Checks only that there is a primary setting. */
export function givenBy({ kind, primary }: Pick<Kind, 'kind' | 'primary'>, call: readonly unknown[]): object {
  const [first = {}, others = {}] = call
  if (typeof first === 'object' && first !== null) return first
  if (primary === undefined) throw new RangeError(`${kind} has no primary setting: give its settings by name`)
  if (typeof others === 'object' && others !== null && !(primary in others)) return { ...others, [primary]: first }
  throw new RangeError(`${primary} of ${kind} is given twice: give it first, or by its name`)
}

/** All settings of an element or a fault. Throws `RangeError` for an invalid or a missing one. */
export function completeSettings(
  { kind, fields }: Pick<Kind, 'kind' | 'fields'>,
  given: object,
  {
    before,
    resolve = (settings) => settings,
  }: { readonly before?: Settings | undefined; readonly resolve?: Resolve | undefined } = {},
): Settings {
  const known = checkedSettings(kind, fields, given)
  if (before === undefined) checkNew(kind, fields, known)
  const resolved = checkedSettings(kind, fields, resolve(known, before))
  const settings = { ...defaultSettings(fields), ...before, ...resolved }
  for (const [name, field] of Object.entries(fields)) {
    if (isNeeded(field) && settings[name] === undefined) throw new RangeError(`${kind} needs ${name}: ${wordingOf(field)}`)
  }
  return settings
}

/** Converts settings that replace others. `before` has the current settings; undefined for a new element. */
export type Resolve = (given: Settings, before: Settings | undefined) => Settings

function checkNew(kind: string, fields: Fields, given: Settings): void {
  for (const name of Object.keys(given)) {
    const { neededWith = name, isOnlyLater } = fields[name] as NumberField
    if (isOnlyLater === true)
      throw new RangeError(`${name} needs a connected ${kind}: leave it out, connect the ${kind}, then set it`)
    const needed = fields[neededWith]
    if (needed !== undefined && given[neededWith] === undefined)
      throw new RangeError(`${kind} needs ${neededWith}: ${wordingOf(needed)}`)
  }
}

/** Whether a new element must have this setting, or one that replaces it. */
export function isNeeded(field: Field): field is NumberField | TextField {
  if (field.type === 'text') return true
  if (field.type !== 'number' || field.default !== undefined) return false
  return field.insteadOf === undefined && field.isOnlyLater !== true && field.isDerived !== true
}
