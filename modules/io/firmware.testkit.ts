import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { ByteReader, type Command, decodeRequest, decodeResponse, encodeRequest, encodeResponse } from '@slotwire/sdbp'
import { type Board, ComputeModule, type Firmware, Rails, Refusal, UsbHub, VolatileMemory, Wiring } from '@slotwire/twin'
import { ioFirmware } from './firmware.ts'
import type { PinRail } from './limits.ts'
import type { IoNotification } from './wire.ts'
import * as wire from './wire.ts'

/** A notification from the module, and when it came. */
export interface ReceivedAlerts extends IoNotification {
  readonly atMs: number
}

/** One io module on its own bench. */
export class BareIoModule {
  readonly clock = new ManualClock()
  readonly wiring = new Wiring(this.clock)
  readonly rails = new Rails()
  readonly alerts: ReceivedAlerts[] = []
  readonly firmware: Firmware
  /** Number of timers started: the cost of the twin. */
  timersStarted = 0

  constructor(slot = 5) {
    const started = this.clock.after.bind(this.clock)
    this.clock.after = (delayMs, callback) => {
      this.timersStarted++
      return started(delayMs, callback)
    }
    this.firmware = this.plug(slot)
    this.firmware.reset()
    this.firmware.start?.()
  }

  /** Another io module on the same board. */
  plug(slot: number): Firmware {
    const board: Board = {
      wiring: this.wiring,
      rails: this.rails,
      usb: new UsbHub(this.clock),
      computer: new ComputeModule(),
      restartDevice: (reason) => {
        throw new Error(`restart asked for: ${reason}`)
      },
    }
    return ioFirmware.create({
      slot,
      clock: this.clock,
      random: seededRandom(1),
      memory: new VolatileMemory(),
      board,
      log: silentLog,
      notify: (bytes) => this.alerts.push({ atMs: this.clock.now(), ...wire.ioNotification.read(new ByteReader(bytes), '') }),
    })
  }

  /** Sends a command as bytes and returns the decoded response. Throws the module's `Refusal`. */
  send<Request, Response>(command: Command<Request, Response>, request: Request, firmware = this.firmware): Response {
    const handler = firmware.handlers.find((candidate) => candidate.command.name === command.name)
    if (handler === undefined) throw new Error(`no handler for ${command.name}`)
    const response = handler.run(decodeRequest(command, encodeRequest(command, request)))
    return decodeResponse(command, encodeResponse(command, response as Response))
  }

  /** The status with which the module answers. */
  statusOf<Request>(command: Command<Request, unknown>, request: Request): number {
    try {
      this.send(command, request)
      return 0
    } catch (error) {
      if (error instanceof Refusal) return error.status
      throw error
    }
  }

  mode(pin: number, mode: 'analog' | 'digital'): void {
    this.send(wire.setInputMode, { pin, mode })
  }

  threshold(pin: number, millivolt: number, trigger: 'disabled' | 'rising' | 'falling'): void {
    this.send(wire.setAnalogThreshold, { pin, millivolt, trigger })
  }

  interrupt(pin: number, trigger: 'disabled' | 'rising' | 'falling' | 'pulse', debounceMs = 0): void {
    this.send(wire.setDigitalInterrupt, { pin, debounceMs, trigger })
  }

  counter(pin: number, state: 'enabled' | 'disabled'): void {
    this.send(wire.setDigitalCounter, { pin, state })
  }

  /** The same supply for all pins. */
  power(milliampere = 300, rail: PinRail = '5_volt'): void {
    this.send(wire.setPowerConfig, { config: Array.from({ length: 6 }, () => ({ rail, current_milliampere: milliampere })) })
  }

  output(pin: number, state: 'high' | 'low'): void {
    this.send(wire.setOutputState, { pin, state })
  }

  pwm(pin: number, prescaler: number, timeOn: number, period: number): void {
    this.send(wire.setOutputPwm, { pin, prescaler, timeOn, period })
  }

  /** Kind and number of the pin's reading. */
  value(pin: number): [string, number] {
    const { type, value } = this.send(wire.getValues, {}).readings[pin - 1] as wire.PinReading
    return [type, value]
  }

  milliampere(pin: number): number {
    return (this.send(wire.getCurrentValues, {}).readings[pin - 1] as wire.PinReading).value
  }

  /** When the notifications with this flag of this pin came. */
  alertTimes(flag: keyof IoNotification = 'customVoltageAlert', pin = 1): number[] {
    return this.alerts.filter((alert) => (alert[flag] & (1 << (pin - 1))) !== 0).map(({ atMs }) => atMs)
  }
}

/** An io module whose pins all have this supply. */
export function powered(milliampere = 300, rail: PinRail = '5_volt'): BareIoModule {
  const io = new BareIoModule()
  io.power(milliampere, rail)
  return io
}
