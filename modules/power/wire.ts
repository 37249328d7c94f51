import { perRail, type ThermistorDivider } from '@slotwire/core'
import { commandClass, type Field, flag, MODULE_CLASS_IDENTIFIER, SdbpError, u8, u16, u32, valueFault } from '@slotwire/sdbp'
import { FAN_MODES, type FanMode } from './limits.ts'

/** wire-protocol.md section 2, "power module". None of its responses has a common status byte. */
export const POWER_VENDOR_PRODUCT_ID = 'modules.noreya.tech/power'

/** The thermistor on the board, and steps of the PMC's sensor per °C; wire-protocol.md section 2, "power module". */
export const THERMISTOR: ThermistorDivider = { ratedOhm: 10_000, betaKelvin: 3380, lowerOhm: 10_000, supplyVolt: 3 }
export const PMC_STEPS_PER_CELSIUS = 9.5

const power = commandClass({ classIdentifier: MODULE_CLASS_IDENTIFIER, class: 1 })
const thermal = commandClass({ classIdentifier: MODULE_CLASS_IDENTIFIER, class: 2 })

/** The wire code of each fan mode. */
const FAN_CODES: Readonly<Record<FanMode, number>> = { 0: 0, 20: 3, 40: 4, 60: 5, 80: 6, 100: 1 }
const fanModes = new Map(FAN_MODES.map((mode) => [FAN_CODES[mode], mode]))
const fanMode: Field<FanMode> = {
  write: (writer, mode, name) => {
    if (!FAN_MODES.includes(mode)) throw valueFault(name, mode, `one of ${FAN_MODES.join(', ')} %`)
    writer.unsigned(FAN_CODES[mode], 1)
  },
  read: (reader, name) => {
    const code = reader.unsigned(1)
    const mode = fanModes.get(code)
    if (mode === undefined)
      throw new SdbpError('value', `${name} has code ${code}: one of ${[...fanModes.keys()].join(', ')}`, name)
    return mode
  },
}
const yesNo = flag({ yes: 1, no: 2 })
/** 1 means accepted; any other value means refused. */
const taken: Field<boolean> = { ...flag({ yes: 1, no: 0 }), read: (reader) => reader.unsigned(1) === 1 }
const counter = u16()
const mV = u16({ unit: 'mV' })
const mA = u32({ unit: 'mA' })

/** Milliwatt per rail and in total; efficiencies in percent. */
export const getSource = power.command('SOURCE', 2, {
  response: {
    ...perRail('source_', () => u16({ unit: 'mW' })),
    source_total: u16({ unit: 'mW' }),
    ...perRail('efficiency_factor_', () => u8({ max: 100, unit: '%' })),
  },
})

export const setCurrentLimits = power.command('CURRENT_LIMIT', 3, {
  request: perRail('limit_', () => mA),
  response: perRail('limit_', () => taken),
})

export const getStats = power.command('VOLTAGE_CURRENT_STATUS', 4, {
  response: { ...perRail('voltage_', () => mV), ...perRail('current_', () => mA), ...perRail('limit_', () => mA) },
})

/** `sum` comes from the module; the service adds up the counters itself. */
export const getProtectionCounters = power.command('OPP_CNT_STATUS', 5, {
  response: {
    sum: counter,
    ovp3v3: counter,
    uvp3v3: counter,
    ovp5v0: counter,
    uvp5v0: counter,
    ovp12v: counter,
    uvp12v: counter,
    ocp3v3: counter,
    ocp5v0: counter,
    ocp12v: counter,
    pmcTemperature: counter,
    totalOverload: counter,
  },
})

export const getTemperatureSensors = thermal.command('TEMPERATURE_SENSOR', 2, {
  response: { onBoardMillivolt: mV, pmcRaw: u16() },
})

export const getFanStatus = thermal.command('FAN_STATUS', 3, {
  response: { forced: yesNo, currentMode: fanMode, settingMode: fanMode },
})

/** Results of FAN_CONTROL. */
export const FanControlResult = { ok: 1, invalidMode: 2, forceFailed: 3 } as const
export const setFan = thermal.command('FAN_CONTROL', 4, {
  request: { forced: yesNo, mode: fanMode },
  response: { result: u8({ min: 1, max: 3 }) },
})

export const getFanRpm = thermal.command('FAN_RPM', 5, { response: { enabled: yesNo, rpm: u16() } })
export const setFanRpm = thermal.command('FAN_RPM_CONTROL', 6, {
  request: { enabled: yesNo },
  response: { ok: yesNo },
})
