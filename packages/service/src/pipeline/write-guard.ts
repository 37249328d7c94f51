import type { Endpoint, Reach } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import { AHEAD_LIMIT, type FirstJob, type Job, type SlotApi } from '@slotwire/driver'
import type { Caller } from './caller.ts'
import { requestAbandoned } from './departure.ts'
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

/** How the jobs of one write get at its module. */
export interface SlotWrites {
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
