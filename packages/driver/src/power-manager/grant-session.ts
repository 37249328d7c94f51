import type { ValueOf } from '@slotwire/contract'
import { type Clock, type Log, type Mutex, messageOf, SlotwireError, unlessAborted, withDeadline } from '@slotwire/core'
import { NO_POWER, type PowerDecision, type PowerManager, type RailPower } from '../power/power-budget.ts'
import type { LimitedWarnings } from '../slot/notification-log.ts'
import type { StallTimer } from '../stall-timer.ts'
import { ConnectionFailure, type MessageConnection } from './message-connection.ts'
import {
  actionDone,
  actionReply,
  decodeMessage,
  encodeDecision,
  encodeMessage,
  MessageError,
  needOf,
  powerRequest,
} from './messages.ts'

/** Longest time from a connection to its complete request, in milliseconds. */
export const REQUEST_DEADLINE_MS = 500
/** Longest time from a request to its answer, in milliseconds: less than the second that drivers wait for it. */
export const ANSWER_DEADLINE_MS = 800
/** Longest time that a grant is held for a driver that does not send `action_done`, in milliseconds. */
export const GRANT_DEADLINE_MS = 5000
/** Longest wait until the manager has recorded how a grant ended, in milliseconds. */
const REPORT_DEADLINE_MS = 500

export interface GrantContext {
  readonly manager: PowerManager
  readonly clock: Clock
  readonly log: Log
  readonly warnings: LimitedWarnings
  readonly turns: Mutex
  /** The turn of the current driver. */
  readonly turn: StallTimer
}

/** No decision is possible; the driver gets the message. */
class CannotDecide extends Error {
  override readonly name = 'Undecided'
}

/** Serves one driver from its request to the end of its session; wire-protocol.md section 4. Never rejects. */
export async function grantSession(connection: MessageConnection, context: GrantContext): Promise<void> {
  const { warnings } = context
  try {
    const request = decodeMessage(powerRequest, await connection.receive(REQUEST_DEADLINE_MS))
    await decide(connection, request, context)
  } catch (error) {
    // A driver whose connection has ended does not get this.
    connection.finish(encodeDecision({ granted: false, missing: NO_POWER }, reasonOf(error)))
    if (!isExpected(error, connection)) warnings.warn({ err: error }, 'a driver was refused')
  }
}

/** A probe opens and closes the connection, and this side logs its own closes elsewhere: log nothing. */
function isExpected(error: unknown, connection: MessageConnection): boolean {
  if (!(error instanceof ConnectionFailure)) return false
  return error.problem === 'finished' || (error.problem === 'closed' && !connection.hasMessage)
}

/** From the request to the answer. After a grant the turn lasts to the end of the session. */
async function decide(
  connection: MessageConnection,
  request: ValueOf<typeof powerRequest>,
  context: GrantContext,
): Promise<void> {
  const { clock, turn } = context
  const limit = new AbortController()
  const signal = AbortSignal.any([connection.gone, limit.signal])
  const late = (): void => limit.abort(new CannotDecide(`no decision within ${ANSWER_DEADLINE_MS} ms: try again`))
  const timer = clock.after(ANSWER_DEADLINE_MS, late)
  try {
    const pass = await takeTurn(context.turns, signal)
    turn.begin()
    try {
      const decision = await ask(request, signal, context)
      timer.cancel()
      if (decision.granted) await grant(connection, request.slot_number, decision, context)
      else connection.finish(encodeDecision(decision))
    } finally {
      turn.end()
      pass()
    }
  } finally {
    timer.cancel()
  }
}

/** Waits for the driver's turn; resolves with the function that ends it. A turn that comes after the abort is ended at once. */
async function takeTurn(turns: Mutex, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted()
  const taken = turns.take()
  try {
    return await unlessAborted(taken, signal)
  } catch (error) {
    void taken.then((pass) => pass())
    throw error instanceof CannotDecide ? new CannotDecide('another module is being configured: try again') : error
  }
}

/** Asks the manager. After the abort a late grant is given back. */
async function ask(request: ValueOf<typeof powerRequest>, signal: AbortSignal, context: GrantContext): Promise<PowerDecision> {
  const slot = request.slot_number
  const need: RailPower = needOf(request)
  signal.throwIfAborted()
  const decided = async (): Promise<PowerDecision> => {
    const decision = await context.manager.request(slot, need)
    if (signal.aborted && decision.granted) void report(slot, false, context)
    context.log[decision.granted ? 'debug' : 'info']({ slot, ...need, ...decision }, 'power was asked for')
    return decision
  }
  return unlessAborted(decided(), signal)
}

/** Holds a grant until its driver has applied it, given it back, disconnected, or run out of time. */
async function grant(connection: MessageConnection, slot: number, decision: PowerDecision, context: GrantContext): Promise<void> {
  let applied = false
  let problem: string | undefined
  try {
    const answer = connection.receive(GRANT_DEADLINE_MS)
    connection.send(encodeDecision(decision))
    applied = decodeMessage(actionDone, await answer).action_done
  } catch (error) {
    problem = `the grant is withdrawn: ${messageOf(error)}`
    context.warnings.warn({ slot, err: error }, 'a power grant is withdrawn: its driver did not report that it applied it')
  }
  const noted = await report(slot, applied, context)
  if (!noted) problem ??= 'the power manager could not record it: see its log'
  const message = problem ?? (applied ? 'noted' : 'the grant was given back')
  connection.finish(encodeMessage(actionReply, 'response', { successful: problem === undefined, message }))
}

/** Reports to the manager how a grant ended; false if it could not record that. Never rejects. */
async function report(slot: number, applied: boolean, { manager, clock, log }: GrantContext): Promise<boolean> {
  try {
    await withDeadline(clock, REPORT_DEADLINE_MS, manager.done(slot, applied), 'not noted')
    return true
  } catch (error) {
    log.error({ slot, applied, err: error }, 'the end of a power grant could not be recorded')
    return false
  }
}

/** The reason that the driver gets. */
function reasonOf(error: unknown): string {
  if (error instanceof MessageError) return `invalid request: ${error.message}`
  if (error instanceof ConnectionFailure && error.problem === 'invalid') return `invalid request: ${error.message}`
  if (error instanceof ConnectionFailure)
    return 'nothing can be granted on a connection that its driver has closed: keep it open until action_done is answered'
  if (error instanceof SlotwireError || error instanceof CannotDecide) return error.message
  return 'internal error: see the log of the power manager'
}
