import { type ReadonlySignal, signal } from '@preact/signals'
import { extensionPaths } from '@slotwire/contract'
import { type Clock } from '@slotwire/core'
import type { Device } from './device-types.ts'
import { reasonOf } from './reason.ts'

/** Whether the device can be heard. */
export interface LinkState {
  readonly isConnected: boolean
  /** Time of the clock at which it was heard last, while it is lost. */
  readonly lostAtMs: number
  /** The date at which it was lost, in milliseconds. */
  readonly lostAtDate: number
  readonly error: string | undefined
}

/** A stream without a message for so long is checked by a request, in milliseconds: a network can end without a word. */
const SILENCE_MS = 3000
const CHECK_DEADLINE_MS = 2500

/** The connection to the device: that of its stream, checked by a small request while the stream is silent. */
export class Link {
  readonly #state = signal<LinkState>({ isConnected: true, lostAtMs: 0, lostAtDate: 0, error: undefined })
  readonly state: ReadonlySignal<LinkState> = this.#state
  #heardMs: number
  #streamError: string | undefined
  #isStreamLost = false

  constructor(
    private readonly device: Device,
    private readonly clock: Clock,
    private readonly wallTime: () => number,
  ) {
    this.#heardMs = clock.now()
    device.context.live.changes.add(({ isConnected, error }) => {
      this.#isStreamLost = !isConnected
      this.#streamError = isConnected ? undefined : reasonOf(error)
      if (isConnected) this.heard()
      else this.#lost(this.#streamError)
    })
    void this.#check()
  }

  /** A message of the device arrived. */
  heard(): void {
    this.#heardMs = this.clock.now()
    if (this.#isStreamLost || this.#state.peek().isConnected) return
    this.#state.value = { isConnected: true, lostAtMs: 0, lostAtDate: 0, error: undefined }
  }

  #lost(error: string | undefined): void {
    const before = this.#state.peek()
    const lostAtDate = before.isConnected ? this.wallTime() - (this.clock.now() - this.#heardMs) : before.lostAtDate
    this.#state.value = { isConnected: false, lostAtMs: this.#heardMs, lostAtDate, error }
  }

  async #check(): Promise<void> {
    const { http } = this.device.context
    const { closing } = http
    while (!closing.aborted) {
      await this.clock.sleep(SILENCE_MS, closing).catch(() => undefined)
      if (closing.aborted || this.clock.now() - this.#heardMs < SILENCE_MS) continue
      try {
        const path = extensionPaths.livez
        await http.request({ method: 'GET', path, safe: true, deadlineMs: CHECK_DEADLINE_MS, signal: closing })
        this.heard()
      } catch (error) {
        if (!closing.aborted) this.#lost(this.#streamError ?? reasonOf(error))
      }
    }
  }
}
