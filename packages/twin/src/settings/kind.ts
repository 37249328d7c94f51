import {
  type BooleanSchema,
  checked,
  type DecimalSchema,
  type Exclusion,
  type FieldRules,
  type Fields,
  type IntegerSchema,
  type ObjectSchema,
  objectOf,
  type Schema,
  type ValueOf,
} from '@slotwire/contract'

/** Settings by name. */
export type BenchSettings = Readonly<Record<string, number | boolean | string>>

/** All options but one; of a union, all of each member but one. */
type Without<Options, Name extends PropertyKey> = Options extends unknown ? Omit<Options, Name> : never

/** Options that may be left out altogether if none of them is required. */
type OptionsArgument<Options extends object> = Partial<Options> extends Options ? [of?: Options] : [of: Options]

/** Arguments of a factory function: settings, `source({ volts: 24 })`, or the primary setting first, `source(24, { ohms: 10_000 })`. */
export type CallOf<Options extends object, Primary> =
  | OptionsArgument<Options>
  | (Primary extends PropertyKey ? [figure: number, ...others: OptionsArgument<Without<Options, Primary>>] : never)

/** What may be set, by name in code. */
export interface Settable {
  readonly fields: Fields
  /** Fields that may be missing without a default. */
  readonly optional?: readonly string[]
  /** Rules between the settings of a new one. */
  readonly rules?: FieldRules
  /** Settings that only a connected one has. */
  readonly later?: Fields
  /** Settings that one change cannot have together. */
  readonly exclusions?: readonly Exclusion[]
}

/** Description of a kind of element or fault. */
export interface Kind<Primary extends PropertyKey | undefined = string | undefined> extends Settable {
  readonly kind: string
  /** For people: what it is. */
  readonly summary: string
  /** The setting that may be given first, as a plain number, if there is an obvious one. */
  readonly primary: Primary
}

/** Options of a call: all settings. Those with a default, and the other optional ones, may be missing. */
export type OptionsOf<Of extends Fields, Missing extends PropertyKey = never> = object &
  ValueOf<ObjectSchema<Of, Exclude<keyof Of & string, Missing>>>

/** What a definition of a kind says about its settings. */
export interface KindDefinition<
  Of extends Fields,
  Defaulted extends keyof Of,
  Optional extends keyof Of,
  Primary extends PropertyKey | undefined,
> extends Pick<Kind, 'kind' | 'summary' | 'rules' | 'later' | 'exclusions'>,
    Partial<Pick<Kind<Primary>, 'primary'>> {
  readonly fields?: Of
  readonly defaults?: { readonly [Name in Defaulted]: ValueOf<Of[Name]> }
  readonly optional?: readonly Optional[]
}

/** The kind of a definition, without its factory function. */
export function kindOf<Primary extends PropertyKey | undefined>(
  definition: KindDefinition<Fields, never, string, Primary>,
): Kind<Primary> {
  const { kind, summary, fields = {}, optional = [], rules = {}, later = {}, exclusions = [] } = definition
  const defaults: Readonly<Record<string, Schema['default']>> = definition.defaults ?? {}
  const withDefaults = Object.entries(fields).map(([name, field]) => {
    const { examples: _, ...others } = field
    return [name, Object.hasOwn(defaults, name) ? { ...others, default: defaults[name] } : field] as const
  })
  const primary = definition.primary as Primary
  return { kind, summary, primary, fields: Object.fromEntries(withDefaults) as Fields, optional, rules, later, exclusions }
}

/** The kinds that a file exports, by name and in the order of their names: on pages, in messages, in documents. */
export function inOrder<Kinds extends Readonly<Record<string, Kind>>>(kinds: Kinds): Kinds {
  return Object.fromEntries(Object.entries(kinds).sort(([a], [b]) => (a < b ? -1 : 1))) as Kinds
}

/** The settings of a call, with the primary setting under its name. Checks only that there is a primary setting. */
export function settingsOfCall({ kind, primary }: Pick<Kind, 'kind' | 'primary'>, call: readonly unknown[]): object {
  const [first = {}, others = {}] = call
  if (typeof first === 'object' && first !== null) return first
  if (primary === undefined) throw new RangeError(`${kind} has no primary setting: give its settings by name`)
  if (typeof others === 'object' && others !== null && !(primary in others)) return { ...others, [primary]: first }
  throw new RangeError(`${primary} of ${kind} is given twice: give it first, or by its name`)
}

const knownSchemas = new WeakMap<Settable, { readonly whole: ObjectSchema; readonly change: ObjectSchema }>()

/** The schemas of all settings of a new one, and of a change of a connected one; by name in code. */
export function schemasOf(of: Settable): { readonly whole: ObjectSchema; readonly change: ObjectSchema } {
  const { fields, optional = [], rules = {}, later, exclusions } = of
  const known = knownSchemas.get(of)
  if (known !== undefined) return known
  const all = { ...fields, ...later }
  const missing = Object.keys(fields).filter((name) => fields[name]?.default !== undefined || optional.includes(name))
  const schemas = {
    whole: objectOf(fields, { optional: missing, rules }),
    change: objectOf(all, { optional: Object.keys(all), rules: exclusions === undefined ? {} : { not: { anyOf: exclusions } } }),
  }
  knownSchemas.set(of, schemas)
  return schemas
}

/** The settings of a change. Throws `RangeError` that names the invalid setting, its bounds and the remedy. */
export function checkedChange(of: Settable, change: object): BenchSettings {
  return checked('', schemasOf(of).change, withoutUndefined(change))
}

const withoutUndefined = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as BenchSettings

/** Converts settings that replace others. `before` has the current settings; undefined for a new element. */
export type Resolve = (own: BenchSettings, before: BenchSettings | undefined) => BenchSettings

/** All settings of an element or a fault. Throws `RangeError` for an invalid or a missing one. */
export function completeSettings(
  of: Settable,
  change: object,
  { before, resolve }: { readonly before?: BenchSettings | undefined; readonly resolve?: Resolve | undefined } = {},
): BenchSettings {
  const own = before === undefined ? checked('', schemasOf(of).whole, withoutUndefined(change)) : checkedChange(of, change)
  return { ...defaultsOf(of.fields), ...before, ...(resolve === undefined ? own : checkedChange(of, resolve(own, before))) }
}

/** Defaults of all fields that have one. */
export function defaultsOf(fields: Fields): BenchSettings {
  return withoutUndefined(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default])))
}

/** Declared settings of a module type, by name in code: `probe1Celsius`. The default is the value of a new module. */
export type SettingFields = Readonly<Record<string, DecimalSchema | IntegerSchema | BooleanSchema>>

/** Values of declared settings. */
export type ValuesOf<Of extends SettingFields> = {
  readonly [Name in keyof Of]: Of[Name] extends BooleanSchema ? boolean : number
}

/** Current settings of one plugged module; initially the defaults. */
export class SettingValues<const Of extends SettingFields> {
  #now: ValuesOf<Of>

  /** `changed` is called after each change. */
  constructor(
    fields: Of,
    private readonly changed: () => void = () => {},
  ) {
    this.#now = defaultsOf(fields) as ValuesOf<Of>
  }

  get now(): ValuesOf<Of> {
    return this.#now
  }

  /** Changes some settings; the caller has checked them. */
  set(change: BenchSettings): void {
    this.#now = { ...this.#now, ...change }
    this.changed()
  }
}
