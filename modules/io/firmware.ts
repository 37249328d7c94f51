import type { ModuleDescriptor } from '@slotwire/core'
import type { AnyCommand, SdbpError } from '@slotwire/sdbp'
import {
  type CommandHandler,
  type Firmware,
  type FirmwareContext,
  type FirmwareDefinition,
  obey,
  on,
  virtualDescriptor,
} from '@slotwire/twin'
import { railVoltsOf } from './circuit.ts'
import { Announcer } from './firmware-announcer.ts'
import { checkPwm } from './firmware-drive.ts'
import { Pin } from './firmware-pin.ts'
import { PIN_COUNT } from './limits.ts'
import * as wire from './wire.ts'
import { InputStatus, OutputStatus, PowerStatus, setInputMode, setOutputState, setPowerConfig } from './wire.ts'
import { powerNeed } from './wire-power.ts'

/** What the module draws by itself, in mA; its pins come on top. */
const IDLE_DRAW = { '3v3': 60, '5v0': 0, '12v': 0 } as const

/** What the module itself may take from 3.3 V, whatever its pins do. */
const MAX_POWER_3V3_MILLIWATT = 300

/** The virtual io module; spec "IO module resources" and "IO pin modes", twin.md "io pins". Pin n is the terminal `slot/n`. */
export const ioFirmware: FirmwareDefinition = {
  pins: PIN_COUNT,
  vendorProductId: wire.IO_VENDOR_PRODUCT_ID,
  create: (context) => new IoFirmware(context),
}

class IoFirmware implements Firmware {
  readonly handlers: readonly CommandHandler[]
  readonly statusOfInvalid = statusOfInvalid
  readonly #context: FirmwareContext
  readonly #announcer: Announcer
  readonly #pins: readonly Pin[]
  readonly #descriptor: ModuleDescriptor
  /** All pins, pin 1 first; undefined before it is set. */
  #config: readonly wire.PinPower[] | undefined
  /** What the rails gave to the pins when that was looked at last. */
  #railVolts = ''
  #leaveRails: (() => void) | undefined

  constructor(context: FirmwareContext) {
    this.#context = context
    this.#descriptor = virtualDescriptor(context, {
      vendorProductId: wire.IO_VENDOR_PRODUCT_ID,
      productName: 'Virtual IO module',
      maxPower3v3: MAX_POWER_3V3_MILLIWATT,
      maxPower5v0: 0,
      maxPower12v: 0,
    })
    this.#announcer = new Announcer(context.clock, (bytes) => context.notify(bytes))
    this.#pins = Array.from({ length: PIN_COUNT }, (_, index) => this.#createPin(index + 1))
    this.handlers = [...this.#inputHandlers(), ...this.#outputHandlers()]
  }

  descriptor(): ModuleDescriptor {
    const { power3v3, power5v0, power12v } = powerNeed(this.#config ?? [], MAX_POWER_3V3_MILLIWATT)
    return { ...this.#descriptor, maxPower3v3: power3v3, maxPower5v0: power5v0, maxPower12v: power12v }
  }

  reset(): void {
    this.#config = undefined
    for (const pin of this.#pins) pin.reset()
    this.#announcer.cancel()
    this.#railVolts = this.#presentVolts()
    this.#leaveRails ??= this.#context.board.rails.onChange(() => this.#railsChanged())
    this.#updateDraw()
  }

  start(): void {
    for (const pin of this.#pins) pin.start()
  }

  powerDown(): void {
    this.#leaveRails?.()
    this.#leaveRails = undefined
    for (const pin of this.#pins) pin.powerDown()
    this.#announcer.cancel()
    this.#context.board.rails.setDraw(this.#context.slot, undefined)
  }

  #createPin(number: number): Pin {
    const { clock, slot, board } = this.#context
    return new Pin({
      number,
      clock,
      terminal: board.wiring.terminal(`${slot}/${number}`),
      railVolts: (rail) => railVoltsOf(rail, board.rails),
      announce: (alerts, atMs) => this.#announcer.announce(number, alerts, atMs),
      onDraw: () => this.#updateDraw(),
    })
  }

  #inputHandlers(): CommandHandler[] {
    return [
      obey(wire.setInputMode, ({ pin, mode }) => this.#pin(pin).setInput(mode)),
      obey(wire.setAnalogThreshold, ({ pin, millivolt, trigger }) => this.#pin(pin).setThreshold(millivolt, trigger)),
      obey(wire.setDigitalInterrupt, ({ pin, debounceMs, trigger }) => this.#pin(pin).setInterrupt(debounceMs, trigger)),
      obey(wire.setDigitalCounter, ({ pin, state }) => this.#pin(pin).setCounter(state)),
      on(wire.getValues, () => ({ readings: this.#pins.map((pin) => pin.value()) })),
      on(wire.getCurrentValues, () => ({ readings: this.#pins.map((pin) => pin.current()) })),
    ]
  }

  #outputHandlers(): CommandHandler[] {
    return [
      obey(wire.setOutputState, ({ pin, state }) => this.#pin(pin).setOutput(state)),
      obey(wire.setOutputPwm, ({ pin, ...timing }) => {
        checkPwm(timing)
        this.#pin(pin).setPwm(timing)
      }),
      obey(wire.setPowerConfig, ({ config }) => this.#configurePower(config)),
      // What a configuration may hold is checked where it is decoded.
      on(wire.testPowerConfig, () => ({})),
    ]
  }

  #pin(number: number): Pin {
    const pin = this.#pins[number - 1]
    if (pin === undefined) throw new RangeError(`pin ${number}: 1…${PIN_COUNT}`)
    return pin
  }

  #configurePower(config: readonly wire.PinPower[]): void {
    this.#config = config
    config.forEach((power, index) => {
      this.#pin(index + 1).setPower(power)
    })
  }

  #railsChanged(): void {
    const volts = this.#presentVolts()
    if (volts === this.#railVolts) return
    this.#railVolts = volts
    for (const pin of this.#pins) pin.railChanged()
  }

  #presentVolts(): string {
    const { rails } = this.#context.board
    return `${railVoltsOf('5_volt', rails)} ${railVoltsOf('12_volt', rails)}`
  }

  #updateDraw(): void {
    const draw = (rail: wire.Rail): number => this.#pins.reduce((sum, pin) => sum + pin.drawMilliampere(rail), 0)
    const currents = { ...IDLE_DRAW, '5v0': IDLE_DRAW['5v0'] + draw('5_volt'), '12v': IDLE_DRAW['12v'] + draw('12_volt') }
    this.#context.board.rails.setDraw(this.#context.slot, currents)
  }
}

/** Statuses that every class has. */
const INVALID_COMMAND = 1
const WRONG_LENGTH = 2

/** Per class: what it means when the field of this name does not fit. */
const statusOfField: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  [setInputMode.class]: {
    pin: InputStatus.pinOutOfRange,
    mode: InputStatus.invalidMode,
    trigger: InputStatus.invalidDirection,
    millivolt: InputStatus.invalidValue,
    debounceMs: InputStatus.invalidValue,
    state: InputStatus.invalidValue,
  },
  [setOutputState.class]: {
    pin: OutputStatus.pinOutOfRange,
    mode: OutputStatus.invalidMode,
    state: OutputStatus.invalidValue,
    prescaler: OutputStatus.invalidValue,
    timeOn: OutputStatus.invalidValue,
    period: OutputStatus.invalidValue,
  },
  [setPowerConfig.class]: { rail: PowerStatus.invalidRail, currentMilliampere: PowerStatus.invalidValue },
}

/** The status that refuses a request which cannot be read; wire-protocol.md section 2, "io module". */
function statusOfInvalid(command: AnyCommand, error: SdbpError): number {
  if (error.fault === 'truncated' || error.fault === 'length') return WRONG_LENGTH
  const field = error.field?.split('.').at(-1) ?? ''
  return statusOfField[command.class]?.[field] ?? INVALID_COMMAND
}
