import { coreErrors } from '@slotwire/core'
import { moduleService, refusedAs } from '@slotwire/service'
import { ioContract } from './contract.ts'
import { ioErrors } from './errors.ts'
import { ioReadings } from './readings.ts'
import type { ReadingType } from './wire.ts'
import {
  getCurrentValues,
  getValues,
  InputStatus,
  IO_VENDOR_PRODUCT_ID,
  ioNotification,
  OutputStatus,
  setAnalogThreshold,
  setDigitalCounter,
  setDigitalInterrupt,
  setInputMode,
  setOutputPwm,
  setOutputState,
  setPowerConfig,
  testPowerConfig,
} from './wire.ts'
import { powerNeed } from './wire-power.ts'

const success = { status: 'success' } as const

const PIN_TYPES = {
  voltageMillivolt: 'voltage_millivolt',
  digitalState: 'digital_input',
  frequencyHertz: 'frequency_hertz',
} as const satisfies Partial<Record<ReadingType, string>>

/** The io service: contract ↔ wire; spec "IO service". */
export const ioService = moduleService(ioContract, {
  vendorProductId: IO_VENDOR_PRODUCT_ID,
  readings: ioReadings,
  handlers: {
    getNotification: {
      kind: 'alerts',
      masks: ioNotification,
      // These disable the pin; spec "Events".
      warns: ['underVoltageAlert', 'highVoltageAlert', 'highCurrentAlert'],
    },

    setPowerConfiguration: {
      kind: 'power',
      run: async (apply, { body }) => {
        const config = body.config.map(({ rail, current_milliampere }) => ({ rail, currentMilliampere: current_milliampere }))
        const { granted, missing } = await apply({
          need: ({ maxPower3v3 }) => powerNeed(config, maxPower3v3),
          configure: async (exchange) => {
            await exchange(testPowerConfig, { config })
            await exchange(setPowerConfig, { config })
          },
        })
        return {
          status: granted ? ('success' as const) : ('denied' as const),
          too_much_power: {
            rail_3v3_milliwatt: missing.power3v3,
            rail_5v0_milliwatt: missing.power5v0,
            rail_12v_milliwatt: missing.power12v,
          },
        }
      },
    },

    getInputValues: {
      kind: 'bus',
      run: async (exchange, _request, { slot }) => {
        const { readings } = await exchange(getValues, {})
        return { pins: readings.map(({ pin, type, value }) => ({ pin, pin_type: pinTypeOf(type, slot.slot), value })) }
      },
    },

    getInputCurrents: {
      kind: 'bus',
      run: async (exchange) => {
        const { readings } = await exchange(getCurrentValues, {})
        return { pins: readings.map(({ pin, value }) => ({ pin, pin_type: 'current_milliampere' as const, value })) }
      },
    },

    setInputMode: {
      kind: 'bus',
      run: async (exchange, { body: { pin, mode } }) => {
        await exchange(setInputMode, { pin, mode })
        return success
      },
    },

    setAnalogThreshold: {
      kind: 'bus',
      run: async (exchange, { body: { pin, threshold_millivolt: millivolt, trigger } }) => {
        await refusedAs(exchange(setAnalogThreshold, { pin, millivolt, trigger }), {
          [InputStatus.invalidMode]: () => ioErrors.pinNotAnalog({ pin }),
        })
        return success
      },
    },

    setDigitalInterrupt: {
      kind: 'bus',
      run: async (exchange, { body: { pin, debounce_time_milliseconds: debounceMs, trigger } }) => {
        await refusedAs(exchange(setDigitalInterrupt, { pin, debounceMs, trigger }), {
          [InputStatus.invalidMode]: () => ioErrors.pinNotDigital({ pin }),
        })
        return success
      },
    },

    setDigitalCounter: {
      kind: 'bus',
      run: async (exchange, { body: { pin, state } }) => {
        await refusedAs(exchange(setDigitalCounter, { pin, state }), {
          [InputStatus.invalidMode]: () => ioErrors.pinNotDigital({ pin }),
        })
        return success
      },
    },

    setOutputState: {
      kind: 'bus',
      run: async (exchange, { body: { pin, state } }) => {
        await refusedAs(exchange(setOutputState, { pin, state }), outputRefusals(pin))
        return success
      },
    },

    setOutputPwm: {
      kind: 'bus',
      run: async (exchange, { body: { pin, prescaler, time_on: timeOn, period } }) => {
        // A timer that is told 0 holds the pin high; wire-protocol.md section 2, "io module".
        const driven =
          timeOn === 0
            ? exchange(setOutputState, { pin, state: 'low' })
            : exchange(setOutputPwm, { pin, prescaler, timeOn, period })
        await refusedAs(driven, outputRefusals(pin))
        return success
      },
    },
  },
})

function outputRefusals(pin: number) {
  return {
    [OutputStatus.powerMissing]: () => ioErrors.powerConfigurationMissing({ pin }),
    [OutputStatus.externalVoltage]: () => ioErrors.externalVoltage({ pin }),
  }
}

/** GET_VALUES gives no currents: a reading of that type is garbage. */
function pinTypeOf(type: ReadingType, slot: number): (typeof PIN_TYPES)[keyof typeof PIN_TYPES] {
  if (type === 'currentMilliampere') throw coreErrors.moduleAnswerInvalid({ slot, command: getValues.name })
  return PIN_TYPES[type]
}
