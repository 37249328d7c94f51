import { type Position, type ReplyOf, servicePath, type versionRoot } from '@slotwire/contract'
import { messageOf, orElse } from '@slotwire/core'
import type { Bench } from '@slotwire/twin'
import type { ScenarioWorld, WorldAnswer, WorldRecord, WorldRequest } from '../world.ts'
import type { Pacer } from './pacer.ts'

/** Deadline for an answer, in twin time. */
export const ANSWER_DEADLINE_MS = 10_000
/** Deadline for the service to start or end, in twin time. */
const SERVICE_DEADLINE_MS = 60_000
const MS_PER_SECOND = 1000
const BEFORE_ALL: Position = { boot: 0, sequence: 0 }

/** Result of a request: an answer, or the reason for none. */
export type RequestOutcome = WorldAnswer | { readonly refused: string }

interface BackgroundRequest {
  readonly outcome: Promise<RequestOutcome>
  readonly step: number
  /** Throws for a wrong answer. */
  check: ((outcome: RequestOutcome) => void) | undefined
}

/** Session of a slot or of the driver. */
export type Session = number | 'driver'

/** A running scenario: the device, and data that steps share. */
export class Run {
  /** Twin time at the start. */
  readonly startMs: number
  /** The journal's last record at the start. */
  readonly #startRecord: Position
  /** Sessions at the last expectation, by `driver` or slot; undefined if missing. */
  readonly sessions = new Map<Session, string | undefined>()
  /** Background requests by name, with their step; those without an expectation so far have a check. */
  readonly #answers = new Map<string, BackgroundRequest>()
  /** Ids of the journal's records that an expectation has seen: each holds for one. */
  readonly seenRecords = new Set<string>()
  readonly #lastTypes = new Map<number, string>()
  readonly #end = new AbortController()
  /** Aborted when the scenario has ended or was stopped. */
  readonly #over: AbortSignal
  /** Background work, with the step that began it. */
  readonly #background = new Map<Promise<unknown>, number>()
  /** Index of the current step, from 0. */
  step = 0
  /** Errors of background work, with the step that began it. */
  readonly backgroundErrors: { readonly step: number; readonly error: unknown }[] = []

  constructor(
    readonly world: ScenarioWorld,
    private readonly pacer: Pacer,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.startMs = world.clock.now()
    this.#startRecord = orElse(BEFORE_ALL, () => world.journal.last)
    this.#over = signal === undefined ? this.#end.signal : AbortSignal.any([this.#end.signal, signal])
  }

  /** Cancels everything that waits for its time: nothing outlives the scenario. */
  end(): void {
    this.#end.abort(new Error('the scenario has ended'))
  }

  /** Throws without one. */
  get bench(): Bench {
    if (this.world.bench === undefined) throw new RangeError('this device has no bench')
    return this.world.bench
  }

  get #slots(): NonNullable<ScenarioWorld['slots']> {
    return this.world.bench?.slots ?? this.world.slots ?? []
  }

  /** Twin time since the start, in ms. */
  get nowMs(): number {
    return this.world.clock.now() - this.startMs
  }

  /** Records the initial state before the first step. */
  async begin(steps: readonly { readonly prepare?: ((run: Run) => Promise<void>) | undefined }[]): Promise<void> {
    for (const { slot } of this.#slots) this.moduleType(slot)
    for (const { prepare } of steps) await prepare?.(this).catch(unlessStepFailure)
  }

  /** Lets time pass until `atMs` after the start. */
  waitUntil(atMs: number): Promise<void> {
    return this.pacer.waitUntil(this.startMs + atMs, this.signal)
  }

  waitFor(ms: number): Promise<void> {
    return this.pacer.waitUntil(this.world.clock.now() + ms, this.signal)
  }

  /** Lets time pass until the work is done. Throws a `StepFailure` with `what` if that takes too long. */
  async settled<Result>(work: Promise<Result>, what: string, deadlineMs = SERVICE_DEADLINE_MS): Promise<Result> {
    const outcome = await this.pacer.settle(work, this.world.clock.now() + deadlineMs, this.signal)
    if (outcome === undefined) throw new StepFailure(what, `nothing for ${deadlineMs / MS_PER_SECOND} s`)
    return outcome.result
  }

  /** Runs work in the background of later steps. If it fails, the step that began it fails. */
  inBackground(work: Promise<unknown>): void {
    this.#track(work, this.step)
  }

  #track(work: Promise<unknown>, step: number): void {
    const noted = work
      .catch((error: unknown) => this.backgroundErrors.push({ step, error }))
      .finally(() => this.#background.delete(noted))
    this.#background.set(noted, step)
    this.pacer.addBackground(noted)
  }

  /** Names a background request. `check` throws for a wrong answer; it is used if no expectation checks the answer. */
  nameAnswer(name: string, outcome: Promise<RequestOutcome>, check: (outcome: RequestOutcome) => void): void {
    // In the next round of a repeat, the name is that of another answer.
    this.#checkAtEnd(name)
    this.#answers.set(name, { outcome, step: this.step, check })
    this.pacer.addBackground(outcome)
  }

  /** The background request of a name, for an expectation; undefined if it was not made. */
  answer(name: string): Promise<RequestOutcome> | undefined {
    const answer = this.#answers.get(name)
    if (answer !== undefined) answer.check = undefined
    return answer?.outcome
  }

  /** Checks an answer in the background, if no expectation has. */
  #checkAtEnd(name: string): void {
    const answer = this.#answers.get(name)
    if (answer?.check !== undefined) this.#track(answer.outcome.then(answer.check), answer.step)
  }

  /** Starts work in the background after a delay, unless the scenario has ended by then. */
  later(delayMs: number, work: () => Promise<unknown>): void {
    const isDue = this.world.clock.sleep(delayMs, this.#over).then(
      () => true,
      () => false,
    )
    this.inBackground(isDue.then((due) => (due ? work() : undefined)))
  }

  /** Waits for all background work, and checks answers without an expectation. Work that does not end fails its step. */
  async finishBackground(): Promise<void> {
    for (const name of this.#answers.keys()) this.#checkAtEnd(name)
    if (this.#background.size === 0) return
    const all = Promise.all(this.#background.keys())
    const outcome = await this.pacer.settle(all, this.world.clock.now() + SERVICE_DEADLINE_MS, this.signal)
    if (outcome !== undefined) return
    const seen = `it still runs ${SERVICE_DEADLINE_MS / MS_PER_SECOND} s after the end: write a longer until`
    for (const step of this.#background.values())
      this.backgroundErrors.push({ step, error: new StepFailure('this to end', seen) })
  }

  request(request: WorldRequest): Promise<RequestOutcome> {
    return this.world.request(request).catch((error: unknown) => ({ refused: messageOf(error) }))
  }

  /** Makes a request and waits for the answer. */
  ask(request: WorldRequest): Promise<RequestOutcome> {
    return this.settled(this.request(request), `an answer to ${request.method} ${request.path}`, ANSWER_DEADLINE_MS)
  }

  /** The identifier as listed by the service; undefined if it is not listed. */
  async readSession(session: Session): Promise<string | undefined> {
    const type =
      session === 'driver' ? this.#slots.find((each) => each.moduleType !== undefined)?.moduleType : this.moduleType(session)
    if (type === undefined) return undefined
    const outcome = await this.ask({ method: 'GET', path: `${servicePath(type)}/` })
    const body = 'body' in outcome ? deviceList(outcome.body) : undefined
    if (session === 'driver') return body?.driver_session
    return body?.devices?.find(({ slot_number }) => slot_number === session)?.device_session
  }

  /** The journal's records of one kind since the start, oldest first; those of the present service only. None while no service runs. */
  async records(kind: string): Promise<readonly WorldRecord[]> {
    const read = orElse({ records: [] }, () => {
      const { journal } = this.world
      const { boot } = journal.last
      const after = boot === this.#startRecord.boot ? this.#startRecord : { boot, sequence: 0 }
      return journal.read(after, (record) => record.kind === kind)
    })
    return (await read).records
  }

  /** Type of the module in a slot, or of the last one that was there: the name of its service. */
  moduleType(slot: number): string | undefined {
    const type = this.#slots.find((each) => each.slot === slot)?.moduleType
    if (type !== undefined) this.#lastTypes.set(slot, type)
    return type ?? this.#lastTypes.get(slot)
  }
}

/** Treats a failed reading as missing. */
function unlessStepFailure(error: unknown): void {
  if (!(error instanceof StepFailure)) throw error
}

/** The device list of a service, which has the sessions. */
function deviceList(body: unknown): Partial<ReplyOf<typeof versionRoot>> | undefined {
  return typeof body === 'object' && body !== null ? body : undefined
}

/** Failure of a step: the expected and the actual state of the device. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'

  constructor(
    readonly expected: string,
    readonly seen: string,
  ) {
    super(`expected ${expected}, saw ${seen}`)
  }
}
