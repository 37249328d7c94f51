import type { Fields } from '@slotwire/contract'
import {
  type BenchSettings,
  type CallOf,
  completeSettings,
  type Kind,
  type KindDefinition,
  kindOf,
  type OptionsOf,
  type Resolve,
  settingsOfCall,
} from '../../settings/kind.ts'
import type { Branch } from '../branch.ts'
import type { RelayValues } from './contacts.ts'

/** Resistance used in place of 0: for an ideal source, a short, a connector. */
export const IDEAL_OHMS = 0.001

/**
 * How an element is between two pins: either way round, from the first pin to the second, or as a source whose plus is at the first pin. Its
 * `volts` are then those of the source, otherwise of the other end. `outputs`: it has one output at each of both pins. Undefined: it is only
 * between a pin and ground.
 */
export type Between = 'either' | 'polar' | 'source' | 'outputs'

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
  Primary extends PropertyKey | undefined = undefined,
  Change extends object = Partial<Options>,
> extends Kind<Primary> {
  /** Throws `RangeError` that names the invalid setting, its bounds and the remedy. */
  (...of: CallOf<Options, Primary>): Element<Change>
  /** The same for unchecked settings. */
  from(settings: Readonly<Record<string, unknown>>): Element<Change>
}

/** What an element keeps beyond its settings, because it changes by itself or at certain moments. */
interface Kept<Values extends object, State, Change> {
  readonly first: (values: Values) => State
  /** What it keeps from the moment of its connecting on. */
  readonly connected?: (atMs: number) => State
  /** The same after a change of its settings at a moment. */
  readonly changed: (state: State, change: Change, atMs: number) => State
  /** The settings that follow from it at a moment. */
  readonly settingsAt?: (state: State, values: Values, atMs: number) => BenchSettings
}

/** What an element does with all its settings. */
interface Behaviour<Values extends object, State, Change> {
  readonly resolve?: Resolve
  readonly between?: Between
  readonly contact?: (values: Values) => RelayValues
  readonly description: (values: Values) => string
  readonly kept?: Kept<Values, State, Change>
  readonly branch: (values: Values, state: State) => Branch | undefined
  readonly second?: (values: Values, state: State) => Branch
}

/** Makes a kind of element. The types of its options and settings follow from its fields. */
export function defineElement<
  Of extends Fields = Record<never, never>,
  Defaulted extends keyof Of & string = never,
  Optional extends keyof Of & string = never,
  Primary extends (keyof Of & string) | undefined = undefined,
  Later extends Fields = Record<never, never>,
  State = undefined,
>(
  definition: KindDefinition<Of, Defaulted, Optional, Primary> & { readonly later?: Later } & Behaviour<
      OptionsOf<Of, Optional>,
      State,
      Partial<OptionsOf<Of> & OptionsOf<Later>>
    >,
): ElementKind<OptionsOf<Of, Defaulted | Optional>, Primary, Partial<OptionsOf<Of> & OptionsOf<Later>>> {
  const described = kindOf(definition)
  const from = (settings: object) => elementOf(definition, described, completeSettings(described, settings, definition))
  const create = (...call: readonly unknown[]) => from(settingsOfCall(described, call))
  return Object.assign(create, described, { from })
}

function elementOf<Change extends object, Values extends object, State>(
  definition: Behaviour<Values, State, Change>,
  described: Kind,
  settings: BenchSettings,
  keptState?: State,
): Element<Change> {
  const { between, resolve, kept } = definition
  const values = settings as Values
  const state = (keptState ?? kept?.first(values)) as State
  const settingsAt = (atMs: number): BenchSettings => ({ ...settings, ...kept?.settingsAt?.(state, values, atMs) })
  const made: Element<Change> = {
    kind: described.kind,
    between,
    description: definition.description(values),
    branch: definition.branch(values, state),
    second: definition.second?.(values, state),
    contact: definition.contact?.(values),
    settingsAt,
    with: (change, atMs) => {
      const next = completeSettings(described, change, { before: settingsAt(atMs), resolve })
      const own = Object.entries(next).filter(([name]) => name in described.fields)
      return elementOf(definition, described, Object.fromEntries(own), kept?.changed(state, change, atMs))
    },
    withSeed: (seed) =>
      'seed' in described.fields && settings['seed'] === undefined
        ? elementOf(definition, described, { ...settings, seed }, state)
        : made,
    connectedAt: (atMs) => elementOf(definition, described, settings, kept?.connected?.(atMs) ?? state),
  }
  return made
}
