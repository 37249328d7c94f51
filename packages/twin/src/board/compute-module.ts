import { type Clock, Listeners, type Timer } from '@slotwire/core'

/** Default heat output of the computer, in watt. */
export const DEFAULT_LOAD_WATT = 2
/** Default ambient temperature, in degrees Celsius. */
export const DEFAULT_AMBIENT_CELSIUS = 25

/** The device's own computer, as its modules see it. */
export class ComputeModule {
  /** Set while the bootloader is armed; the next restart clears it. */
  armedBootloader: BootloaderArming | undefined
  readonly #listeners = new Listeners<void>()
  #loadWatt = DEFAULT_LOAD_WATT
  #ambientCelsius = DEFAULT_AMBIENT_CELSIUS
  #usbHostConnected = false
  #bootloader: Bootloader | undefined

  /** Heat output near its sensor, in watt. */
  get loadWatt(): number {
    return this.#loadWatt
  }

  set loadWatt(watt: number) {
    this.#loadWatt = watt
    this.#listeners.emit()
  }

  /** Ambient temperature of the device in degrees Celsius. */
  get ambientCelsius(): number {
    return this.#ambientCelsius
  }

  set ambientCelsius(celsius: number) {
    this.#ambientCelsius = celsius
    this.#listeners.emit()
  }

  /** Whether a USB host is connected to its bootloader port. Setting it to false ends a bootloader with a host. */
  get usbHostConnected(): boolean {
    return this.#usbHostConnected
  }

  set usbHostConnected(connected: boolean) {
    this.#usbHostConnected = connected
    if (connected) this.#bootloader?.hostConnected()
    else this.#bootloader?.hostLeft()
  }

  /** The last entered bootloader; undefined if there was none. */
  get bootloader(): Bootloader | undefined {
    return this.#bootloader
  }

  /** Calls `listener` after every change of load or ambient temperature, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  /**
   * Call before the device comes up. Enters the bootloader if it is armed, disarms it, and calls `onEnd` when the computer should restart
   * normally. Returns undefined for a normal boot.
   */
  enterBootloader(clock: Clock, onEnd: () => void): Bootloader | undefined {
    const arming = this.armedBootloader
    this.armedBootloader = undefined
    this.#bootloader?.cancel()
    this.#bootloader = arming === undefined ? undefined : new Bootloader(clock, arming, onEnd)
    if (this.#usbHostConnected) this.#bootloader?.hostConnected()
    return this.#bootloader
  }
}

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
  #state: BootloaderPhase = 'waiting for host'
  #timer: Timer | undefined

  /** `onEnd` is called once, when the computer should restart normally; never after `cancel`. */
  constructor(
    private readonly clock: Clock,
    private readonly arming: BootloaderArming,
    private readonly onEnd: () => void,
  ) {
    this.#timer = clock.after(arming.windowMs, () => this.#end())
  }

  get state(): BootloaderPhase {
    return this.#state
  }

  hostConnected(): void {
    if (this.#state !== 'waiting for host') return
    this.#state = 'host connected'
    this.#timer?.cancel()
    const { timeoutMs } = this.arming
    this.#timer = timeoutMs === 0 ? undefined : this.clock.after(timeoutMs, () => this.#end())
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
    this.onEnd()
  }
}
