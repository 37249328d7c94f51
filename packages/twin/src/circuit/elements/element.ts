import type { Fields, Settings } from '../../settings/field.ts'
import { boundsOf, checkedSettings, defaultSettings } from '../../settings/field.ts'
import type { Branch } from '../branch.ts'

/** What stands in for no resistance at all: an ideal source, a short, a connector. */
export const IDEAL_OHMS = 0.001

/**
 * Something outside the modules that hangs between a terminal and ground. It is a value: what is set differently is another one.
 * What it does to the node is its branch, undefined while it does nothing.
 */
export interface Element<Change extends object = object> {
  /** As in `source`. */
  readonly kind: string
  /** For people: what it is and its figures. */
  readonly description: string
  readonly branch: Branch | undefined
  /** All its settings at a moment. */
  settingsAt(atMs: number): Settings
  /** The same, changed at a moment. Throws `RangeError` that names what does not fit. */
  with(change: Change, atMs: number): Element<Change>
}

/** A kind of element: makes one, and says what it takes. */
export interface ElementKind<Options extends object, Change extends object = Partial<Options>> {
  /** Throws `RangeError` that names what does not fit, its bounds and the remedy. */
  (...of: Partial<Options> extends Options ? [of?: Options] : [of: Options]): Element<Change>
  readonly kind: string
  /** For people: what it is. */
  readonly summary: string
  readonly fields: Fields
  /** The same for settings that nobody has checked yet. */
  from(given: Readonly<Record<string, unknown>>): Element<Change>
}

/** How a kind of element is described: what it takes, and what it is with all of its settings. */
export interface ElementDefinition<Values extends object> {
  readonly kind: string
  readonly summary: string
  readonly fields: Fields
  /** Turns settings that stand for others into those. `before` is what was set; undefined for a new element. */
  readonly resolve?: (given: Settings, before: Settings | undefined) => Settings
  readonly description: (values: Values) => string
  readonly branch: (values: Values) => Branch | undefined
}

export function defineElement<Options extends object, Values extends object = Required<Options>>(
  definition: ElementDefinition<Values>,
): ElementKind<Options> {
  const { kind, summary, fields } = definition
  const create = (given: object = {}): Element<Partial<Options>> => elementOf(definition, given, undefined)
  return Object.assign(create, { kind, summary, fields, from: create })
}

function elementOf<Change extends object, Values extends object>(
  definition: ElementDefinition<Values>,
  given: object,
  before: Settings | undefined,
): Element<Change> {
  const settings = completeSettings(definition, given, before)
  const values = settings as Values
  return {
    kind: definition.kind,
    description: definition.description(values),
    branch: definition.branch(values),
    settingsAt: () => settings,
    with: (change) => elementOf(definition, change, settings),
  }
}

/** All settings of an element. Throws `RangeError` for what does not fit or is missing. */
export function completeSettings(
  { kind, fields, resolve = (settings) => settings }: Pick<ElementDefinition<never>, 'kind' | 'fields' | 'resolve'>,
  given: object,
  before: Settings | undefined,
): Settings {
  const resolved = checkedSettings(kind, fields, resolve(checkedSettings(kind, fields, given), before))
  const settings = { ...defaultSettings(fields), ...before, ...resolved }
  for (const [name, field] of Object.entries(fields)) {
    const isMissing = field.type === 'number' && field.isAlternative !== true && settings[name] === undefined
    if (isMissing) throw new RangeError(`${kind} needs ${name}: ${boundsOf(field)}`)
  }
  return settings
}
