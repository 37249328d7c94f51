import type { Settings } from '../settings/field.ts'
import type { CallOf, Kind } from '../settings/kind.ts'
import { completeSettings, givenBy } from '../settings/kind.ts'
import type { FaultyMemory } from './faulty-memory.ts'
import type { WireFaults } from './faulty-wire.ts'
import type { FaultContext, WireFault } from './wire-fault.ts'

/** What a fault can reach: all that belongs to one slot. */
export interface FaultTarget {
  readonly wire: WireFaults
  readonly memory: FaultyMemory
  readonly context: FaultContext
  /** Takes the module's supply away for a moment. Does nothing in an empty slot. */
  reboot(): void
}

/** Something that can go wrong in a slot, with its figures. */
export interface Fault {
  /** As in `lostFrames`; what breaks in one type of module alone has the name that the module gives it. */
  readonly kind: string
  /** For people. */
  readonly description: string
  readonly settings: Settings
  /** Whether it goes on until it is cleared; otherwise it happens, and is over. */
  readonly lasts: boolean
  /** It is in the module, and leaves with it. */
  readonly isOfModule?: boolean
  /** Lets it begin; the returned function ends it. Undefined: it happened, and there is nothing to end. */
  readonly begin: (target: FaultTarget) => (() => void) | undefined
}

/** A kind of fault: makes one, and says what it takes. */
export interface FaultKind<Options extends object, Primary extends keyof Options | undefined> extends Kind<Primary> {
  /** Throws `RangeError` that names what does not fit, its bounds and the remedy. */
  (...of: CallOf<Options, Primary>): Fault
  readonly lasts: boolean
  /** The same for settings that nobody has checked yet. */
  from(given: Readonly<Record<string, unknown>>): Fault
}

/** How a kind of fault is described: what it takes, and what it does with all of its settings. */
interface FaultDefinition<Options extends object, Primary extends string | undefined>
  extends Pick<Kind, 'kind' | 'summary'>,
    Partial<Pick<Kind<Primary>, 'fields' | 'primary'>> {
  readonly lasts: boolean
  readonly description: (options: Required<Options>) => string
  readonly begin: (options: Required<Options>) => Fault['begin']
}

/** Makes a kind of fault of its description. */
export function defineFault<Options extends object, Primary extends (keyof Options & string) | undefined = undefined>(
  definition: FaultDefinition<Options, Primary>,
): FaultKind<Options, Primary> {
  const { kind, summary, fields = {}, lasts } = definition
  const primary = definition.primary as Primary
  const from = (given: object): Fault => {
    const settings = completeSettings({ kind, fields }, given)
    const options = settings as Settings & Required<Options>
    return { kind, description: definition.description(options), settings, lasts, begin: definition.begin(options) }
  }
  const create = (...call: CallOf<Options, Primary>): Fault => from(givenBy({ kind, primary }, call))
  return Object.assign(create, { kind, summary, fields, primary, lasts, from })
}

/** A fault between host and module begins by standing there. */
export function onWire(create: (context: FaultContext) => WireFault): Fault['begin'] {
  return ({ wire, context }) => wire.add(create(context))
}
