import {
  boolean,
  type Contract,
  decimal,
  integer,
  integerChoice,
  named,
  objectOf,
  reads,
  unsigned,
  when,
  writes,
} from '@slotwire/contract'
import { perRail } from '@slotwire/core'
import { powerErrors } from './errors.ts'
import { FAN_MODES, powerLimits } from './limits.ts'

const milliampere = unsigned({ unit: 'mA' })
const efficiency = integer({ min: 0, max: 100, unit: '%', description: 'consumption includes what is dissipated' })
const fanMode = integerChoice(FAN_MODES, { unit: '%' })

const count = unsigned()
const overVoltage = unsigned({ description: 'over voltage protection' })
const underVoltage = unsigned({ description: 'under voltage protection' })

/** The power service; spec "Power service". */
export const powerContract = {
  service: 'power',
  serviceName: 'power-module',
  port: 8001,
  title: 'Power module',
  description: 'Power supply: rails, limits, protection, temperatures and fan.',
  defaultSlots: [1],
  endpoints: {
    getSource: {
      ...reads,
      path: '/source',
      reply: named(
        'PowerSource',
        objectOf({
          ...perRail('source_', () => unsigned({ unit: 'mW' })),
          source_total: unsigned({ unit: 'mW', description: 'all rails together' }),
          ...perRail('efficiency_factor_', () => efficiency),
        }),
      ),
      summary: 'Reads how much each rail can give',
      spec: 'Power service; Power module resources, Source',
    },
    getProtectionLog: {
      ...reads,
      path: '/protectionlog',
      reply: named(
        'ProtectionLog',
        objectOf({
          opp_protection_cnt: { ...count, description: 'sum of all counters' },
          ovp_cnt_3v3: overVoltage,
          uvp_cnt_3v3: underVoltage,
          ovp_cnt_5v0: overVoltage,
          uvp_cnt_5v0: underVoltage,
          ovp_cnt_12v: overVoltage,
          uvp_cnt_12v: underVoltage,
          ...perRail('ocp_cnt_', () => unsigned({ description: 'over current protection' })),
          pmc_temperature: { ...count, description: 'the power management controller exceeded 125 °C' },
          total_power_overload: { ...count, description: 'the total power limit was exceeded' },
        }),
      ),
      summary: 'Reads the protection counters',
      description: 'They survive resets and restarts; the factory reset command clears them.',
      spec: 'Power service; Power module resources, Protection log',
    },
    getStats: {
      ...reads,
      path: '/stats',
      reply: named(
        'PowerStats',
        objectOf({
          ...perRail('voltage_', () => unsigned({ unit: 'mV' })),
          ...perRail('current_', () => milliampere),
          ...perRail('limit_', () => milliampere),
        }),
      ),
      summary: 'Reads voltage, current and current limit of each rail',
      spec: 'Power service; Power module resources, Stats',
    },
    setLimits: {
      ...writes,
      path: '/limits',
      reach: 'device',
      body: objectOf(perRail('limit_', (rail) => integer(powerLimits[`limit_${rail}`]))),
      summary: 'Sets the current limit of each rail',
      description: 'A rail that exceeds its limit is switched off, which can restart the whole device.',
      danger: 'A limit below what a rail supplies now switches the rail off: modules, or the whole device, lose power.',
      errors: [powerErrors.limitsRefused],
      spec: 'Power service, rule 1',
      example: { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 },
    },
    getTemperature: {
      ...reads,
      path: '/temperature',
      reply: named(
        'PowerTemperature',
        objectOf({
          on_board_temp: decimal({ unit: '°C', description: 'next to the AC/DC converter' }),
          pmc_temp: decimal({ unit: '°C', description: 'inside the power management controller' }),
        }),
      ),
      summary: 'Reads the temperatures',
      spec: 'Power service; Power module resources, Temperature',
    },
    getFan: {
      ...reads,
      path: '/fan',
      reply: named(
        'Fan',
        objectOf({
          fan_forced: boolean({ description: 'whether fan_setting_mode applies; otherwise the firmware controls the fan' }),
          fan_current_mode: fanMode,
          fan_setting_mode: { ...fanMode, description: 'the mode last set, active or not' },
        }),
      ),
      summary: 'Reads the mode of the fan',
      spec: 'Power service, rule 2; Fan',
    },
    setFan: {
      ...writes,
      path: '/fan',
      body: objectOf(
        {
          fan_forced: boolean({ description: 'false: the firmware controls the fan' }),
          fan_mode: { ...fanMode, description: '0 if left out, as it may be when fan_forced is false' },
        },
        { optional: ['fan_mode'], rules: { allOf: [when('fan_forced', true, { required: ['fan_mode'] })] } },
      ),
      summary: 'Forces a mode of the fan, or returns control to the firmware',
      description: 'It may take 10 s until the mode is applied: then fan_current_mode equals fan_setting_mode.',
      errors: [powerErrors.fanRefused],
      spec: 'Power service, rule 2; Fan',
      example: { fan_forced: true, fan_mode: 60 },
    },
    getFanRpm: {
      ...reads,
      path: '/fan/rpm',
      reply: named(
        'FanSpeed',
        objectOf({
          enabled: boolean({ description: 'whether the speed is measured' }),
          rpm: unsigned({ description: 'revolutions per minute, 0 while it is not measured; typically up to 5000 ± 15 %' }),
        }),
      ),
      summary: 'Reads the speed of the fan',
      spec: 'Power service, rule 3; Fan',
    },
    setFanRpm: {
      ...writes,
      path: '/fan/rpm',
      body: objectOf({ measurement_enabled: boolean() }),
      summary: 'Switches the measurement of the fan speed',
      errors: [powerErrors.fanMeasurementRefused],
      spec: 'Power service; Fan',
      example: { measurement_enabled: true },
    },
  },
} as const satisfies Contract
