import { wordingOf } from '@slotwire/core'
import type { Field, Fields, Settings } from './field.ts'
import { checkedSettings, defaultSettings } from './field.ts'

/** All options but one; of options that are a choice, of each of them. */
type Without<Options, Name extends PropertyKey> = Options extends unknown ? Omit<Options, Name> : never

/** Options that may be left out altogether when none of them must be given. */
type Given<Options extends object> = Partial<Options> extends Options ? [of?: Options] : [of: Options]

/** How one of a kind is made: with its settings, `source({ volts: 24 })`, or with its main figure first, `source(24, { ohms: 10_000 })`. */
export type CallOf<Options extends object, Primary> =
  | Given<Options>
  | (Primary extends PropertyKey ? [figure: number, ...others: Given<Without<Options, Primary>>] : never)

/** What a kind of element or of fault says of itself. */
export interface Kind<Primary extends PropertyKey | undefined = string | undefined> {
  readonly kind: string
  /** For people: what it is. */
  readonly summary: string
  readonly fields: Fields
  /** The setting that may be given as a figure alone, where one is the obvious one. */
  readonly primary: Primary
}

/** The settings that a call gives, with the main figure by its name. Nothing is checked but that there is a main figure. */
export function givenBy({ kind, primary }: Pick<Kind, 'kind' | 'primary'>, call: readonly unknown[]): object {
  const [first = {}, others = {}] = call
  if (typeof first === 'object' && first !== null) return first
  if (primary === undefined) throw new RangeError(`${kind} has no main figure: give its settings by their names`)
  if (typeof others === 'object' && others !== null && !(primary in others)) return { ...others, [primary]: first }
  throw new RangeError(`${primary} of ${kind} is given twice: give it first, or by its name`)
}

/** All settings of one of a kind. Throws `RangeError` for what does not fit or is missing. */
export function completeSettings(
  { kind, fields }: Pick<Kind, 'kind' | 'fields'>,
  given: object,
  {
    before,
    resolve = (settings) => settings,
  }: { readonly before?: Settings | undefined; readonly resolve?: Resolve | undefined } = {},
): Settings {
  const resolved = checkedSettings(kind, fields, resolve(checkedSettings(kind, fields, given), before))
  const settings = { ...defaultSettings(fields), ...before, ...resolved }
  for (const [name, field] of Object.entries(fields)) {
    if (isNeeded(field) && settings[name] === undefined) throw new RangeError(`${kind} needs ${name}: ${wordingOf(field)}`)
  }
  return settings
}

/** Turns settings that stand for others into those. `before` is what was set; undefined for a new one. */
export type Resolve = (given: Settings, before: Settings | undefined) => Settings

function isNeeded(field: Field): field is Field & { readonly type: 'number' } {
  return field.type === 'number' && field.isAlternative !== true
}
