import type { Endpoint, Reach } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import { AHEAD_LIMIT, type FirstJob, type Job, type SlotApi } from '@slotwire/driver'
import type { Caller } from './caller.ts'
import { type Departure, requestAbandoned } from './departure.ts'
import type { Sender } from './request.ts'

/** A write of the specification, as leases judge it. */
export interface GuardedWrite {
  readonly slot: number
  readonly reach: Reach | undefined
  /** The header `Slotwire-Lease`. */
  readonly secret: string | undefined
  readonly caller: Caller | undefined
}

/** Leases: decide whether a write runs, each time its turn has come. */
export interface WriteGuard {
  /** Throws if a lease forbids the write. */
  check(write: GuardedWrite): void
  /** Runs the job of a write, or throws as `check` does. Knows which jobs run. */
  run<Result>(write: GuardedWrite, job: () => Promise<Result>): Promise<Result>
}

/** The module of one write: a job runs only if leases and `If-Match` allow it and its client is still there when its turn has come. */
export class SlotForWrite implements SlotApi {
  readonly #slot: SlotApi
  readonly #guard: WriteGuard | undefined
  readonly #write: GuardedWrite
  readonly #sessions: readonly string[] | undefined
  readonly #turn: Endpoint['turn']
  readonly #departure: Departure | undefined

  /** Throws `malformedRequest` if `If-Match` is no list of sessions. */
  constructor(slot: SlotApi, { reach, turn }: Pick<Endpoint, 'reach' | 'turn'>, sender: Sender, guard: WriteGuard | undefined) {
    const { headers, caller, departure } = sender
    this.#slot = slot
    this.#guard = reach === 'none' ? undefined : guard
    this.#write = { slot: slot.slot, reach, secret: headers['slotwire-lease']?.toString(), caller }
    this.#sessions = reach === 'none' ? undefined : sessionsIn(headers['if-match'])
    this.#turn = turn
    this.#departure = departure
  }

  get slot(): number {
    return this.#slot.slot
  }

  get vendorProductId(): string {
    return this.#slot.vendorProductId
  }

  get protocolVersion(): SlotApi['protocolVersion'] {
    return this.#slot.protocolVersion
  }

  get session(): string {
    return this.#slot.session
  }

  get sessionEnds(): boolean {
    return this.#slot.sessionEnds
  }

  get notifications(): SlotApi['notifications'] {
    return this.#slot.notifications
  }

  get reset(): Job<void> {
    return this.#slot.reset
  }

  /** Throws if the write must not run: because its client has gone, then for its lease, then for the session. */
  check(): void {
    if (this.#departure?.isClosed === true) throw requestAbandoned()
    this.#guard?.check(this.#write)
    this.#checkSession()
  }

  write<Result>(job: Job<Result>): Promise<Result> {
    let [hasBegun, hasWaited] = [false, false]
    const judged: FirstJob<Result> = async (exchange, endOvertaken) => {
      hasBegun = true
      if (hasWaited && (await this.#departure?.isGone()) === true) throw requestAbandoned()
      return this.#judged(() => {
        if (this.#turn === 'clears') endOvertaken()
        return job(exchange)
      })
    }
    const isFirst = this.#turn !== undefined
    const result = isFirst
      ? this.#slot.writeFirst(judged, AHEAD_LIMIT)
      : this.#slot.write((exchange) => judged(exchange, NOTHING))
    hasWaited = !hasBegun
    if (hasWaited) this.#departure?.waits()
    return result
  }

  writeFirst<Result>(job: FirstJob<Result>, limit?: number): Promise<Result> {
    return this.#slot.writeFirst((exchange, endOvertaken) => this.#judged(() => job(exchange, endOvertaken)), limit)
  }

  descriptor(): ReturnType<SlotApi['descriptor']> {
    return this.#slot.descriptor()
  }

  read<Result>(key: string, options: { readonly fresh: boolean }, job: Job<Result>): Promise<Result> {
    return this.#slot.read(key, options, job)
  }

  readWhenIdle<Result>(job: Job<Result>): Promise<Result> {
    return this.#slot.readWhenIdle(job)
  }

  giveUp(): Promise<void> {
    return this.#slot.giveUp()
  }

  subscribe(listener: Parameters<SlotApi['subscribe']>[0]): () => void {
    return this.#slot.subscribe(listener)
  }

  #judged<Result>(job: () => Promise<Result>): Promise<Result> {
    const afterLease = (): Promise<Result> => {
      this.#checkSession()
      return job()
    }
    return this.#guard === undefined ? afterLease() : this.#guard.run(this.#write, afterLease)
  }

  #checkSession(): void {
    const { slot, session, sessionEnds } = this.#slot
    if (this.#sessions === undefined || (this.#sessions.includes(session) && !sessionEnds)) return
    throw coreErrors.sessionChanged({ slot })
  }
}

const NOTHING = (): void => undefined

const TAG = /(W\/)?"([^"]*)"/g
/** What remains of a list of tags without their content. */
const LIST = /^[\t ,]*"(?:[\t ]*,[\t ,]*")*[\t ,]*$/

/** The sessions of an `If-Match` (RFC 9110, 13.1.1); undefined: any. A weak tag matches none. */
function sessionsIn(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  if (!LIST.test(header.replaceAll(TAG, '"'))) {
    throw coreErrors.malformedRequest({ reason: 'If-Match is a device_session in double quotes, or several with commas, or *' })
  }
  return [...header.matchAll(TAG)].flatMap(([, weak, session = '']) => (weak === undefined ? [session] : []))
}
