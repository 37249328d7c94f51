import type { ModuleRestart } from '../module/virtual-module.ts'
import { type BenchSettings, type CallOf, completeSettings, type Kind, settingsOfCall } from '../settings/kind.ts'
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
  readonly isOfModule?: boolean
  /** Starts the fault; returns a function that ends it, or undefined if it is over at once. */
  readonly begin: (target: FaultTarget) => (() => void) | undefined
}

/** A kind of fault: a factory function with a description of its settings. */
export interface FaultKind<Options extends object, Primary extends keyof Options | undefined> extends Kind<Primary> {
  /** Throws `RangeError` that names the invalid setting, its bounds and the remedy. */
  (...of: CallOf<Options, Primary>): Fault
  readonly lasts: boolean
  /** The same for unchecked settings. */
  from(values: Readonly<Record<string, unknown>>): Fault
}

/** Description of a kind of fault. */
interface FaultDefinition<Options extends object, Primary extends string | undefined>
  extends Pick<Kind, 'kind' | 'summary'>,
    Partial<Pick<Kind<Primary>, 'fields' | 'primary'>> {
  readonly lasts: boolean
  readonly description: (options: Required<Options>) => string
  readonly begin: (options: Required<Options>) => Fault['begin']
}

/** Makes a kind of fault from its definition. */
export function defineFault<Options extends object, Primary extends (keyof Options & string) | undefined = undefined>(
  definition: FaultDefinition<Options, Primary>,
): FaultKind<Options, Primary> {
  const { kind, summary, fields = {}, lasts } = definition
  const primary = definition.primary as Primary
  const settable = { fields }
  const from = (values: object): Fault => {
    const settings = completeSettings(settable, values)
    const options = settings as BenchSettings & Required<Options>
    return { kind, description: definition.description(options), settings, lasts, begin: definition.begin(options) }
  }
  const create = (...call: CallOf<Options, Primary>): Fault => from(settingsOfCall({ kind, primary }, call))
  return Object.assign(create, { kind, summary, fields, primary, lasts, from })
}

/** Starts a fault between host and module. */
export function onWire(create: (context: FaultContext) => WireFault): Fault['begin'] {
  return ({ wire, context }) => wire.add(create(context))
}
