import type { Clock, Timer } from '@slotwire/core'

/** How an armed bootloader is to behave at the next restart. */
export interface BootloaderArming {
  /** How long it waits for a host, in ms. */
  readonly windowMs: number
  /** How long it may last once a host is connected, in ms; 0 = until the host ends it. */
  readonly timeoutMs: number
}

export type BootloaderPhase = 'waiting for host' | 'host connected' | 'ended'

/**
 * The computer in its bootloader instead of booted: waits for a host for the window, serves it until its time is up or it leaves, then
 * ends. Spec "USB bootloader".
 */
export class Bootloader {
  readonly #clock: Clock
  readonly #arming: BootloaderArming
  readonly #onEnd: () => void
  #state: BootloaderPhase = 'waiting for host'
  #timer: Timer | undefined

  /** `onEnd` is called once, when the computer is to restart to normal; never after `cancel`. */
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

  /** The host ends the mode, or is unplugged. Without a host nothing happens: the window is still open. */
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
