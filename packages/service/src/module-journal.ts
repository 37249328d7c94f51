import type { BodyOf, Contract, Endpoint, ParametersOf, ReplyOf } from '@slotwire/contract'
import type { ModuleAlert } from './alerts.ts'

/** A record of the journal about one module, without slot, service and session. Fields of its kind have a fixed order. */
export interface ModuleRecord {
  readonly kind: 'protection' | 'usb' | 'watchdog'
  readonly [field: string]: unknown
}

/** What follows from something that happened to a module: the parts of its state that changed, and records. */
export interface ModuleChange<State> {
  readonly state?: Partial<State>
  readonly records?: readonly ModuleRecord[]
}

/** A write that has ended. */
export interface EndedWrite<E extends Endpoint> {
  readonly body: BodyOf<E>
  readonly parameters: ParametersOf<E>
  /** Undefined: it failed, and may have changed something. */
  readonly reply: ReplyOf<E> | undefined
  /** Time of the device. */
  readonly atMs: number
}

type Endpoints = Contract['endpoints']
type Polled = Endpoint & { readonly effect: 'read'; readonly parameters?: undefined }

/**
 * What the journal shows of a module type: its readable state, and records that follow from writes, readings and alerts. All are pure
 * functions. Without one, modules have an empty state, and records of alerts and writes.
 */
export interface ModuleJournal<Of extends Endpoints, State extends object> {
  /** The initial state, in a new session and after a reset. `before`: the last state of the same module, for what outlasts sessions. */
  readonly initial: (before: State | undefined) => State
  /** What is not known after a reset that failed, and may have been done. */
  readonly unknown: Partial<State>
  /** Writes that change the state, by endpoint. */
  readonly writes?: { readonly [Name in keyof Of]?: (state: State, write: EndedWrite<Of[Name]>) => ModuleChange<State> }
  /** Readings that show the state, by endpoint. */
  readonly readings?: {
    readonly [Name in keyof Of as Of[Name] extends Polled ? Name : never]?: {
      readonly change: (state: State, reply: ReplyOf<Of[Name]>, atMs: number) => ModuleChange<State>
      /** Whether the engine should read it now, when no request waits: every 10 s, every second while a client follows the journal. */
      readonly isWanted: (state: State) => boolean
    }
  }
  /** An alert changes the state. */
  readonly alert?: (state: State, alert: ModuleAlert) => Partial<State>
  /** The whole device restarts. */
  readonly restarting?: (state: State, atMs: number) => readonly ModuleRecord[]
  /** The part of the state that clients see; default: all of it. */
  readonly shown?: (state: State) => object
}

/** Methods of an object that a journal may have; the parameters of a method are not compared. */
interface Reducers {
  write(
    state: object,
    write: Pick<EndedWrite<Endpoint>, 'parameters' | 'atMs'> & { readonly body: unknown; readonly reply: unknown },
  ): ModuleChange<object>
}

/** A reading of a `ModuleJournal` without its types. */
interface CheckedReading {
  change(state: object, reply: unknown, atMs: number): ModuleChange<object>
  isWanted(state: object): boolean
}

/** A `ModuleJournal` without the types of its contract and its state. */
export interface CheckedJournal {
  initial(before: object | undefined): object
  readonly unknown: object
  readonly writes?: Readonly<Record<string, Reducers['write'] | undefined>>
  readonly readings?: Readonly<Record<string, CheckedReading | undefined>>
  alert?(state: object, alert: ModuleAlert): object
  restarting?(state: object, atMs: number): readonly ModuleRecord[]
  shown?(state: object): object
}

/** Declares what the journal shows of a module type, typed by its contract. */
export function moduleJournal<const Of extends Endpoints, State extends object>(
  _contract: Contract<Of>,
  journal: ModuleJournal<Of, State>,
): CheckedJournal {
  // The engine passes states that this journal made, and requests and replies that fit the contract.
  return journal
}
