import type { Clock, Timer } from '@slotwire/core'
import { type Board, Refusal } from '@slotwire/twin'
import type { SettingsStore } from './firmware-settings.ts'
import { BmcStatus } from './wire.ts'

/** The watchdog and the shutdown counter: both end in a restart of the whole device. Spec "BMC watchdog". */
export class Watchdog {
  readonly #watchdog: Countdown
  readonly #shutdown: Countdown
  #timeoutMs = 0

  constructor(
    clock: Clock,
    private readonly settings: SettingsStore,
    restartDevice: Board['restartDevice'],
  ) {
    this.#watchdog = new Countdown(clock, () => restartDevice('the watchdog expired'))
    this.#shutdown = new Countdown(clock, () => restartDevice('the shutdown ended'))
  }

  /** 0: disabled. */
  get timeoutMs(): number {
    return this.#timeoutMs
  }

  /** 0 while disabled. */
  get timeLeftMs(): number {
    return this.#watchdog.leftMs
  }

  get shutdownRunning(): boolean {
    return this.#shutdown.running
  }

  /** Enables the watchdog or restarts its countdown; 0 disables it. */
  changeTimeout(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs
    if (timeoutMs === 0) this.#watchdog.stop()
    else this.#watchdog.start(timeoutMs)
  }

  /** Throws `Refusal` (wrong state) while the watchdog is off. */
  alive(): void {
    if (!this.#watchdog.running) throw new Refusal(BmcStatus.wrongState)
    this.#watchdog.start(this.#timeoutMs)
  }

  save(): void {
    this.settings.save({ watchdogTimeoutMs: this.#timeoutMs })
  }

  /** The same by software and by the hardware switch. A running shutdown is not prolonged, and keeps its time. */
  startShutdown(): void {
    if (!this.#shutdown.running) this.#shutdown.start(this.settings.saved.shutdownTimeoutMs)
  }

  reset(): void {
    this.#shutdown.stop()
    this.changeTimeout(this.settings.saved.watchdogTimeoutMs)
  }

  powerDown(): void {
    this.#watchdog.stop()
    this.#shutdown.stop()
  }
}

/** Counts down to 0, unless it is stopped or restarted. */
class Countdown {
  #timer: Timer | undefined
  #endMs = 0

  constructor(
    private readonly clock: Clock,
    private readonly onEnd: () => void,
  ) {}

  get running(): boolean {
    return this.#timer !== undefined
  }

  /** Whole ms, rounded up; 0 while it is not running. */
  get leftMs(): number {
    return this.running ? Math.max(0, Math.ceil(this.#endMs - this.clock.now())) : 0
  }

  start(durationMs: number): void {
    this.stop()
    this.#endMs = this.clock.now() + durationMs
    this.#timer = this.clock.after(durationMs, () => {
      this.#timer = undefined
      this.onEnd()
    })
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }
}
