import { type Clock, LinkError, type SlotLink } from '@slotwire/core'
import { encodeRequest, MODULE_CLASS_IDENTIFIER, modeRun, modeSuspend } from '@slotwire/sdbp'

/** After an exchange that took longer, the module may have restarted, in milliseconds: half of what wire-protocol.md section 1 says. */
export const LATE_EXCHANGE_MS = 100
/** How often the module must reject the question before it counts as restarted: a single exchange may fail for other reasons. */
const ATTEMPTS = 3

const RUN = encodeRequest(modeRun, {})
const SUSPEND = encodeRequest(modeSuspend, {})
const COMMAND_SIZE = 3

export interface RestartWatchOptions {
  readonly link: SlotLink
  readonly clock: Pick<Clock, 'now'>
  /** A reading command that the module executes only while it runs. Without it, only late heartbeats are judged. */
  readonly probe?: Uint8Array | undefined
  /** The module has restarted, or may have: its state is not known. */
  readonly onRestart: () => void
}

/**
 * Finds a module that has restarted so quickly that it did not leave its slot. After a late exchange the module is asked before the next
 * MODE_RUN, which would hide the restart.
 */
export class RestartWatch {
  #runs = false
  #isDoubtful = false

  constructor(private readonly options: RestartWatchOptions) {
    options.link.onRestart?.(() => this.#restarted())
  }

  /** As `SlotLink.exchange`. Rejects with `busy` for a MODE_RUN that was not sent, because the module has restarted. */
  exchange(payload: Uint8Array): Promise<Uint8Array> {
    if (this.#isDoubtful && isSame(payload, RUN)) return this.#probeFirst(payload)
    if (isSame(payload, SUSPEND)) this.#runs = false
    return this.options.link.exchange(payload)
  }

  /** Call this when an exchange has ended, with its response. A module that has restarted executes no command of its own. */
  ended(payload: Uint8Array, tookMs: number, response: Uint8Array | undefined): void {
    const isAnswered = isAnswer(payload, response)
    if (isAnswered && isSame(payload, RUN)) this.#runs = true
    else if (isAnswered && payload[0] === MODULE_CLASS_IDENTIFIER) this.#isDoubtful = false
    else if (tookMs > LATE_EXCHANGE_MS) this.doubt()
  }

  /** Call this when the link's own MODE_RUN has failed. */
  doubt(): void {
    this.#isDoubtful = this.#runs
  }

  async #probeFirst(payload: Uint8Array): Promise<Uint8Array> {
    const { link, clock, probe } = this.options
    for (let attempt = 1; probe !== undefined && this.#runs && this.#isDoubtful; attempt++) {
      const fromMs = clock.now()
      try {
        this.#isDoubtful = !isAnswer(probe, await link.exchange(probe))
        if (this.#isDoubtful) throw new LinkError('transfer-failed', 'the response has another command')
      } catch (error) {
        // A module that does not answer at all would not answer MODE_RUN either.
        const isRejected = error instanceof LinkError && error.failure === 'transfer-failed'
        if (!isRejected || clock.now() - fromMs > LATE_EXCHANGE_MS) throw error
        if (attempt < ATTEMPTS) continue
        this.#restarted()
        throw new LinkError('busy', 'the module has restarted')
      }
    }
    this.#isDoubtful = false
    return link.exchange(payload)
  }

  #restarted(): void {
    this.#isDoubtful = false
    if (!this.#runs) return
    this.#runs = false
    this.options.onRestart()
  }
}

/** A response repeats the command of its request; nonsense proves nothing. */
function isAnswer(request: Uint8Array, response: Uint8Array | undefined): boolean {
  return response !== undefined && isSame(request.subarray(0, COMMAND_SIZE), response.subarray(0, COMMAND_SIZE))
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
