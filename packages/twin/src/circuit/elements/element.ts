import type { Settings } from '../../settings/field.ts'
import type { CallOf, Kind, Resolve } from '../../settings/kind.ts'
import { completeSettings, givenBy } from '../../settings/kind.ts'
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
export interface ElementKind<
  Options extends object,
  Primary extends keyof Options | undefined = undefined,
  Change extends object = Partial<Options>,
> extends Kind<Primary> {
  /** Throws `RangeError` that names what does not fit, its bounds and the remedy. */
  (...of: CallOf<Options, Primary>): Element<Change>
  /** The same for settings that nobody has checked yet. */
  from(given: Readonly<Record<string, unknown>>): Element<Change>
}

/** How a kind of element is described: what it takes, and what it is with all of its settings. */
export interface ElementDefinition<Values extends object, Primary extends string | undefined>
  extends Pick<Kind, 'kind' | 'summary'>,
    Partial<Pick<Kind<Primary>, 'fields' | 'primary'>> {
  readonly resolve?: Resolve
  readonly description: (values: Values) => string
  readonly branch: (values: Values) => Branch | undefined
}

/** Makes a kind of element of its description. */
export function defineElement<
  Options extends object,
  Primary extends (keyof Options & string) | undefined = undefined,
  Values extends object = Required<Options>,
>(definition: ElementDefinition<Values, Primary>): ElementKind<Options, Primary> {
  const { kind, summary, fields = {} } = definition
  const primary = definition.primary as Primary
  const from = (given: object): Element<Partial<Options>> => elementOf(definition, given, undefined)
  const create = (...call: CallOf<Options, Primary>): Element<Partial<Options>> => from(givenBy({ kind, primary }, call))
  return Object.assign(create, { kind, summary, fields, primary, from })
}

function elementOf<Change extends object, Values extends object>(
  definition: ElementDefinition<Values, string | undefined>,
  given: object,
  before: Settings | undefined,
): Element<Change> {
  const { kind, fields = {}, resolve } = definition
  const settings = completeSettings({ kind, fields }, given, { before, resolve })
  const values = settings as Values
  return {
    kind,
    description: definition.description(values),
    branch: definition.branch(values),
    settingsAt: () => settings,
    with: (change) => elementOf(definition, change, settings),
  }
}
