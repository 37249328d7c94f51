import {
  type CallOf,
  completeSettings,
  givenBy,
  type Kind,
  type Resolve,
  type Settable,
  type Settings,
} from '../../settings/kind.ts'
import type { Branch } from '../branch.ts'
import type { Bounce } from './bounce.ts'

/** Resistance used in place of 0: for an ideal source, a short, a connector. */
export const IDEAL_OHMS = 0.001

/**
 * How an element is between two pins: either way round, from the first pin to the second, or as a source whose plus is at the first pin. Its
 * `volts` are then those of the source, otherwise of the other end. `outputs`: it has one output at each of both pins. Undefined: it is only
 * between a pin and ground.
 */
export type Between = 'either' | 'polar' | 'source' | 'outputs'

/** The contact of a relay, between two pins of its own. */
export interface RelayContact {
  readonly pullInVolts: number
  readonly releaseVolts: number
  /** Resistance of the coil, which turns these voltages into currents; negative if the current of the coil flows into the pin. */
  readonly coilOhms: number
  readonly operateMs: number
  readonly releaseMs: number
  readonly normallyClosed: boolean
  readonly bounce: Bounce
  readonly ohms: number
}

/**
 * Something between a terminal and ground, or between two terminals, outside the modules. Immutable: `with` returns a changed copy. Its branch is its effect on the
 * node; undefined if it has none.
 */
export interface Element<Change extends object = object> {
  /** As in `source`. */
  readonly kind: string
  /** For people: kind and values. */
  readonly description: string
  readonly branch: Branch | undefined
  readonly between: Between | undefined
  /** Output at the other pin, of an element with two. */
  readonly second?: Branch | undefined
  readonly contact?: RelayContact | undefined
  /** All its settings at a moment. */
  settingsAt(atMs: number): Settings
  /** A copy, changed at a moment. Throws `RangeError` that names the invalid setting. */
  with(change: Change, atMs: number): Element<Change>
  /** A copy whose random values follow this seed; the same element if it has a seed already, or nothing random. */
  withSeed(seed: number): Element<Change>
  /** A copy that begins at the moment of its connecting, of an element that changes by itself. */
  readonly startedAt?: (atMs: number) => Element<Change>
}

/** A kind of element: a factory function with a description of its settings. */
export interface ElementKind<
  Options extends object,
  Primary extends keyof Options | undefined = undefined,
  Change extends object = Partial<Options>,
> extends Kind<Primary> {
  /** Throws `RangeError` that names the invalid setting, its bounds and the remedy. */
  (...of: CallOf<Options, Primary>): Element<Change>
  readonly between: Between | undefined
  /** Whether it has a contact between two pins of its own. */
  readonly hasContact: boolean
  /** The same for unchecked settings. */
  from(given: Readonly<Record<string, unknown>>): Element<Change>
}

/** Description of a kind of element. */
export interface ElementDefinition<Values extends object, Primary extends string | undefined>
  extends Pick<Kind, 'kind' | 'summary'>,
    Partial<Settable>,
    Partial<Pick<Kind<Primary>, 'primary'>> {
  readonly resolve?: Resolve
  readonly between?: Between
  readonly contact?: (values: Values) => RelayContact
  readonly description: (values: Values) => string
  readonly branch: (values: Values) => Branch | undefined
}

/** Makes a kind of element from its definition. */
export function defineElement<
  Options extends object,
  Primary extends (keyof Options & string) | undefined = undefined,
  Values extends object = Required<Options>,
>(definition: ElementDefinition<Values, Primary>): ElementKind<Options, Primary> {
  const { kind, summary, fields = {}, optional = [], rules = {}, between, contact } = definition
  const primary = definition.primary as Primary
  const settable = { fields, optional, rules, exclusions: definition.exclusions ?? [] }
  const from = (given: object): Element<Partial<Options>> => elementOf(definition, settable, given, undefined)
  const create = (...call: CallOf<Options, Primary>): Element<Partial<Options>> => from(givenBy({ kind, primary }, call))
  return Object.assign(create, { kind, summary, ...settable, primary, between, hasContact: contact !== undefined, from })
}

/** Whether it has random values, but no seed yet. */
export function lacksSeed({ fields }: Settable, settings: Settings): boolean {
  return 'seed' in fields && settings['seed'] === undefined
}

function elementOf<Change extends object, Values extends object>(
  definition: ElementDefinition<Values, string | undefined>,
  settable: Settable,
  given: object,
  before: Settings | undefined,
): Element<Change> {
  const { kind, resolve } = definition
  const settings = completeSettings(settable, given, { before, resolve })
  const values = settings as Values
  const made: Element<Change> = {
    kind,
    description: definition.description(values),
    branch: definition.branch(values),
    between: definition.between,
    contact: definition.contact?.(values),
    settingsAt: () => settings,
    with: (change) => elementOf(definition, settable, change, settings),
    withSeed: (seed) => (lacksSeed(settable, settings) ? elementOf(definition, settable, { seed }, settings) : made),
  }
  return made
}
