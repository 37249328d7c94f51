import { type Clock, type Log, type Mutex, SlotwireError } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import type { PowerDecision, PowerManager, RailPower } from '../power/power-budget.ts'
import { NO_POWER } from '../power/power-shortage.ts'
import type { SparseWarnings } from '../slot/sparse-warnings.ts'
import type { StallTimer } from '../stall-timer.ts'
import { unlessAborted } from '../unless-aborted.ts'
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
  type ValueOf,
} from './messages.ts'

/** Longest from a connection to its whole request, in milliseconds. */
export const REQUEST_DEADLINE_MS = 500
/** Longest from a request to its answer, in milliseconds: below the second that drivers wait for it. */
export const ANSWER_DEADLINE_MS = 800
/** Longest that a grant is held for a driver that does not say `action_done`, in milliseconds. */
export const GRANT_DEADLINE_MS = 5000
/** Longest that the manager may take to hear how a grant ended, in milliseconds. */
const REPORT_DEADLINE_MS = 500

export interface GrantContext {
  readonly manager: PowerManager
  readonly clock: Clock
  readonly log: Log
  readonly warnings: SparseWarnings
  readonly turns: Mutex
  /** The turn that somebody has. */
  readonly turn: StallTimer
}

/** Nothing can be decided; the message is for the driver that asked. */
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
    // Who has gone, or was cut, does not hear it.
    connection.finish(encodeDecision({ granted: false, missing: NO_POWER }, reasonOf(error)))
    if (!isHarmless(error, connection)) warnings.warn({ err: error }, 'a driver was turned away')
  }
}

/** Who looks whether somebody listens here has nothing to say; whom this side has cut is known. */
function isHarmless(error: unknown, connection: MessageConnection): boolean {
  if (!(error instanceof ConnectionFailure)) return false
  return error.problem === 'over' || (error.problem === 'closed' && !connection.heard)
}

/** From the request to its answer; with a grant the turn is kept to its end. */
async function decide(
  connection: MessageConnection,
  request: ValueOf<typeof powerRequest>,
  context: GrantContext,
): Promise<void> {
  const { clock, turn } = context
  const limit = new AbortController()
  const signal = AbortSignal.any([connection.gone, limit.signal])
  const late = (): void => limit.abort(new CannotDecide(`nothing could be decided within ${ANSWER_DEADLINE_MS} ms: try again`))
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

/** Resolves at the driver's turn, with what passes it on. One that comes after the signal is passed on at once. */
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

/** What the manager decides before the signal is aborted; a grant that comes afterwards is given back. */
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

/** Holds a grant until its driver has applied it or given it back, has gone, or has had its time. */
async function grant(connection: MessageConnection, slot: number, decision: PowerDecision, context: GrantContext): Promise<void> {
  let applied = false
  let problem: string | undefined
  try {
    const answer = connection.receive(GRANT_DEADLINE_MS)
    connection.send(encodeDecision(decision))
    applied = decodeMessage(actionDone, await answer).action_done
  } catch (error) {
    problem = `the grant is taken back: ${error instanceof Error ? error.message : String(error)}`
    context.warnings.warn({ slot, err: error }, 'a power grant is taken back: its driver did not say that it has applied it')
  }
  const noted = await report(slot, applied, context)
  if (!noted) problem ??= 'the power manager could not note it: its log says why'
  const message = problem ?? (applied ? 'noted' : 'the grant was given back')
  connection.finish(encodeMessage(actionReply, 'response', { successful: problem === undefined, message }))
}

/** Tells the manager how a grant ended; false when it could not note that. Never rejects. */
async function report(slot: number, applied: boolean, { manager, clock, log }: GrantContext): Promise<boolean> {
  try {
    await withDeadline(clock, REPORT_DEADLINE_MS, manager.done(slot, applied), 'not noted')
    return true
  } catch (error) {
    log.error({ slot, applied, err: error }, 'how a power grant ended could not be noted')
    return false
  }
}

/** What the driver that asked is told. */
function reasonOf(error: unknown): string {
  if (error instanceof MessageError) return `the request makes no sense: ${error.message}`
  if (error instanceof ConnectionFailure && error.problem === 'senseless') return `the request makes no sense: ${error.message}`
  if (error instanceof ConnectionFailure)
    return 'nothing can be granted on a connection that its driver has closed: keep it open until action_done is answered'
  if (error instanceof SlotwireError || error instanceof CannotDecide) return error.message
  return 'internal error: the log of the power manager has the details'
}
