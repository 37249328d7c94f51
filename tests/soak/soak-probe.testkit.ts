import type { Random } from '@slotwire/core'
import { source } from '@slotwire/twin'
import { allPins } from '../../modules/io/pin-story.testkit.ts'
import type { Answer, Device, ModuleUnderTest } from '../device/device.testkit.ts'
import type { Chaos } from './soak-chaos.testkit.ts'

/** Time from an event until it is readable; twin.md "Bench and scenarios". */
const READABLE_AFTER_MS = 20
/** Allowed statuses for an affected slot; 400: a module that lost its state no longer has the configured mode. */
const TROUBLED = [400, 404, 500, 502, 503]

/** Results of the events of a probe. */
export interface Tally {
  raised: number
  /** Reported exactly once. */
  reported: number
  /** Dropped with the state of the module, whose session changed. */
  dropped: number
  /** Lost or reported twice while frames were damaged. */
  damaged: number
}

export interface ProbeOptions {
  readonly device: Device
  readonly chaos: Chaos
  readonly random: Random
  readonly slot: number
  readonly pin: number
  readonly mode: 'analog' | 'digital'
  /** Whether no other probe uses this module: a power configuration would erase its settings. */
  readonly isAlone: () => boolean
}

/**
 * Raises one event after another at a pin and polls for it like a client. Each must be reported exactly once, 20 ms after it happened, as
 * long as the module keeps its session, whatever fails elsewhere.
 */
export class Probe {
  readonly tally: Tally = { raised: 0, reported: 0, dropped: 0, damaged: 0 }
  readonly #io: ModuleUnderTest
  readonly #voltage
  #phase: 'unarmed' | 'armed' | 'raised' | 'reported' = 'unarmed'
  #session: string | undefined
  #raisedMs = 0

  constructor(private readonly options: ProbeOptions) {
    const { device, slot, pin } = options
    this.#io = device.module('io', slot)
    this.#voltage = device.chassis.wiring.connect(`${slot}/${pin}`, source({ volts: 0 }))
  }

  /** Whether it has no settings on the module. */
  get isIdle(): boolean {
    return this.#phase === 'unarmed'
  }

  async step(): Promise<void> {
    if (this.#phase === 'unarmed') await this.#arm()
    else if (this.#phase === 'armed') this.#raise()
    else await this.#ask()
  }

  async #arm(): Promise<void> {
    const { pin, mode, isAlone, random } = this.options
    this.#voltage.set({ volts: 0 })
    this.#session = await this.#io.session()
    if (this.#session === undefined) return
    if (isAlone() && random() < 0.3 && !(await this.#postSucceeds('power-management', allPins('12_volt', 50)))) return
    if (!(await this.#postSucceeds('input/mode', { pin, mode }))) return
    const trigger =
      mode === 'analog'
        ? await this.#postSucceeds('input/analog/threshold', { pin, threshold_millivolt: 2500, trigger: 'rising' })
        : await this.#postSucceeds('input/digital/interrupt', { pin, debounce_time_milliseconds: 0, trigger: 'rising' })
    if (!trigger || (await this.#flag()) === undefined) return
    if ((await this.#io.session()) === this.#session) this.#phase = 'armed'
  }

  #raise(): void {
    this.#raisedMs = this.#now
    this.tally.raised++
    this.#voltage.set({ volts: 5 })
    this.#phase = 'raised'
  }

  async #ask(): Promise<void> {
    const reported = await this.#flag()
    if (reported === undefined) return
    if (this.#phase === 'raised' && reported) {
      this.tally.reported++
      this.#phase = 'reported'
    } else if (this.#phase === 'raised') await this.#missing()
    else if (reported) this.#damaged('was reported twice')
    else await this.#again()
  }

  /** The event was not reported: it is too early, the module lost its state, or the notification got lost. */
  async #missing(): Promise<void> {
    const { chaos, slot } = this.options
    const session = await this.#io.session()
    if (session !== undefined && session !== this.#session) {
      this.tally.dropped++
      this.#phase = 'unarmed'
      return
    }
    const isDue = this.#now >= this.#raisedMs + 2 * READABLE_AFTER_MS
    if (isDue && chaos.wasCalm(slot, this.#now)) this.#damaged('was never reported')
  }

  async #again(): Promise<void> {
    this.#voltage.set({ volts: 0 })
    this.#phase = this.options.random() < 0.5 && (await this.#io.session()) === this.#session ? 'armed' : 'unarmed'
  }

  #damaged(what: string): void {
    const { chaos, slot, pin } = this.options
    if (!chaos.wasDamaged(slot, this.#raisedMs))
      throw new Error(
        `the event of ${this.#raisedMs} ms at pin ${slot}/${pin} ${what}, and no frame was damaged (${this.#now} ms)`,
      )
    if (this.#phase === 'raised') this.tally.damaged++
    this.#phase = 'unarmed'
  }

  /** Whether the pin's notification has the trigger's flag; undefined while the module does not answer. */
  async #flag(): Promise<boolean | undefined> {
    const { device, pin } = this.options
    const startedMs = this.#now
    const { status, text, body } = await device.until(this.#io.get(`notification/${pin}`))
    return this.#isServed({ status, text }, startedMs) ? body?.['custom_voltage_alert'] === true : undefined
  }

  async #postSucceeds(path: string, body: unknown): Promise<boolean> {
    const startedMs = this.#now
    const { status, text } = await this.options.device.until(this.#io.post(path, body))
    // The power module provides the budget: its faults affect every power request.
    if (path === 'power-management' && !this.options.chaos.wasCalm(1, startedMs)) return status === 200
    return this.#isServed({ status, text }, startedMs)
  }

  #isServed({ status, text }: Pick<Answer, 'status' | 'text'>, startedMs: number): boolean {
    const { chaos, slot, pin } = this.options
    if (status === 200) return true
    if (chaos.wasCalm(slot, startedMs) || !TROUBLED.includes(status))
      throw new Error(`pin ${slot}/${pin}, at ${this.#now} ms: ${status} ${text}`)
    return false
  }

  get #now(): number {
    return this.options.device.clock.now()
  }
}
