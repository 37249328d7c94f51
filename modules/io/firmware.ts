import type { AnyCommand, SdbpError } from '@slotwire/sdbp'
import {
  type Firmware,
  type FirmwareContext,
  type FirmwareDefinition,
  obey,
  on,
  Refusal,
  virtualDescriptor,
} from '@slotwire/twin'
import { railVoltsOf } from './circuit.ts'
import { createAnnouncer } from './firmware-announcer.ts'
import { Pin } from './firmware-pin.ts'
import { PIN_COUNT, type PinPower, type PinRail, powerNeed, pwmFault } from './limits.ts'
import * as wire from './wire.ts'

const { InputStatus, IoStatus, OutputStatus, PowerStatus } = wire

/** Current of the module without its pins, in mA. */
const IDLE_DRAW = { '3v3': 60, '5v0': 0, '12v': 0 } as const

/** The descriptor without a power configuration; the need of the pins is added. */
const OWN_DESCRIPTOR = {
  vendorProductId: wire.IO_VENDOR_PRODUCT_ID,
  productName: 'Virtual IO module',
  maxPower3v3: 300,
  maxPower5v0: 0,
  maxPower12v: 0,
} as const

/** The virtual io module; spec "IO module resources" and "IO pin modes", twin.md "io pins". Pin n is the terminal `slot/n`. */
export const ioFirmware = {
  pins: PIN_COUNT,
  vendorProductId: wire.IO_VENDOR_PRODUCT_ID,
  create: createIo,
} satisfies FirmwareDefinition

function createIo(context: FirmwareContext): Firmware {
  const { clock, slot, board } = context
  const { rails, wiring } = board
  const own = virtualDescriptor(context, OWN_DESCRIPTOR)
  const announcer = createAnnouncer(clock, (bytes) => context.notify(bytes))
  const pins = Array.from({ length: PIN_COUNT }, (_, index) => createPin(index + 1))
  /** All pins, pin 1 first; undefined before it is set. */
  let config: readonly PinPower[] | undefined
  /** The rail voltages of the pins at the last check. */
  let railVolts = ''
  let leaveRails: (() => void) | undefined

  function createPin(number: number): Pin {
    return new Pin({
      number,
      clock,
      terminal: wiring.terminal(`${slot}/${number}`),
      railVolts: (rail) => railVoltsOf(rail, rails),
      announce: (alerts, atMs) => announcer.announce(number, alerts, atMs),
      onDraw: updateDraw,
    })
  }

  function pinOf(number: number): Pin {
    const pin = pins[number - 1]
    if (pin === undefined) throw new RangeError(`pin ${number}: 1…${PIN_COUNT}`)
    return pin
  }

  function onRails(): void {
    const volts = presentVolts()
    if (volts === railVolts) return
    railVolts = volts
    for (const pin of pins) pin.railChanged()
  }

  function presentVolts(): string {
    return `${railVoltsOf('5_volt', rails)} ${railVoltsOf('12_volt', rails)}`
  }

  function updateDraw(): void {
    const draw = (rail: PinRail): number => pins.reduce((sum, pin) => sum + pin.drawMilliampere(rail), 0)
    const currents = { ...IDLE_DRAW, '5v0': IDLE_DRAW['5v0'] + draw('5_volt'), '12v': IDLE_DRAW['12v'] + draw('12_volt') }
    rails.setDraw(slot, currents)
  }

  return {
    handlers: [
      obey(wire.setInputMode, ({ pin, mode }) => pinOf(pin).setInput(mode)),
      obey(wire.setAnalogThreshold, ({ pin, millivolt, trigger }) => pinOf(pin).setThreshold(millivolt, trigger)),
      obey(wire.setDigitalInterrupt, ({ pin, debounceMs, trigger }) => pinOf(pin).setInterrupt(debounceMs, trigger)),
      obey(wire.setDigitalCounter, ({ pin, state }) => pinOf(pin).setCounter(state)),
      on(wire.getValues, () => ({ readings: pins.map((pin) => pin.value()) })),
      on(wire.getCurrentValues, () => ({ readings: pins.map((pin) => pin.current()) })),
      obey(wire.setOutputState, ({ pin, state }) => pinOf(pin).setOutput(state)),
      obey(wire.setOutputPwm, ({ pin, ...timing }) => {
        // Spec IO rule 5.
        if (pwmFault(timing) !== undefined) throw new Refusal(OutputStatus.invalidValue)
        pinOf(pin).setPwm(timing)
      }),
      obey(wire.setPowerConfig, ({ config: granted }) => {
        config = granted
        for (const [index, power] of granted.entries()) pinOf(index + 1).setPower(power)
      }),
      // The decoder checks the contents of a configuration.
      on(wire.testPowerConfig, () => ({})),
    ],
    statusOfInvalid,
    descriptor() {
      const { power3v3, power5v0, power12v } = powerNeed(config ?? [], OWN_DESCRIPTOR.maxPower3v3)
      return { ...own, maxPower3v3: power3v3, maxPower5v0: power5v0, maxPower12v: power12v }
    },
    reset() {
      config = undefined
      for (const pin of pins) pin.reset()
      announcer.cancel()
      railVolts = presentVolts()
      leaveRails ??= rails.onChange(onRails)
      updateDraw()
    },
    start() {
      for (const pin of pins) pin.start()
    },
    powerDown() {
      leaveRails?.()
      leaveRails = undefined
      for (const pin of pins) pin.powerDown()
      announcer.cancel()
      rails.setDraw(slot, undefined)
    },
  }
}

/** For each class the status for an invalid field of this name. */
const statusOfField: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  [wire.setInputMode.class]: {
    pin: InputStatus.pinOutOfRange,
    mode: InputStatus.invalidMode,
    trigger: InputStatus.invalidDirection,
    millivolt: InputStatus.invalidValue,
    debounceMs: InputStatus.invalidValue,
    state: InputStatus.invalidValue,
  },
  [wire.setOutputState.class]: {
    pin: OutputStatus.pinOutOfRange,
    mode: OutputStatus.invalidMode,
    state: OutputStatus.invalidValue,
    prescaler: OutputStatus.invalidValue,
    timeOn: OutputStatus.invalidValue,
    period: OutputStatus.invalidValue,
  },
  [wire.setPowerConfig.class]: { rail: PowerStatus.invalidRail, current_milliampere: PowerStatus.invalidValue },
}

/** The status for a request that cannot be decoded; wire-protocol.md section 2, "io module". */
function statusOfInvalid(command: AnyCommand, error: SdbpError): number {
  if (error.fault === 'truncated' || error.fault === 'length') return IoStatus.wrongLength
  const field = error.field?.split('.').at(-1) ?? ''
  return statusOfField[command.class]?.[field] ?? IoStatus.invalidCommand
}
