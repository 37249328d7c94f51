import type { Endpoint, Reach } from '@slotwire/contract'
import { coreErrors, SlotwireError } from '@slotwire/core'
import { AHEAD_LIMIT, type FirstJob, type Job, type SlotApi } from '@slotwire/driver'
import { ModuleRefusal } from '@slotwire/sdbp'
import type { CheckedHandler, CheckedRequest } from '../module-service.ts'
import { type Caller, requestAbandoned, type Sender } from './request.ts'

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

/** How the jobs of one write get at its module. */
interface SlotWrites {
  /** Throws if the write must not run: because its client has gone, then for its lease, then for the session. */
  check(): void
  /** `SlotApi.write`, in the turn of the endpoint: the job runs only if its client is still there, and `check` allows it then. */
  readonly write: <Result>(job: Job<Result>) => Promise<Result>
}

/** The jobs of one write. Throws `malformedRequest` if `If-Match` is no list of sessions. */
export function writesOf(
  slot: SlotApi,
  { reach, turn }: Pick<Endpoint, 'reach' | 'turn'>,
  { headers, caller, departure }: Sender,
  leases: WriteGuard | undefined,
): SlotWrites {
  const guard = reach === 'none' ? undefined : leases
  const write = { slot: slot.slot, reach, secret: headers['slotwire-lease']?.toString(), caller }
  const sessions = reach === 'none' ? undefined : sessionsIn(headers['if-match'])
  const checkSession = (): void => {
    if (sessions !== undefined && (slot.sessionEnds || !sessions.includes(slot.session))) {
      throw coreErrors.sessionChanged({ slot: slot.slot })
    }
  }
  return {
    check: () => {
      if (departure?.isClosed === true) throw requestAbandoned()
      guard?.check(write)
      checkSession()
    },
    write: <Result>(job: Job<Result>) => {
      let [hasBegun, hasWaited] = [false, false]
      const judged: FirstJob<Result> = async (exchange, endOvertaken) => {
        hasBegun = true
        if (hasWaited && (await departure?.isGone()) === true) throw requestAbandoned()
        const afterLease = (): Promise<Result> => {
          checkSession()
          if (turn === 'clears') endOvertaken()
          return job(exchange)
        }
        return guard === undefined ? afterLease() : guard.run(write, afterLease)
      }
      const result =
        turn === undefined ? slot.write((exchange) => judged(exchange, NOTHING)) : slot.writeFirst(judged, AHEAD_LIMIT)
      hasWaited = !hasBegun
      if (hasWaited) departure?.waits()
      return result
    },
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

/** Learns what modules acknowledged and answered. Its methods return at once and never throw. */
export interface ModuleObserver {
  /** A write has ended. `session`: that of the module at its begin. `reply`: undefined if it failed, and may have changed something. */
  written(slot: SlotApi, write: { endpoint: string; session: string; request: CheckedRequest; reply: unknown }): void
  /** A module gave this reply to a reading. */
  answered(slot: SlotApi, endpoint: string, reply: unknown): void
}

interface ObservedWrite {
  readonly endpoint: string
  readonly request: CheckedRequest
  readonly kind: CheckedHandler['kind']
  readonly work: () => unknown
}

const { queueFull, stopping, requestOvertaken } = coreErrors
const BEFORE_THE_MODULE: readonly unknown[] = [queueFull, stopping, requestOvertaken, requestAbandoned].map(
  ({ definition }) => definition,
)
const INTERNAL_STATUS = 500

/** Runs a write and reports its end to the observer, before later writes of the slot end. */
export async function observedWrite(
  observer: ModuleObserver,
  slot: SlotApi,
  { endpoint, request, kind, work }: ObservedWrite,
): Promise<unknown> {
  const { session } = slot
  let reply: unknown
  try {
    reply = await work()
  } catch (error) {
    if (mayHaveChanged(error, kind)) observer.written(slot, { endpoint, session, request, reply: undefined })
    throw error
  }
  observer.written(slot, { endpoint, session, request, reply })
  return reply
}

/**
 * Whether a failed write may have changed the module: it did not refuse it, and the write did not fail before it. A power configuration that
 * fails has restarted the module, even if the module refused it.
 */
function mayHaveChanged(error: unknown, kind: CheckedHandler['kind']): boolean {
  if (error instanceof SlotwireError && BEFORE_THE_MODULE.includes(error.definition)) return false
  if (kind === 'power') return true
  if (!(error instanceof SlotwireError)) return !(error instanceof ModuleRefusal)
  return error.status >= INTERNAL_STATUS && !(error.cause instanceof ModuleRefusal)
}
