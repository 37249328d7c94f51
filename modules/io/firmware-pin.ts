import type { Clock, Timer } from '@slotwire/core'
import { type CircuitNode, Refusal, type Terminal } from '@slotwire/twin'
import {
  ABOVE_RAIL_VOLTS,
  type Drive,
  driveOf,
  EXTERNAL_VOLTS,
  inputBranch,
  MEASURING_RANGE_VOLTS,
  milliampereReading,
  millivoltReading,
  type PwmTiming,
  railElectrics,
  type Signal,
  SWITCHING_LOSS_MILLIAMPERE,
} from './circuit.ts'
import type { Alerts } from './firmware-announcer.ts'
import { DigitalInput } from './firmware-digital-input.ts'
import { DriveGuard } from './firmware-guard.ts'
import { OVER_VOLTAGE_REPEAT_MS, overVoltageTrigger, type Trigger, thresholdTrigger } from './firmware-trigger.ts'
import type { PinPower, PinRail } from './limits.ts'
import { InputStatus, OutputStatus, type PinReading } from './wire.ts'

/** What a pin needs from its module and board. */
interface PinContext {
  /** From 1. */
  readonly number: number
  readonly clock: Clock
  readonly terminal: Terminal
  /** The current voltage of a rail; 0 while it is off. */
  readonly railVolts: (rail: PinRail) => number
  readonly announce: (alerts: Alerts, atMs: number) => void
  /** Called when the pin's draw from its rail may have changed. */
  readonly onDraw: () => void
}

/** One pin: its mode, triggers and drive; spec "IO pin modes". Refusals change nothing. */
export class Pin {
  #power: PinPower | undefined
  #threshold: Trigger | undefined
  #digital: DigitalInput | undefined
  #signal: Signal | undefined
  #drive: Drive | undefined
  #driveGuard: DriveGuard | undefined
  #overVoltage: Trigger | undefined
  readonly #drawWatch: ReturnType<typeof watchDraw>
  #watching = false
  #detach: (() => void) | undefined

  constructor(private readonly context: PinContext) {
    this.#drawWatch = watchDraw(context.clock, context.onDraw)
  }

  get mode(): 'analog' | 'digital' | Signal['mode'] {
    return this.#signal?.mode ?? (this.#digital === undefined ? 'analog' : 'digital')
  }

  /** The initial state: analog, not configured, not watched for alerts. Events that were not reported are dropped. */
  reset(): void {
    this.#watching = false
    this.#power = undefined
    this.#threshold?.cancel()
    this.#digital?.cancel()
    this.#threshold = this.#digital = undefined
    this.#enter()
    this.#detach ??= this.context.terminal.onChange(() => this.#nodeChanged())
  }

  /** Starts to watch for alerts. A voltage that is already above the measuring range raises one. */
  start(): void {
    this.#watching = true
    this.#watch()
    this.#reportOverVoltage()
  }

  powerDown(): void {
    this.reset()
    this.#detach?.()
    this.#detach = undefined
    this.context.terminal.drive(undefined)
  }

  setInput(mode: 'analog' | 'digital'): void {
    this.#enter({ digital: mode === 'digital' })
    this.#reportOverVoltage()
  }

  setThreshold(millivolt: number, trigger: 'disabled' | 'rising' | 'falling'): void {
    if (trigger !== 'disabled' && this.mode !== 'analog') throw new Refusal(InputStatus.invalidMode)
    this.#threshold?.finish()
    this.#threshold = undefined
    if (trigger !== 'disabled') this.#threshold = thresholdTrigger(this.#watched(), millivolt, trigger)
  }

  setInterrupt(debounceMs: number, trigger: 'disabled' | 'rising' | 'falling' | 'pulse'): void {
    if (trigger !== 'disabled') this.#digitalOrRefuse().enableInterrupt(debounceMs, trigger)
    else this.#digital?.disableInterrupt()
  }

  setCounter(state: 'disabled' | 'enabled'): void {
    if (state === 'enabled') this.#digitalOrRefuse().enableCounter()
    else this.#digital?.disableCounter()
  }

  /** A new power configuration removes the supply of a driven pin: it becomes analog. */
  setPower(power: PinPower): void {
    if (this.#signal !== undefined) this.#enter()
    this.#power = power
  }

  setOutput(level: 'high' | 'low'): void {
    this.#put({ mode: 'output', level })
  }

  /** On a pin that is already pwm a new period begins at once. */
  setPwm(timing: PwmTiming): void {
    this.#put({ mode: 'pwm', timing, startMs: this.context.clock.now() })
  }

  /** The pin's rail was switched, or its voltage changed. */
  railChanged(): void {
    if (this.#signal !== undefined && this.#power !== undefined) this.#applySignal(this.#signal, this.#power)
  }

  value(): PinReading {
    const { number: pin, clock, terminal } = this.context
    const reading = this.#digital?.reading()
    return reading === undefined
      ? { pin, type: 'voltage_millivolt', value: millivoltReading(terminal.voltsAt(clock.now())) }
      : { pin, ...reading }
  }

  current(): PinReading {
    const { number: pin, clock, terminal } = this.context
    const amps = this.#signal === undefined ? 0 : terminal.ampsAt(clock.now())
    return { pin, type: 'current_milliampere', value: milliampereReading(amps, this.#loss()) }
  }

  /** The pin's draw from its rail, in mA: the mean over the periods of all periodic sources on its node. */
  drawMilliampere(rail: PinRail): number {
    const drive = this.#drive
    if (drive === undefined || this.#power?.rail !== rail || this.context.railVolts(rail) === 0) return 0
    const { terminal, clock } = this.context
    const amps = terminal.node.mean(clock.now(), Number.POSITIVE_INFINITY, (volts, theveninOf) =>
      theveninOf(drive.branch) === drive.high ? Math.max(0, (drive.high.volts - volts) / drive.high.ohms) : 0,
    )
    return amps * 1000 + this.#loss()
  }

  #loss(): number {
    return this.#signal === undefined ? 0 : SWITCHING_LOSS_MILLIAMPERE[this.#signal.mode]
  }

  #put(signal: Signal): void {
    const power = this.#power
    if (power === undefined || power.current_milliampere === 0) throw new Refusal(OutputStatus.powerConfigurationMissing)
    if (this.mode === signal.mode) this.#applySignal(signal, power)
    else {
      const [, highest] = this.context.terminal.nodeWith(inputBranch).extremes()
      if (highest > EXTERNAL_VOLTS) throw new Refusal(OutputStatus.externalVoltage)
      this.#enter({ signal, power })
    }
  }

  /** Every change of mode resets the pin, then configures it. Earlier events of its triggers are still reported. */
  #enter(into: { digital?: boolean; signal?: Signal; power?: PinPower; quietUntilMs?: number } = {}): void {
    this.#threshold?.finish()
    this.#digital?.disableInterrupt()
    this.#unwatch()
    this.#threshold = this.#digital = this.#signal = this.#drive = undefined
    if (into.signal !== undefined && into.power !== undefined) this.#applySignal(into.signal, into.power)
    else this.context.terminal.drive(inputBranch)
    if (into.digital === true) this.#digital = new DigitalInput(this.#watched())
    this.#watch(into.quietUntilMs)
    this.context.onDraw()
  }

  #applySignal(signal: Signal, power: PinPower): void {
    this.#signal = signal
    this.#drive = driveOf(signal, power, this.context.railVolts)
    this.context.terminal.drive(this.#drive.branch)
  }

  #nodeChanged(): void {
    const { node } = this.context.terminal
    this.#threshold?.changed(node)
    this.#digital?.changed(node)
    this.#overVoltage?.changed(node)
    // An alert may have disabled the pin meanwhile.
    if (this.#drive !== undefined) this.#driveGuard?.changed(this.context.terminal, this.#drive)
    this.#drawWatch(this.#drive === undefined ? undefined : this.context.terminal.node)
    this.context.onDraw()
  }

  #watch(quietUntilMs = Number.NEGATIVE_INFINITY): void {
    this.#unwatch()
    if (!this.#watching) return
    const { clock, terminal } = this.context
    const report = (atMs: number): void => this.#disable({ highVoltageAlert: true }, atMs)
    this.#overVoltage = overVoltageTrigger({ clock, node: terminal.node, report }, this.#highestVolts(), quietUntilMs)
    if (this.#drive === undefined) return
    this.#driveGuard = new DriveGuard(clock, terminal, this.#drive, (alerts, atMs) => this.#disable(alerts, atMs))
  }

  #unwatch(): void {
    this.#overVoltage?.cancel()
    this.#driveGuard?.cancel()
    this.#overVoltage = this.#driveGuard = undefined
  }

  #highestVolts(): number {
    const rail = this.#signal === undefined ? undefined : this.#power?.rail
    return rail === undefined ? MEASURING_RANGE_VOLTS : railElectrics[rail].openVolts + ABOVE_RAIL_VOLTS
  }

  #reportOverVoltage(): void {
    const nowMs = this.context.clock.now()
    if (this.#watching && this.context.terminal.voltsAt(nowMs) > this.#highestVolts())
      this.#disable({ highVoltageAlert: true }, nowMs)
  }

  #disable(alerts: Alerts, atMs: number): void {
    this.context.announce(alerts, atMs)
    if (alerts.highVoltageAlert === true) this.#enter({ quietUntilMs: atMs + OVER_VOLTAGE_REPEAT_MS })
    else {
      this.#enter()
      // The driver may have held down a voltage from outside.
      this.#reportOverVoltage()
    }
  }

  #digitalOrRefuse(): DigitalInput {
    if (this.#digital === undefined) throw new Refusal(InputStatus.invalidMode)
    return this.#digital
  }

  #watched() {
    const { clock, terminal, announce } = this.context
    return { clock, node: terminal.node, report: (atMs: number) => announce({ customVoltageAlert: true }, atMs) }
  }
}

/** While coils and motors settle, the draw is reported in steps that double, starting with this part of the whole time. */
const FIRST_STEP_SHARE = 2 ** -10
/** After this part of the time, ten time constants, no readable change remains. */
const LAST_STEP_SHARE = 2 ** -2

/**
 * Reports the draw of a driven pin a few times after each change, while its node settles. Call the returned function when the node has
 * changed; with undefined the pin draws nothing.
 */
function watchDraw(clock: Clock, onDraw: () => void): (node: CircuitNode | undefined) => void {
  let timer: Timer | undefined
  const follow = (fromMs: number, lengthMs: number, share: number): void => {
    if (share > LAST_STEP_SHARE) return
    timer = clock.after(Math.max(0, fromMs + lengthMs * share - clock.now()), () => {
      follow(fromMs, lengthMs, 2 * share)
      onDraw()
    })
  }
  return (node) => {
    timer?.cancel()
    timer = undefined
    if (node?.hasStates !== true) return
    const fromMs = clock.now()
    follow(fromMs, Math.max(0, node.regularFromMs - fromMs), FIRST_STEP_SHARE)
  }
}
