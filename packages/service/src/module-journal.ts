import type { Contract, Endpoint, ReplyOf } from '@slotwire/contract'
import type { ModuleAlert } from './alerts.ts'
import type { Request, RequestOf } from './pipeline/request.ts'

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

/** A write that has ended. `reply` is undefined: it failed, and may have changed something. `atMs`: time of the device. */
export type EndedWrite<Of = Request, Reply = unknown> = Of & { readonly reply: Reply | undefined; readonly atMs: number }
/** A write to this endpoint that has ended. */
export type EndedWriteOf<E extends Endpoint> = EndedWrite<RequestOf<E>, ReplyOf<E>>

type Endpoints = Contract['endpoints']
type Polled = Endpoint & { readonly effect: 'read'; readonly parameters?: undefined }

/** The parameters of methods are not compared: a journal with types is also one without. */
interface Reducers<State, Event> {
  write(state: State, write: Event): ModuleChange<State>
}

/** A reading that shows the state. */
interface StateReading<State, Reply> {
  change(state: State, reply: Reply, atMs: number): ModuleChange<State>
  /** Whether the engine should read it now, when no request waits: every 10 s, every second while a client follows the journal. */
  isWanted(state: State): boolean
}

/**
 * What the journal shows of a module type: its readable state, and records that follow from writes, readings and alerts. All are pure
 * functions. Without one, modules have an empty state, and records of alerts and writes.
 */
export interface ModuleJournal<
  State = object,
  Writes = Readonly<Record<string, Reducers<State, EndedWrite>['write'] | undefined>>,
  Readings = Readonly<Record<string, StateReading<State, unknown> | undefined>>,
> {
  /** The initial state, in a new session and after a reset. `before`: the last state of the same module, for what outlasts sessions. */
  initial(before: State | undefined): State
  /** What is not known after a reset that failed, and may have been done. */
  readonly unknown: Partial<State>
  /** Writes that change the state, by endpoint. */
  readonly writes?: Writes
  /** Readings that show the state, by endpoint. */
  readonly readings?: Readings
  /** An alert changes the state. */
  alert?(state: State, alert: ModuleAlert): Partial<State>
  /** The whole device restarts. */
  restarting?(state: State, atMs: number): readonly ModuleRecord[]
  /** The part of the state that clients see; default: all of it. */
  shown?(state: State): object
}

/** Declares what the journal shows of a module type, typed by its contract. */
export function moduleJournal<const Of extends Endpoints, State extends object>(
  _contract: Contract<Of>,
  journal: ModuleJournal<
    State,
    { readonly [Name in keyof Of]?: Reducers<State, EndedWriteOf<Of[Name]>>['write'] },
    { readonly [Name in keyof Of as Of[Name] extends Polled ? Name : never]?: StateReading<State, ReplyOf<Of[Name]>> }
  >,
): ModuleJournal {
  // The engine passes states that this journal made, and requests and replies that fit the contract.
  return journal
}
