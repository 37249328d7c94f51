import { coreErrors } from '@slotwire/core'
import { moduleService, refusedAs } from '@slotwire/service'
import { ioContract } from './contract.ts'
import { ioErrors } from './errors.ts'
import { ioJournal } from './journal.ts'
import { powerNeed } from './limits.ts'
import { ioReadings } from './readings.ts'
import * as wire from './wire.ts'

const { InputStatus, OutputStatus } = wire

/** The io service: contract ↔ wire; spec "IO service". */
export const ioService = moduleService(ioContract, {
  vendorProductId: wire.IO_VENDOR_PRODUCT_ID,
  probe: wire.getValues,
  readings: ioReadings,
  safeState: 'reset',
  journal: ioJournal,
  handlers: {
    getNotification: {
      kind: 'alerts',
      masks: wire.ioNotification,
      // These disable the pin; spec "Events".
      warns: ['underVoltageAlert', 'highVoltageAlert', 'highCurrentAlert'],
    },

    setPowerConfiguration: {
      kind: 'power',
      run: async (apply, { body: { config } }) => {
        const { granted, missing } = await apply({
          need: ({ maxPower3v3 }) => powerNeed(config, maxPower3v3),
          configure: async (exchange) => {
            await exchange(wire.testPowerConfig, { config })
            await exchange(wire.setPowerConfig, { config })
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

    getInputValues: async (exchange, _request, { slot }) => {
      const { readings } = await exchange(wire.getValues, {})
      const pins = readings.map(({ pin, type, value }) => {
        // GET_VALUES returns no currents.
        if (type === 'current_milliampere')
          throw coreErrors.moduleAnswerInvalid({ slot: slot.slot, command: wire.getValues.name })
        return { pin, pin_type: type, value }
      })
      return { pins }
    },

    getInputCurrents: async (exchange) => {
      const { readings } = await exchange(wire.getCurrentValues, {})
      return { pins: readings.map(({ pin, value }) => ({ pin, pin_type: 'current_milliampere' as const, value })) }
    },

    setInputMode: (exchange, { body: { pin, mode } }) => exchange(wire.setInputMode, { pin, mode }),

    setAnalogThreshold: (exchange, { body: { pin, threshold_millivolt: millivolt, trigger } }) =>
      refusedAs(exchange(wire.setAnalogThreshold, { pin, millivolt, trigger }), {
        [InputStatus.invalidMode]: () => ioErrors.pinNotAnalog({ pin }),
      }),

    setDigitalInterrupt: (exchange, { body: { pin, debounce_time_milliseconds: debounceMs, trigger } }) =>
      refusedAs(exchange(wire.setDigitalInterrupt, { pin, debounceMs, trigger }), {
        [InputStatus.invalidMode]: () => ioErrors.pinNotDigital({ pin }),
      }),

    setDigitalCounter: (exchange, { body: { pin, state } }) =>
      refusedAs(exchange(wire.setDigitalCounter, { pin, state }), {
        [InputStatus.invalidMode]: () => ioErrors.pinNotDigital({ pin }),
      }),

    setOutputState: (exchange, { body: { pin, state } }) =>
      refusedAs(exchange(wire.setOutputState, { pin, state }), outputRefusals(pin)),

    setOutputPwm: (exchange, { body: { pin, prescaler, time_on: timeOn, period } }) => {
      // A timer with time_on 0 holds the pin high; wire-protocol.md section 2, "io module".
      const driven =
        timeOn === 0
          ? exchange(wire.setOutputState, { pin, state: 'low' })
          : exchange(wire.setOutputPwm, { pin, prescaler, timeOn, period })
      return refusedAs(driven, outputRefusals(pin))
    },
  },
})

function outputRefusals(pin: number) {
  return {
    [OutputStatus.powerConfigurationMissing]: () => ioErrors.powerConfigurationMissing({ pin }),
    [OutputStatus.externalVoltage]: () => ioErrors.externalVoltage({ pin }),
  }
}
