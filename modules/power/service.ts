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
    getSource: async (exchange) => {
      const found = await exchange(wire.getSource, {})
      return {
        source_3v3: found.source3v3,
        source_5v0: found.source5v0,
        source_12v: found.source12v,
        source_total: found.sourceTotal,
        efficiency_factor_3v3: found.efficiency3v3,
        efficiency_factor_5v0: found.efficiency5v0,
        efficiency_factor_12v: found.efficiency12v,
      }
    },

    getProtectionLog: async (exchange) => {
      const found = await exchange(wire.getProtectionCounters, {})
      const counters = {
        ovp_cnt_3v3: found.ovp3v3,
        uvp_cnt_3v3: found.uvp3v3,
        ovp_cnt_5v0: found.ovp5v0,
        uvp_cnt_5v0: found.uvp5v0,
        ovp_cnt_12v: found.ovp12v,
        uvp_cnt_12v: found.uvp12v,
        ocp_cnt_3v3: found.ocp3v3,
        ocp_cnt_5v0: found.ocp5v0,
        ocp_cnt_12v: found.ocp12v,
        pmc_temperature: found.pmcTemperature,
        total_power_overload: found.totalOverload,
      }
      // The module's own sum stops at 65535; behaviour.md "power".
      const sum = Object.values(counters).reduce((total, count) => total + count, 0)
      return { opp_protection_cnt: sum, ...counters }
    },

    getStats: async (exchange) => {
      const found = await exchange(wire.getStats, {})
      return {
        voltage_3v3: found.voltage3v3,
        voltage_5v0: found.voltage5v0,
        voltage_12v: found.voltage12v,
        current_3v3: found.current3v3,
        current_5v0: found.current5v0,
        current_12v: found.current12v,
        limit_3v3: found.limit3v3,
        limit_5v0: found.limit5v0,
        limit_12v: found.limit12v,
      }
    },

    setLimits: async (exchange, { body }) => {
      const taken = await exchange(wire.setCurrentLimits, {
        limit3v3: body.limit_3v3,
        limit5v0: body.limit_5v0,
        limit12v: body.limit_12v,
      })
      const flags = { limit_3v3: taken.taken3v3, limit_5v0: taken.taken5v0, limit_12v: taken.taken12v }
      const refused = Object.entries(flags).flatMap(([name, isTaken]) => (isTaken ? [] : [name]))
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
