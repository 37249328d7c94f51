import { connect } from 'node:net'
import { type Clock, nextTurn, type SlotwireError } from '@slotwire/core'
import type { PowerDecision, PowerManager, RailPower } from '../power/power-budget.ts'
import { isShort } from '../power/power-shortage.ts'
import { ConnectionFailure, MessageConnection } from './message-connection.ts'
import { type Fields, MessageError, type ValueOf } from './message-fields.ts'
import { actionDone, actionReply, decisionOf, decodeMessage, encodeMessage, encodeRequest, powerReply } from './messages.ts'
import { powerManagerErrors } from './power-manager-errors.ts'

/** Longest wait for an answer, connecting included, in milliseconds: below the power gate's, which says less about what is wrong. */
export const CLIENT_DEADLINE_MS = 900

/** Where the device's power manager normally listens; wire-protocol.md section 4. */
export const POWER_MANAGER_SOCKET = '/run/power-mgmt/power-mgmt.socket'

export interface PowerManagerClientOptions {
  /** Path of the Unix socket. */
  readonly socket: string
  readonly clock: Clock
}

/**
 * The power manager on a Unix socket, asked by a connection for each dance; wire-protocol.md section 4. Rejects with `powerManagerErrors`. A
 * grant is given back by closing its connection.
 */
export function createPowerManagerClient(options: PowerManagerClientOptions): PowerManager {
  return new SocketPowerManager(options)
}

/** The words for what is asked, in errors. */
type Asked = 'the request' | 'action_done'

class SocketPowerManager implements PowerManager {
  readonly #options: PowerManagerClientOptions
  /** What has been granted and not been confirmed, by slot. */
  readonly #grants = new Map<number, MessageConnection>()

  constructor(options: PowerManagerClientOptions) {
    this.#options = options
  }

  async request(slot: number, need: RailPower): Promise<PowerDecision> {
    this.#giveBack(slot)
    const bytes = requestBytes(slot, need)
    const { socket, clock } = this.#options
    const connection = new MessageConnection(connect(socket), clock)
    let held = false
    try {
      const reply = await this.#ask(connection, 'the request', bytes, powerReply)
      const decision = decisionOf(reply)
      if (!decision.granted && !isShort(decision.missing)) throw powerManagerErrors.powerManagerRefused(this.#said(reply.message))
      if (decision.granted) await this.#assertLives(connection)
      held = decision.granted
      if (held) this.#grants.set(slot, connection)
      return decision
    } finally {
      if (!held) connection.close()
    }
  }

  async done(slot: number, applied: boolean): Promise<void> {
    const connection = this.#grants.get(slot)
    this.#grants.delete(slot)
    if (!applied || connection === undefined) {
      connection?.close()
      if (applied) throw new Error(`slot ${slot} was granted nothing that could be confirmed`)
      return
    }
    try {
      const bytes = encodeMessage(actionDone, 'request', { action_done: true })
      const reply = await this.#ask(connection, 'action_done', bytes, actionReply)
      if (!reply.successful) throw powerManagerErrors.powerManagerNotConfirmed(this.#said(reply.message))
    } finally {
      connection.close()
    }
  }

  /** What a peer does right after its grant is heard before the grant is used: a module would lose its configuration for nothing. */
  async #assertLives(connection: MessageConnection): Promise<void> {
    // In one turn of its own whatever is there by now is read; in the next one it has been told.
    await nextTurn()
    await nextTurn()
    const { failure } = connection
    if (failure === undefined) return
    throw this.#errorOf(
      'the request',
      new ConnectionFailure(failure.problem, `after its grant, ${failure.message}`, { cause: failure }),
    )
  }

  #giveBack(slot: number): void {
    this.#grants.get(slot)?.close()
    this.#grants.delete(slot)
  }

  async #ask<Reply extends Fields>(
    connection: MessageConnection,
    asked: Asked,
    bytes: Uint8Array,
    reply: Reply,
  ): Promise<ValueOf<Reply>> {
    try {
      connection.send(bytes)
      return decodeMessage(reply, await connection.receive(CLIENT_DEADLINE_MS))
    } catch (error) {
      throw this.#errorOf(asked, error)
    }
  }

  #errorOf(asked: Asked, error: unknown): unknown {
    const { socket } = this.#options
    if (error instanceof MessageError) return invalid(error.message)
    if (!(error instanceof ConnectionFailure)) return error
    const details = { socket, asked, reason: error.message }
    switch (error.problem) {
      case 'unreachable':
        return powerManagerErrors.powerManagerUnreachable(details, { cause: error })
      case 'late':
        return powerManagerErrors.powerManagerHung(details, { cause: error })
      case 'senseless':
        return invalid(error.message)
      default:
        return powerManagerErrors.powerManagerClosed(details, { cause: error })
    }

    function invalid(reason: string): SlotwireError {
      return powerManagerErrors.powerManagerAnswerInvalid({ socket, asked, reason }, { cause: error })
    }
  }

  #said(message: string | undefined): { readonly socket: string; readonly reason: string } {
    const reason = message === undefined || message === '' ? 'it did not say why' : message.slice(0, LONGEST_REASON)
    return { socket: this.#options.socket, reason }
  }
}

/** Characters of a foreign reason that are passed on. */
const LONGEST_REASON = 500

function requestBytes(slot: number, need: RailPower): Buffer {
  try {
    return encodeRequest(slot, need)
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw powerManagerErrors.powerFigureTooLarge({ slot, reason: error.message }, { cause: error })
  }
}
