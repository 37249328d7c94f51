import {
  commandClass,
  constant,
  enumOf,
  type Field,
  list,
  MODULE_CLASS_IDENTIFIER,
  minusOne,
  notificationMasks,
  u8,
  u16,
  u32,
  type ValueOf,
  valueFault,
} from '@slotwire/sdbp'
import { ioLimits, PIN_COUNT, type PinPower, type PinRail } from './limits.ts'

/** wire-protocol.md section 2, "io module". */
export const IO_VENDOR_PRODUCT_ID = 'modules.noreya.tech/io'

/** Statuses of every io class. */
export const IoStatus = { invalidCommand: 1, wrongLength: 2 } as const
/** Statuses of the input class. */
export const InputStatus = { invalidMode: 3, pinOutOfRange: 4, invalidDirection: 5, invalidValue: 6 } as const
/** Statuses of the output class. */
export const OutputStatus = {
  invalidMode: 3,
  pinOutOfRange: 4,
  invalidValue: 5,
  powerConfigurationMissing: 6,
  externalVoltage: 7,
} as const
/** Statuses of the power class. */
export const PowerStatus = { invalidRail: 3, invalidValue: 4, invalidMode: 5 } as const

const ioClass = (number: number, statuses: Readonly<Record<string, number>>) =>
  commandClass({ classIdentifier: MODULE_CLASS_IDENTIFIER, class: number, statuses: { ...IoStatus, ...statuses } })
const input = ioClass(1, InputStatus)
const output = ioClass(2, OutputStatus)
const power = ioClass(3, PowerStatus)

const pin = u8(ioLimits.pin)

export const setInputMode = input.command('SET_INPUT_MODE', 2, { request: { pin, mode: enumOf({ analog: 1, digital: 2 }) } })

export const setAnalogThreshold = input.command('SET_ANALOG_THRESHOLD', 3, {
  request: { pin, millivolt: u16(ioLimits.thresholdMillivolt), trigger: enumOf({ disabled: 0, rising: 1, falling: 2 }) },
})

export const setDigitalInterrupt = input.command('SET_DIGITAL_INTERRUPT', 4, {
  request: { pin, debounceMs: u16(ioLimits.debounceMs), trigger: enumOf({ disabled: 0, rising: 1, falling: 2, pulse: 3 }) },
})

export const setDigitalCounter = input.command('SET_DIGITAL_COUNTER', 5, {
  request: { pin, state: enumOf({ disabled: 0, enabled: 1 }) },
})

const readingType = enumOf({ voltage_millivolt: 0, current_milliampere: 1, digital_input: 2, frequency_hertz: 3 })
/** The kind of a pin's reading, which gives its unit. */
export type ReadingType = ValueOf<typeof readingType>
export interface PinReading {
  readonly pin: number
  readonly type: ReadingType
  readonly value: number
}

const readingValues: Record<ReadingType, { size: number; field: Field<number> }> = {
  voltage_millivolt: { size: 2, field: u16({ unit: 'mV' }) },
  current_milliampere: { size: 2, field: u16({ unit: 'mA' }) },
  digital_input: { size: 2, field: u16({ max: 1 }) },
  frequency_hertz: { size: 4, field: u32({ unit: 'Hz' }) },
}

/** Pin, type, length of the value in bytes, value. */
const pinReading: Field<PinReading> = {
  write: (writer, reading, name) => {
    pin.write(writer, reading.pin, `${name}.pin`)
    readingType.write(writer, reading.type, `${name}.type`)
    const { size, field } = readingValues[reading.type]
    writer.unsigned(size, 1)
    field.write(writer, reading.value, `${name}.value`)
  },
  read: (reader, name) => {
    const pinNumber = pin.read(reader, `${name}.pin`)
    const type = readingType.read(reader, `${name}.type`)
    const { size, field } = readingValues[type]
    const length = reader.unsigned(1)
    if (length !== size) throw valueFault(`${name}.length`, length, String(size))
    return { pin: pinNumber, type, value: field.read(reader, `${name}.value`) }
  },
}

const readings = { response: { readings: list(PIN_COUNT, pinReading) } } as const
export const getValues = input.command('GET_VALUES', 6, readings)
export const getCurrentValues = input.command('GET_CURRENT_VALUES', 7, readings)

/** With time on 0 the pin stays high. A host never sends it, but a module obeys it. */
const sentTimeOn = u32({ min: 1, max: ioLimits.pwmTimeOn.max })
const obeyedTimeOn = u32({ max: ioLimits.pwmTimeOn.max })
const timeOn: Field<number> = {
  write: (writer, value, name) => sentTimeOn.write(writer, value, name),
  read: (reader, name) => obeyedTimeOn.read(reader, name),
}

const SET_OUTPUT = 2
/** SET_OUTPUT in mode 1: a level. */
export const setOutputState = output.command('SET_OUTPUT state', SET_OUTPUT, {
  request: { pin, mode: constant(1), state: enumOf({ low: 0, high: 1 }) },
})
/** SET_OUTPUT in mode 2: pwm. The period is sent one lower (the timer's reload register). */
export const setOutputPwm = output.command('SET_OUTPUT pwm', SET_OUTPUT, {
  request: {
    pin,
    mode: constant(2),
    prescaler: u16(ioLimits.prescaler),
    timeOn,
    period: minusOne(u32({ min: ioLimits.pwmPeriod.min - 1, max: ioLimits.pwmPeriod.max - 1 })),
  },
})

const rail = enumOf({ '5_volt': 0, '12_volt': 1 })
const railCurrents: Record<PinRail, Field<number>> = {
  '5_volt': u16(ioLimits.currentMilliampere['5_volt']),
  '12_volt': u16(ioLimits.currentMilliampere['12_volt']),
}

/** A rail and a current within that rail's bounds. */
const pinPower: Field<PinPower> = {
  write: (writer, supply, name) => {
    rail.write(writer, supply.rail, `${name}.rail`)
    railCurrents[supply.rail].write(writer, supply.current_milliampere, `${name}.current_milliampere`)
  },
  read: (reader, name) => {
    const railName = rail.read(reader, `${name}.rail`)
    return { rail: railName, current_milliampere: railCurrents[railName].read(reader, `${name}.current_milliampere`) }
  },
}
const powerConfig = { request: { config: list(PIN_COUNT, pinPower) } } as const
export const setPowerConfig = power.command('SET_POWER_CONFIG', 2, powerConfig)
/** Its reply may be 10 bytes long in all, and then has no status. */
export const testPowerConfig = power.command('TEST_POWER_CONFIG', 3, powerConfig, { statuslessLength: 7 })

/** Notification bytes: one mask each, bit 0 = pin 1. */
export const ioNotification = notificationMasks('customVoltageAlert', 'highCurrentAlert', 'underVoltageAlert', 'highVoltageAlert')
export type IoNotification = Parameters<typeof ioNotification.write>[1]
