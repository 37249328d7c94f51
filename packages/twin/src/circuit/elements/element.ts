import {
  type BenchSettings,
  type CallOf,
  completeSettings,
  type Kind,
  type Resolve,
  type Settable,
  settingsOfCall,
} from '../../settings/kind.ts'
import type { Branch } from '../branch.ts'

/** Resistance used in place of 0: for an ideal source, a short, a connector. */
export const IDEAL_OHMS = 0.001

/**
 * How an element is between two pins: either way round, from the first pin to the second, or as a source whose plus is at the first pin. Its
 * `volts` are then those of the source, otherwise of the other end. `outputs`: it has one output at each of both pins. Undefined: it is only
 * between a pin and ground.
 */
export type Between = 'either' | 'polar' | 'source' | 'outputs'

export interface RelayOptions {
  /** Resistance of its coil. */
  readonly ohms: number
  /** Inductance of its coil; default 0.2. */
  readonly henry?: number
  /** Voltage of the coil's other end; default 0, ground. */
  readonly volts?: number
  /** Resistance across the coil, as a multiple of its own: limits the voltage at switch-off; default 1000. */
  readonly suppression?: number
  /** It pulls in when its coil carries more current than at this voltage; default 3.5. */
  readonly pullInVolts?: number
  /** It releases when its coil carries less current than at this voltage; default 1. */
  readonly releaseVolts?: number
  /** Time until the contact moves after the coil has pulled in, in ms; default 5. */
  readonly operateMs?: number
  /** Time until the contact moves back after the coil has released, in ms; default 3. */
  readonly releaseMs?: number
  /** Whether the contact is closed while the coil is off; default false. */
  readonly normallyClosed?: boolean
  /** Resistance of the closed contact; default 0.1. */
  readonly contactOhms?: number
  /** How often its contact opens again when it closes, and closes again when it opens; default 3. */
  readonly bounces?: number
  /** How long it bounces, in ms; default 1. */
  readonly bounceMs?: number
  /** 0…2³²−1; default: from the twin's seed, the pin and the relay. */
  readonly seed?: number
}

/** All its settings. */
export type RelayValues = Required<Omit<RelayOptions, 'seed'>> & Pick<RelayOptions, 'seed'>

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
  /** The settings of a relay, whose contact is between two pins of its own. */
  readonly contact?: RelayValues | undefined
  /** All its settings at a moment. */
  settingsAt(atMs: number): BenchSettings
  /** A copy, changed at a moment. Throws `RangeError` that names the invalid setting. */
  with(change: Change, atMs: number): Element<Change>
  /** A copy whose random values follow this seed; the same element if it has a seed already, or nothing random. */
  withSeed(seed: number): Element<Change>
  /** A copy that begins at the moment of its connecting. */
  connectedAt(atMs: number): Element<Change>
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

/** What an element keeps beyond its settings, because it changes by itself or at certain moments. */
export interface Kept<Values extends object, State, Change> {
  readonly first: (values: Values) => State
  /** What it keeps from the moment of its connecting on. */
  readonly connected?: (atMs: number) => State
  /** The same after a change of its settings at a moment. */
  readonly changed: (state: State, change: Change, atMs: number) => State
  /** The settings that follow from it at a moment. */
  readonly settingsAt?: (state: State, values: Values, atMs: number) => BenchSettings
}

/** Description of a kind of element. */
export interface ElementDefinition<Values extends object, Primary extends string | undefined, State, Change>
  extends Pick<Kind, 'kind' | 'summary'>,
    Partial<Settable>,
    Partial<Pick<Kind<Primary>, 'primary'>> {
  readonly resolve?: Resolve
  readonly between?: Between
  readonly contact?: (values: Values) => RelayValues
  readonly description: (values: Values) => string
  readonly branch: (values: Values, state: State) => Branch | undefined
  readonly second?: (values: Values, state: State) => Branch
  readonly kept?: Kept<Values, State, Change>
}

/** Makes a kind of element from its definition. */
export function defineElement<
  Options extends object,
  Primary extends (keyof Options & string) | undefined = undefined,
  Values extends object = Required<Options>,
  State = undefined,
  Change extends object = Partial<Options>,
>(definition: ElementDefinition<Values, Primary, State, Change>): ElementKind<Options, Primary, Change> {
  const { kind, summary, fields = {}, optional = [], rules = {}, later = {}, exclusions = [], between, contact } = definition
  const primary = definition.primary as Primary
  const settable = { fields, optional, rules, later, exclusions }
  const from = (given: object): Element<Change> =>
    elementOf(definition, settable, completeSettings(settable, given, { resolve: definition.resolve }))
  const create = (...call: CallOf<Options, Primary>): Element<Change> => from(settingsOfCall({ kind, primary }, call))
  return Object.assign(create, { kind, summary, ...settable, primary, between, hasContact: contact !== undefined, from })
}

function elementOf<Change extends object, Values extends object, State>(
  definition: ElementDefinition<Values, string | undefined, State, Change>,
  settable: Settable & Pick<Kind, 'fields'>,
  settings: BenchSettings,
  keptState?: State,
): Element<Change> {
  const { kind, between, resolve, kept } = definition
  const values = settings as Values
  const state = (keptState ?? kept?.first(values)) as State
  const settingsAt = (atMs: number): BenchSettings => ({ ...settings, ...kept?.settingsAt?.(state, values, atMs) })
  const made: Element<Change> = {
    kind,
    between,
    description: definition.description(values),
    branch: definition.branch(values, state),
    second: definition.second?.(values, state),
    contact: definition.contact?.(values),
    settingsAt,
    with: (change, atMs) => {
      const next = completeSettings(settable, change, { before: settingsAt(atMs), resolve })
      const own = Object.entries(next).filter(([name]) => name in settable.fields)
      return elementOf(definition, settable, Object.fromEntries(own), kept?.changed(state, change, atMs))
    },
    withSeed: (seed) =>
      'seed' in settable.fields && settings['seed'] === undefined
        ? elementOf(definition, settable, { ...settings, seed }, state)
        : made,
    connectedAt: (atMs) => elementOf(definition, settable, settings, kept?.connected?.(atMs) ?? state),
  }
  return made
}
