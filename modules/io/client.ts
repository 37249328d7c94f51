import {
  type Alert,
  type CallOptions,
  ClientError,
  defineClient,
  forEach,
  type Gap,
  type Inbox,
  type InputOf,
  type Interval,
  type Module,
  readState,
  throwLater,
} from '@slotwire/client'
import { namedPin, notValue, outOfRange, type Quantity, quantityOf, type ReplyOf, servicePath } from '@slotwire/contract'
import { meant, shown } from '@slotwire/core'
import { type RestoreStep, stepsBack, stepText } from './client-restore.ts'
import { ioContract, type PinState } from './contract.ts'
import { ioLimits, PWM_CLOCK_HZ, PWM_FREQUENCY_LIMIT_HZ, powerNeed } from './limits.ts'

type Endpoints = typeof ioContract.endpoints
type Io = Module<typeof ioContract>
export type PinPower = InputOf<Endpoints['setPowerConfiguration']>['config'][number]
export type PinValue = ReplyOf<Endpoints['getInputValues']>['pins'][number]
type PinCurrent = ReplyOf<Endpoints['getInputCurrents']>['pins'][number]
type Body<Name extends keyof Endpoints> = Omit<InputOf<Endpoints[Name]>, 'pin'>

/** A pwm signal as people say it: Hertz below 1 MHz, and the part of the time that it is high, 0 to less than 1. */
export interface PwmSignal {
  readonly frequencyHz: number
  readonly duty: number
}

interface WatchOptions {
  readonly every: Interval
  readonly signal?: AbortSignal
}

/** How many prescalers are tried from the smallest that fits: more would only make the duty coarser. */
const TRIED_PRESCALERS = 64

/** The possible setting that is nearest to a frequency; of equal ones that with the finest duty. Spec IO rule 5. */
export function nearestPwm({ frequencyHz, duty, ...others }: PwmSignal): Body<'setOutputPwm'> {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw new ClientError(`${shown(unknown)} is unknown: ${meant(unknown, ['frequencyHz', 'duty'])}`, { kind: 'invalid' })
  const { prescaler, pwmPeriod } = ioLimits
  const lowest = PWM_CLOCK_HZ / (prescaler.max + 1) / pwmPeriod.max
  if (!(frequencyHz >= lowest && frequencyHz < PWM_FREQUENCY_LIMIT_HZ))
    throw invalid('frequencyHz', frequencyHz, {
      min: Math.ceil(lowest * 1000) / 1000,
      max: PWM_FREQUENCY_LIMIT_HZ - 1,
      unit: 'Hz',
    })
  if (!(duty >= 0 && duty < 1))
    throw new ClientError(`duty is out of range: 0 to less than 1${notValue(duty)}`, { kind: 'invalid' })
  const ticks = PWM_CLOCK_HZ / frequencyHz
  const first = Math.max(0, Math.ceil(ticks / (pwmPeriod.max + 0.5)) - 1)
  let best: { prescaler: number; period: number; error: number } = {
    prescaler: first,
    period: pwmPeriod.max,
    error: Number.POSITIVE_INFINITY,
  }
  for (let scale = first; scale <= Math.min(prescaler.max, first + TRIED_PRESCALERS); scale++) {
    const period = Math.min(pwmPeriod.max, Math.max(pwmPeriod.min, Math.round(ticks / (scale + 1))))
    const made = PWM_CLOCK_HZ / (scale + 1) / period
    const error = Math.abs(made - frequencyHz)
    if (error < best.error && made < PWM_FREQUENCY_LIMIT_HZ) best = { prescaler: scale, period, error }
  }
  const { period } = best
  return { prescaler: best.prescaler, time_on: Math.min(period - 1, Math.round(duty * period)), period }
}

/** The signal of a setting. */
export function signalOf({ prescaler, time_on, period }: Body<'setOutputPwm'>): PwmSignal {
  return { frequencyHz: PWM_CLOCK_HZ / (prescaler + 1) / period, duty: time_on / period }
}

function invalid(field: string, value: number, bounds: Parameters<typeof outOfRange>[1]): ClientError {
  return new ClientError(outOfRange(field, bounds, value), { kind: 'invalid' })
}

export interface NextAlertOptions {
  /** 1 ms to 1 h. */
  readonly withinMs: number
  readonly signal?: AbortSignal
}

const MAX_WITHIN_MS = 3_600_000

/** One pin of an io module. Its calls have the bounds and errors of the endpoints that they use. */
export class Pin {
  readonly number: number
  readonly slot: number
  readonly #io: Io

  constructor(io: Io, number: number) {
    if (!(Number.isInteger(number) && number >= ioLimits.pin.min && number <= ioLimits.pin.max))
      throw invalid('pin', number, ioLimits.pin)
    this.number = number
    this.slot = io.slot
    this.#io = io
  }

  /** Makes the pin an input; its threshold, interrupt and counter are reset. */
  async mode(mode: Body<'setInputMode'>['mode'], options?: CallOptions): Promise<void> {
    await this.#io.call('setInputMode', { pin: this.number, mode }, options)
  }

  /** Drives the pin. Needs a power configuration. */
  async output(state: Body<'setOutputState'>['state'], options?: CallOptions): Promise<void> {
    await this.#io.call('setOutputState', { pin: this.number, state }, options)
  }

  /** Drives the pin with a pwm signal. Returns the setting: of a frequency and duty, the nearest that is possible. */
  async pwm(signal: PwmSignal | Body<'setOutputPwm'>, options?: CallOptions): Promise<Body<'setOutputPwm'>> {
    const isSetting = 'prescaler' in signal || 'period' in signal || 'time_on' in signal
    const setting = isSetting ? signal : nearestPwm(signal)
    await this.#io.call('setOutputPwm', { pin: this.number, ...setting }, options)
    return setting
  }

  /** Watches the voltage of an analog input. */
  async threshold(threshold: Body<'setAnalogThreshold'>, options?: CallOptions): Promise<void> {
    await this.#io.call('setAnalogThreshold', { pin: this.number, ...threshold }, options)
  }

  /** Watches the level of a digital input. */
  async interrupt(interrupt: Body<'setDigitalInterrupt'>, options?: CallOptions): Promise<void> {
    await this.#io.call('setDigitalInterrupt', { pin: this.number, ...interrupt }, options)
  }

  /** Counts the frequency at a digital input. */
  async counter(state: Body<'setDigitalCounter'>['state'], options?: CallOptions): Promise<void> {
    await this.#io.call('setDigitalCounter', { pin: this.number, state }, options)
  }

  /** What the pin reads, in the unit of its mode. */
  async value(options?: CallOptions): Promise<PinValue> {
    const { pins } = await this.#io.call('getInputValues', options)
    return this.#of(pins)
  }

  /** The current in milliampere. */
  async current(options?: CallOptions): Promise<number> {
    return (await this.#current(options)).value
  }

  /** What the operator's scale makes of the present reading. Rejects with `not-found` if the pin has none for this mode. */
  async quantity(options: CallOptions = {}): Promise<Quantity> {
    const { modules } = await readState(this.#io.context.http, options)
    const named = namedPin(modules.find(({ slot }) => slot === this.slot)?.pins, this.number)
    const reading = named?.from === 'current' ? await this.#current(options) : await this.value(options)
    const quantity = quantityOf(reading, named)
    if (quantity === undefined)
      throw new ClientError(`pin ${this.slot}/${this.number} has no scale for ${reading.pin_type}`, { kind: 'not-found' })
    return quantity
  }

  /** Reads and clears the alerts. Another client that reads them takes them away; `alerts` does not have this fault. */
  notification(options?: CallOptions): Promise<ReplyOf<Endpoints['getNotification']>> {
    return this.#io.call('getNotification', { pin: this.number }, options)
  }

  /** The alerts of this pin from now on: no other client can take them away. Leaving the loop ends it. */
  alerts(options: { readonly signal?: AbortSignal } = {}): Inbox<Alert> {
    const { slot, context } = this.#io
    const path = `${servicePath(ioContract.service)}/${slot}/notification/${this.number}`
    return context.live.alerts({ slot, pin: this.number, path }, options.signal)
  }

  /**
   * The next alert of this pin. Runs `trigger` once it listens, so that it misses nothing. Rejects with `not-found` after `withinMs` of real
   * time, whatever the trigger does, and with `unreachable` if alerts were lost.
   */
  async nextAlert({ withinMs, signal }: NextAlertOptions, trigger?: () => unknown): Promise<Alert> {
    if (!(withinMs > 0 && withinMs <= MAX_WITHIN_MS))
      throw invalid('withinMs', withinMs, { min: 1, max: MAX_WITHIN_MS, unit: 'ms' })
    const { http } = this.#io.context
    const alerts = this.alerts(signal === undefined ? {} : { signal })
    const ends: (() => void)[] = []
    const ended = new Promise<never>((_, reject) => {
      const text = `no alert of pin ${this.number} within ${withinMs} ms`
      const late = http.clock.after(withinMs, () => reject(new ClientError(text, { kind: 'not-found', canRetry: true })))
      ends.push(
        () => late.cancel(),
        http.onAbort(signal, () => reject(signal?.reason as Error)),
      )
    })
    const wantedAlert = async (): Promise<Alert> => {
      await alerts.ready
      await trigger?.()
      const { value } = (await alerts.next()) as { readonly value?: Alert | Gap }
      if (value?.kind === 'alert') return value
      throw new ClientError(value === undefined ? 'the alerts ended' : 'alerts were lost', {
        kind: 'unreachable',
        canRetry: true,
      })
    }
    try {
      return await Promise.race([wantedAlert(), ended])
    } finally {
      for (const end of ends) end()
      await alerts.return()
    }
  }

  /** Calls `listener` with each alert, or gap. Returns a function that ends it. */
  onAlert(listener: (alert: Alert | Gap) => void, onError: (error: unknown) => void = throwLater): () => void {
    const alerts = this.alerts()
    forEach(alerts, listener).catch(onError)
    return () => void alerts.return()
  }

  /** What the pin reads, first and when it changes. `every`: how often the device looks, 50 ms to 1 h. */
  values(options: WatchOptions): Inbox<PinValue> {
    return this.#follow('getInputValues', options)
  }

  /** Its current in milliampere, in the same way. */
  currents(options: WatchOptions): Inbox<PinCurrent> {
    return this.#follow('getInputCurrents', options)
  }

  #follow<Reading extends PinValue | PinCurrent>(
    name: 'getInputValues' | 'getInputCurrents',
    options: WatchOptions,
  ): Inbox<Reading> {
    const below = `/${this.slot}${ioContract.endpoints[name].path}`
    const read = { resource: `${ioContract.service}${below}`, path: `${servicePath(ioContract.service)}${below}` }
    const pick = (values: unknown): Reading | undefined =>
      (values as { readonly pins?: readonly Reading[] }).pins?.find(({ pin }) => pin === this.number)
    return this.#io.context.live.follow(read, options, pick)
  }

  async #current(options?: CallOptions): Promise<PinCurrent> {
    return this.#of((await this.#io.call('getInputCurrents', options)).pins)
  }

  #of<P extends { readonly pin: number }>(pins: readonly P[] | undefined): P {
    const own = pins?.find(({ pin }) => pin === this.number)
    if (own === undefined) throw new ClientError(`the answer has no pin ${this.number}`, { kind: 'module' })
    return own
  }
}

/** Rails of a refused power configuration: what is missing, in milliwatt. */
function missing(decision: ReplyOf<Endpoints['setPowerConfiguration']>): string {
  const rails = Object.entries(decision.too_much_power).filter(([, milliwatt]) => milliwatt > 0)
  return rails.map(([rail, milliwatt]) => `${milliwatt} mW on ${rail.replace(/^rail_|_milliwatt$/g, '')}`).join(', ')
}

/** An io module: its calls as the contract has them, its pins, and its power configuration. */
export const ioClient = defineClient(ioContract, (io) => ({
  /** One of its pins, 1…6. */
  pin: (number: number): Pin => new Pin(io, number),
  nearestPwm,
  signalOf,
  /** What the module needs with a configuration, in milliwatt per rail, as its descriptor shows it then. `descriptor`: its present one. */
  powerNeed: (config: readonly PinPower[], descriptor: { readonly max_power_3v3: number }) =>
    powerNeed(config, descriptor.max_power_3v3),
  stepsBack,
  /**
   * Sets the power configuration of all six pins, which become analog inputs: outputs go low. Rejects with `refused` if the power budget
   * denies it. With `keep` (or only for these pins) it then sets inputs, triggers and outputs again as they were, in the same session and
   * under a lease, and rejects with what could not be set. It changes nothing if a pin is not known, or drives and would get 0 mA. A `signal`
   * ends it before the power is set, or when all is set again.
   */
  async power(
    config: readonly PinPower[],
    { keep = false, ...options }: CallOptions & { readonly keep?: boolean | readonly number[] } = {},
  ): Promise<void> {
    const set = async (module: Io, call: CallOptions): Promise<void> => {
      const decision = await module.call('setPowerConfiguration', { config }, call)
      if (decision.status === 'denied')
        throw new ClientError(`the power budget denies this configuration: ${missing(decision)} missing`, {
          kind: 'refused',
          canRetry: true,
        })
    }
    if (keep === false) return set(io, options)
    const { signal, ...call } = options
    await io.exclusively('power configuration', options, async (only, state) => {
      const steps = keptSteps(state, config, keep)
      signal?.throwIfAborted()
      await set(only, call)
      await setAgain(only, steps, call)
    })
    signal?.throwIfAborted()
  },
}))

/** What sets the pins again. Throws `refused` if that is not known, or would be refused. */
function keptSteps(state: unknown, config: readonly PinPower[], keep: true | readonly number[]): readonly RestoreStep[] {
  const pins = ((state as { readonly pins?: readonly PinState[] } | undefined)?.pins ?? [])
    .filter(({ pin }) => keep === true || keep.includes(pin))
    .map((pin) => ({ ...pin, power: null }))
  const refuse = (which: readonly PinState[], why: string): void => {
    if (which.length === 0) return
    const numbers = which.map(({ pin }) => pin).join(', ')
    throw new ClientError(`pin ${numbers} ${why}, nothing was changed`, { kind: 'refused' })
  }
  if (pins.length === 0 && keep === true)
    throw new ClientError('the pins of this module are not known, nothing was changed', { kind: 'refused' })
  refuse(
    pins.filter((pin) => Object.values(pin).includes('unknown')),
    'is in a state that is not known: set it first',
  )
  const steps = stepsBack(pins, [])
  const driven = steps.filter(({ endpoint }) => endpoint === 'setOutputState' || endpoint === 'setOutputPwm')
  const unpowered = pins.filter(({ pin }) => config[pin - 1]?.current_milliampere === 0)
  refuse(
    unpowered.filter(({ pin }) => driven.some(({ input }) => 'pin' in input && input.pin === pin)),
    'drives and would get 0 mA: give it power, or make it an input first',
  )
  return steps
}

/** Sends all steps, also after one that the module refuses. Rejects with those that failed. */
async function setAgain(io: Io, steps: readonly RestoreStep[], call: CallOptions): Promise<void> {
  // The input of each step is that of its endpoint.
  const module = io as unknown as { call(endpoint: string, input: object, options: CallOptions): Promise<unknown> }
  const failed: string[] = []
  let cause: ClientError | undefined
  for (const step of steps) {
    const isOver = cause !== undefined && cause.kind !== 'refused' && cause.kind !== 'module'
    try {
      if (isOver) failed.push(stepText(step))
      else await module.call(step.endpoint, step.input, call)
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      cause = error
      failed.push(stepText(step))
    }
  }
  if (cause !== undefined)
    throw new ClientError(`the power is set, but these pins could not be set again: ${failed.join(', ')}: ${cause.message}`, {
      kind: cause.kind,
      cause,
    })
}
