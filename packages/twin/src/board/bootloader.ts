import type { Clock, Timer } from '@slotwire/core'

/** Settings of an armed bootloader for the next restart. */
export interface BootloaderArming {
  /** How long it waits for a host, in ms. */
  readonly windowMs: number
  /** How long it lasts after a host connected, in ms; 0 = until the host ends it. */
  readonly timeoutMs: number
}

export type BootloaderPhase = 'waiting for host' | 'host connected' | 'ended'

/**
 * The computer in its bootloader: waits for a host during the window, serves it until the timeout or until the host leaves, then ends. Spec
 * "USB bootloader".
 */
export class Bootloader {
  readonly #clock: Clock
  readonly #arming: BootloaderArming
  readonly #onEnd: () => void
  #state: BootloaderPhase = 'waiting for host'
  #timer: Timer | undefined

  /** `onEnd` is called once, when the computer should restart normally; never after `cancel`. */
  constructor(clock: Clock, arming: BootloaderArming, onEnd: () => void) {
    this.#clock = clock
    this.#arming = arming
    this.#onEnd = onEnd
    this.#timer = clock.after(arming.windowMs, () => this.#end())
  }

  get state(): BootloaderPhase {
    return this.#state
  }

  hostConnected(): void {
    if (this.#state !== 'waiting for host') return
    this.#state = 'host connected'
    this.#timer?.cancel()
    const { timeoutMs } = this.#arming
    this.#timer = timeoutMs === 0 ? undefined : this.#clock.after(timeoutMs, () => this.#end())
  }

  /** The host ends the mode, or is unplugged. Without a host nothing happens: the window stays open. */
  hostLeft(): void {
    if (this.#state === 'host connected') this.#end()
  }

  /** The computer loses its supply. */
  cancel(): void {
    this.#timer?.cancel()
    this.#state = 'ended'
  }

  #end(): void {
    this.cancel()
    this.#onEnd()
  }
}
