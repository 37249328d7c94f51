import { connect } from 'node:net'
import type { ObjectSchema, ValueOf } from '@slotwire/contract'
import { type Clock, nextTurn } from '@slotwire/core'
import { isShort, type PowerManager, type RailPower } from '../power/power-budget.ts'
import { ConnectionFailure, MessageConnection } from './message-connection.ts'
import {
  actionDone,
  actionReply,
  decisionOf,
  decodeMessage,
  encodeMessage,
  encodeRequest,
  MessageError,
  powerReply,
} from './messages.ts'
import { powerManagerErrors } from './power-manager-errors.ts'

/**
 * Longest wait for an answer, including the connection, in milliseconds. It is shorter than the power gate's, whose error has fewer
 * details.
 */
export const CLIENT_DEADLINE_MS = 900

/** The default socket of the device's power manager; wire-protocol.md section 4. */
export const POWER_MANAGER_SOCKET = '/run/power-mgmt/power-mgmt.socket'

/**
 * The client of a power manager at a Unix socket, with one connection for each request; wire-protocol.md section 4. Rejects with
 * `powerManagerErrors`. Closing its connection gives a grant back.
 */
export function createPowerManagerClient({ socket, clock }: { readonly socket: string; readonly clock: Clock }): PowerManager {
  /** Grants that were not confirmed yet, by slot. */
  const grants = new Map<number, MessageConnection>()

  async function ask<Reply extends ObjectSchema>(
    connection: MessageConnection,
    question: RequestName,
    bytes: Uint8Array,
    reply: Reply,
  ): Promise<ValueOf<Reply>> {
    try {
      connection.send(bytes)
      return decodeMessage(reply, await connection.receive(CLIENT_DEADLINE_MS))
    } catch (error) {
      throw errorOf({ socket, question }, error)
    }
  }

  return {
    request: async (slot, need) => {
      grants.get(slot)?.close()
      grants.delete(slot)
      const bytes = requestBytes(slot, need)
      const connection = new MessageConnection(connect(socket), clock)
      try {
        const reply = await ask(connection, 'the request', bytes, powerReply)
        const decision = decisionOf(reply)
        if (!decision.granted && !isShort(decision.missing)) {
          throw powerManagerErrors.powerManagerRefused({ socket, reason: reasonIn(reply) })
        }
        if (decision.granted) {
          await assertStillOpen(connection, { socket, question: 'the request' })
          grants.set(slot, connection)
        }
        return decision
      } finally {
        if (grants.get(slot) !== connection) connection.close()
      }
    },

    done: async (slot, applied) => {
      const connection = grants.get(slot)
      grants.delete(slot)
      try {
        if (!applied) return
        if (connection === undefined) throw new Error(`slot ${slot} was granted nothing that could be confirmed`)
        const bytes = encodeMessage(actionDone, 'request', { action_done: true })
        const reply = await ask(connection, 'action_done', bytes, actionReply)
        if (!reply.successful) throw powerManagerErrors.powerManagerNotConfirmed({ socket, reason: reasonIn(reply) })
      } finally {
        connection?.close()
      }
    },
  }
}

/** The request that an error message names. */
type RequestName = 'the request' | 'action_done'
interface Question {
  readonly socket: string
  readonly question: RequestName
}

/** Checks what the peer did right after its grant, before the grant is used: otherwise a module would lose its configuration for nothing. */
async function assertStillOpen({ gone }: MessageConnection, question: Question): Promise<void> {
  // In one turn the pending bytes are read, in the next one they have been handled.
  await nextTurn()
  await nextTurn()
  const failure: unknown = gone.reason
  if (!(failure instanceof ConnectionFailure)) return
  throw errorOf(question, new ConnectionFailure(failure.problem, `after its grant, ${failure.message}`, { cause: failure }))
}

function errorOf(question: Question, error: unknown): unknown {
  if (!(error instanceof MessageError || error instanceof ConnectionFailure)) return error
  const problem = error instanceof MessageError ? 'invalid' : error.problem
  const details = { ...question, reason: error.message }
  switch (problem) {
    case 'unreachable':
      return powerManagerErrors.powerManagerUnreachable(details, { cause: error })
    case 'late':
      return powerManagerErrors.powerManagerHung(details, { cause: error })
    case 'invalid':
      return powerManagerErrors.powerManagerAnswerInvalid(details, { cause: error })
    default:
      return powerManagerErrors.powerManagerClosed(details, { cause: error })
  }
}

/** Longest reason from a peer that is passed on, in characters. */
const MAX_REASON_CHARACTERS = 500

function reasonIn({ message }: { readonly message?: string | undefined }): string {
  return message === undefined || message === '' ? 'it did not say why' : message.slice(0, MAX_REASON_CHARACTERS)
}

function requestBytes(slot: number, need: RailPower): Buffer {
  try {
    return encodeRequest(slot, need)
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw powerManagerErrors.powerFigureTooLarge({ slot, reason: error.message }, { cause: error })
  }
}
