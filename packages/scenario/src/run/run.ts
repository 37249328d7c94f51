import { servicePath } from '@slotwire/contract'
import type { Connection } from '@slotwire/twin'
import type { ScenarioWorld, WorldAnswer, WorldRequest } from '../world.ts'
import type { Pacer } from './pacer.ts'
import { StepFailure } from './step-failure.ts'

/** How long an answer may take, in twin time. */
export const ANSWER_DEADLINE_MS = 10_000
/** How long the service may need to start or to end, in twin time. */
const SERVICE_DEADLINE_MS = 60_000
const MS_PER_SECOND = 1000

/** What came of a request: an answer, or why there is none. */
export type Outcome = WorldAnswer | { readonly refused: string }

/** Whose session: that of a slot, or the driver's. */
export type Session = number | 'driver'

/** A scenario while it runs: what its steps act on, and what they have left for each other. */
export class Run {
  readonly world: ScenarioWorld
  /** The twin's time at the beginning. */
  readonly startMs: number
  /** What steps connected under a name. */
  readonly connections = new Map<string, Connection>()
  /** Identifiers as they were at the last expectation, by `driver` or slot; undefined: not there. */
  readonly sessions = new Map<Session, string | undefined>()
  /** Requests in the background, by name. */
  readonly #answers = new Map<string, Promise<Outcome>>()
  /** Those of them that no expectation has looked at, with the step that made each, and what it must be. */
  readonly #unseen = new Map<string, { readonly step: number; readonly check: (outcome: Outcome) => void }>()
  readonly #lastTypes = new Map<number, string>()
  readonly #pacer: Pacer
  readonly #signal: AbortSignal | undefined
  readonly #end = new AbortController()
  /** Aborted when it has ended, or was stopped. */
  readonly #over: AbortSignal
  /** What goes on, with the step that began it. */
  readonly #background = new Map<Promise<unknown>, number>()
  /** Number of the step that runs, from 0. */
  step = 0
  /** What went wrong in the background, with the step that began it. */
  readonly lateFaults: { readonly step: number; readonly error: unknown }[] = []

  constructor(world: ScenarioWorld, pacer: Pacer, signal: AbortSignal | undefined) {
    this.world = world
    this.#pacer = pacer
    this.#signal = signal
    this.startMs = world.clock.now()
    this.#over = signal === undefined ? this.#end.signal : AbortSignal.any([this.#end.signal, signal])
  }

  /** Gives up whatever waits for its time: nothing of it outlives the scenario. */
  end(): void {
    this.#end.abort(new Error('the scenario has ended'))
  }

  /** Twin time since the beginning, in ms. */
  get nowMs(): number {
    return this.world.clock.now() - this.startMs
  }

  /** Looks at how things are before the first step. */
  async begin(steps: readonly { readonly prepare?: ((run: Run) => Promise<void>) | undefined }[]): Promise<void> {
    for (const { slot } of this.world.bench.slots) this.moduleType(slot)
    for (const { prepare } of steps) await prepare?.(this).catch(unlessStepFailure)
  }

  /** Keeps what a step connected, if it gave it a name. */
  keep(name: string | undefined, connection: Connection): void {
    if (name !== undefined) this.connections.set(name, connection)
  }

  /** Lets time pass until `atMs` after the beginning. */
  waitUntil(atMs: number): Promise<void> {
    return this.#pacer.waitUntil(this.startMs + atMs, this.#signal)
  }

  waitFor(ms: number): Promise<void> {
    return this.#pacer.waitUntil(this.world.clock.now() + ms, this.#signal)
  }

  /** Lets time pass until the work is done; throws a `StepFailure` that says `what` was not done in time. */
  async settled<Result>(work: Promise<Result>, what: string, deadlineMs = SERVICE_DEADLINE_MS): Promise<Result> {
    const outcome = await this.#pacer.settle(work, this.world.clock.now() + deadlineMs, this.#signal)
    if (outcome === undefined) throw new StepFailure(what, `nothing for ${deadlineMs / MS_PER_SECOND} s of twin time`)
    return outcome.result
  }

  /** Has work go on while later steps run. Where it fails, the step that began it has failed. */
  inBackground(work: Promise<unknown>): void {
    this.#goesOn(work, this.step)
  }

  #goesOn(work: Promise<unknown>, step: number): void {
    const noted = work
      .catch((error: unknown) => this.lateFaults.push({ step, error }))
      .finally(() => this.#background.delete(noted))
    this.#background.set(noted, step)
    this.#pacer.accompany(noted)
  }

  /** Gives a request in the background a name. `check` throws where its answer is wrong, and is asked where no expectation looks at it. */
  nameAnswer(name: string, outcome: Promise<Outcome>, check: (outcome: Outcome) => void): void {
    this.#answers.set(name, outcome)
    this.#unseen.set(name, { step: this.step, check })
    this.#pacer.accompany(outcome)
  }

  /** The request of a name, for an expectation to look at; undefined: it was not made. */
  answer(name: string): Promise<Outcome> | undefined {
    this.#unseen.delete(name)
    return this.#answers.get(name)
  }

  /** Has work begin after a time, in the background; not at all where the scenario has ended by then. */
  later(delayMs: number, work: () => Promise<unknown>): void {
    const isDue = this.world.clock.sleep(delayMs, this.#over).then(
      () => true,
      () => false,
    )
    this.inBackground(isDue.then((due) => (due ? work() : undefined)))
  }

  /** Waits for all work in the background, and looks at answers that nobody has; a step whose work does not end has failed. */
  async backgroundDone(): Promise<void> {
    for (const [name, { step, check }] of this.#unseen) {
      const outcome = this.#answers.get(name)
      if (outcome !== undefined) this.#goesOn(outcome.then(check), step)
    }
    if (this.#background.size === 0) return
    const all = Promise.all(this.#background.keys())
    const outcome = await this.#pacer.settle(all, this.world.clock.now() + SERVICE_DEADLINE_MS, this.#signal)
    if (outcome !== undefined) return
    const seen = `it still goes on ${SERVICE_DEADLINE_MS / MS_PER_SECOND} s after the end: give until a longer time`
    for (const step of this.#background.values()) this.lateFaults.push({ step, error: new StepFailure('this to end', seen) })
  }

  request(request: WorldRequest): Promise<Outcome> {
    return this.world
      .request(request)
      .catch((error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) }))
  }

  /** Asks and waits for the answer. */
  ask(request: WorldRequest): Promise<Outcome> {
    return this.settled(this.request(request), `an answer to ${request.method} ${request.path}`, ANSWER_DEADLINE_MS)
  }

  /** The identifier as the service lists it; undefined where it does not. */
  async readSession(session: Session): Promise<string | undefined> {
    const type =
      session === 'driver'
        ? this.world.bench.slots.find((each) => each.moduleType !== undefined)?.moduleType
        : this.moduleType(session)
    if (type === undefined) return undefined
    const outcome = await this.ask({ method: 'GET', path: `${servicePath(type)}/` })
    const body = 'body' in outcome ? sessionList(outcome.body) : undefined
    if (session === 'driver') return body?.driver_session
    return body?.devices?.find(({ slot_number }) => slot_number === session)?.device_session
  }

  /** Type of the module in a slot, or of the one that was there last: the name of its service. */
  moduleType(slot: number): string | undefined {
    const type = this.world.bench.slot(slot).moduleType
    if (type !== undefined) this.#lastTypes.set(slot, type)
    return type ?? this.#lastTypes.get(slot)
  }
}

/** What could not be looked at was not there. */
function unlessStepFailure(error: unknown): void {
  if (!(error instanceof StepFailure)) throw error
}

/** Version and device list of a service, as far as sessions go. */
interface SessionList {
  readonly driver_session?: string
  readonly devices?: readonly { readonly slot_number: number; readonly device_session: string }[]
}

function sessionList(body: unknown): SessionList | undefined {
  return typeof body === 'object' && body !== null ? body : undefined
}
