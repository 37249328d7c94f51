import { coreErrors, dividerCelsius } from '@slotwire/core'
import { moduleService } from '@slotwire/service'
import { powerContract } from './contract.ts'
import { powerErrors } from './errors.ts'
import { powerJournal } from './journal.ts'
import { powerReadings } from './readings.ts'
import * as wire from './wire.ts'

/** The power service: contract ↔ wire; spec "Power service". */
export const powerService = moduleService(powerContract, {
  vendorProductId: wire.POWER_VENDOR_PRODUCT_ID,
  probe: wire.getSource,
  readings: powerReadings,
  journal: powerJournal,
  handlers: {
    getSource: (exchange) => exchange(wire.getSource, {}),

    getProtectionLog: async (exchange) => {
      const counts = await exchange(wire.getProtectionCounters, {})
      const counters = {
        ovp_cnt_3v3: counts.ovp3v3,
        uvp_cnt_3v3: counts.uvp3v3,
        ovp_cnt_5v0: counts.ovp5v0,
        uvp_cnt_5v0: counts.uvp5v0,
        ovp_cnt_12v: counts.ovp12v,
        uvp_cnt_12v: counts.uvp12v,
        ocp_cnt_3v3: counts.ocp3v3,
        ocp_cnt_5v0: counts.ocp5v0,
        ocp_cnt_12v: counts.ocp12v,
        pmc_temperature: counts.pmcTemperature,
        total_power_overload: counts.totalOverload,
      }
      // The module's own sum stops at 65535; behaviour.md "power".
      const sum = Object.values(counters).reduce((total, count) => total + count, 0)
      return { opp_protection_cnt: sum, ...counters }
    },

    getStats: (exchange) => exchange(wire.getStats, {}),

    setLimits: async (exchange, { body }) => {
      const taken = await exchange(wire.setCurrentLimits, body)
      const refused = Object.entries(taken).flatMap(([name, isTaken]) => (isTaken ? [] : [name]))
      if (refused.length > 0) throw powerErrors.limitsRefused({ limits: refused.join(', ') })
    },

    getTemperature: async (exchange, _request, { slot }) => {
      const { onBoardMillivolt, pmcRaw } = await exchange(wire.getTemperatureSensors, {})
      const onBoard = dividerCelsius(wire.THERMISTOR, onBoardMillivolt / 1000)
      if (onBoard === undefined) {
        throw coreErrors.moduleAnswerInvalid({ slot: slot.slot, command: wire.getTemperatureSensors.name })
      }
      return { on_board_temp: rounded(onBoard), pmc_temp: rounded(pmcRaw / wire.PMC_STEPS_PER_CELSIUS) }
    },

    getFan: async (exchange) => {
      const { forced, currentMode, settingMode } = await exchange(wire.getFanStatus, {})
      return { fan_forced: forced, fan_current_mode: currentMode, fan_setting_mode: settingMode }
    },

    setFan: async (exchange, { body: { fan_forced: forced, fan_mode } }) => {
      // The original service sets mode 0 if fan_mode is missing.
      const { result } = await exchange(wire.setFan, { forced, mode: fan_mode ?? 0 })
      const reason = result === wire.FanControlResult.invalidMode ? 'invalid mode' : 'force failed'
      if (result !== wire.FanControlResult.ok) throw powerErrors.fanRefused({ reason })
    },

    getFanRpm: (exchange) => exchange(wire.getFanRpm, {}),

    setFanRpm: async (exchange, { body: { measurement_enabled: enabled } }) => {
      const { ok } = await exchange(wire.setFanRpm, { enabled })
      if (!ok) throw powerErrors.fanMeasurementRefused()
    },
  },
})

/** To 0.001 °C. */
function rounded(celsius: number): number {
  return Math.round(celsius * 1000) / 1000
}
