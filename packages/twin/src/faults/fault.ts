import type { Fields } from '@slotwire/contract'
import type { ModuleRestart } from '../module/virtual-module.ts'
import {
  type BenchSettings,
  type CallOf,
  completeSettings,
  type Kind,
  type KindDefinition,
  kindOf,
  type OptionsOf,
  settingsOfCall,
} from '../settings/kind.ts'
import type { FaultyMemory } from './faulty-memory.ts'
import type { FaultContext, WireFault, WireFaults } from './faulty-wire.ts'

/** Everything that a fault of one slot can affect. */
export interface FaultTarget {
  readonly wire: WireFaults
  readonly memory: FaultyMemory
  readonly context: FaultContext
  /** Interrupts the module's supply for a moment, with its interrupt line low for `lowMs`. Does nothing in an empty slot. */
  reboot(lowMs: number, into?: ModuleRestart): void
}

/** A fault of a slot, with its settings. */
export interface Fault {
  /** As in `lostFrames`; a defect of one module type has the name that the module gives it, as in `fan_blocked`. */
  readonly kind: string
  /** For people. */
  readonly description: string
  readonly settings: BenchSettings
  /** Whether it lasts until it is cleared; otherwise it is over at once. */
  readonly lasts: boolean
  /** It is inside the module, and is cleared when the module leaves. */
  readonly isOfModule?: boolean | undefined
  /** Starts the fault; returns a function that ends it, or undefined if it is over at once. */
  readonly begin: (target: FaultTarget) => (() => void) | undefined
}

/** A kind of fault: a factory function with a description of its settings. */
export interface FaultKind<Options extends object, Primary extends PropertyKey | undefined> extends Kind<Primary> {
  /** Throws `RangeError` that names the invalid setting, its bounds and the remedy. */
  (...of: CallOf<Options, Primary>): Fault
  readonly lasts: boolean
  /** The same for unchecked settings. */
  from(values: Readonly<Record<string, unknown>>): Fault
}

/** Makes a kind of fault. The types of its options and settings follow from its fields. */
export function defineFault<
  Of extends Fields = Record<never, never>,
  Defaulted extends keyof Of & string = never,
  Primary extends (keyof Of & string) | undefined = undefined,
>(
  definition: KindDefinition<Of, Defaulted, never, Primary> & {
    /** Default true. */
    readonly lasts?: boolean
    readonly description: (settings: OptionsOf<Of>) => string
    /** What happens between host and module while it lasts. */
    readonly wire?: (settings: OptionsOf<Of>, context: FaultContext) => WireFault
    /** What happens elsewhere; returns like `begin` of a fault. */
    readonly begin?: (settings: OptionsOf<Of>, target: FaultTarget) => (() => void) | undefined
  },
): FaultKind<OptionsOf<Of, Defaulted>, Primary> {
  const described = kindOf(definition)
  const { kind } = described
  const { description, lasts = true, wire, begin } = definition
  const from = (values: object): Fault => {
    const settings = completeSettings(described, values)
    const own = settings as OptionsOf<Of>
    return {
      kind,
      description: description(own),
      settings,
      lasts,
      begin: (target) => (wire === undefined ? begin?.(own, target) : target.wire.add(wire(own, target.context))),
    }
  }
  const create = (...call: readonly unknown[]): Fault => from(settingsOfCall(described, call))
  return Object.assign(create, described, { lasts, from })
}
