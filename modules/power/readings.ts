import { RAILS } from '@slotwire/core'
import type { ModuleReadings } from '@slotwire/service'
import type { powerContract } from './contract.ts'

const MILLI = 1000

/** The readings of a power module for metrics. */
export const powerReadings = {
  getStats: [
    {
      name: 'rail_volts',
      help: 'Voltage of a rail of the power supply.',
      samples: (stats) => RAILS.map((rail) => ({ labels: { rail }, value: stats[`voltage_${rail}`] / MILLI })),
    },
    {
      name: 'rail_amperes',
      help: 'Current of a rail of the power supply.',
      samples: (stats) => RAILS.map((rail) => ({ labels: { rail }, value: stats[`current_${rail}`] / MILLI })),
    },
    {
      name: 'rail_limit_amperes',
      help: 'Current at which a rail of the power supply is switched off.',
      samples: (stats) => RAILS.map((rail) => ({ labels: { rail }, value: stats[`limit_${rail}`] / MILLI })),
    },
  ],
  getSource: [
    {
      name: 'rail_available_watts',
      help: 'What a rail of the power supply can give.',
      samples: (source) => RAILS.map((rail) => ({ labels: { rail }, value: source[`source_${rail}`] / MILLI })),
    },
    {
      name: 'available_watts',
      help: 'What all rails of the power supply can give together.',
      samples: ({ source_total: total }) => [{ value: total / MILLI }],
    },
  ],
  getTemperature: [
    {
      name: 'temperature_celsius',
      help: 'Temperature in the power supply: on_board is next to the AC/DC converter, pmc in the power management controller.',
      samples: ({ on_board_temp: onBoard, pmc_temp: pmc }) => [
        { labels: { sensor: 'on_board' }, value: onBoard },
        { labels: { sensor: 'pmc' }, value: pmc },
      ],
    },
  ],
  getFanRpm: [
    {
      name: 'fan_rpm',
      help: 'Speed of the fan in revolutions per minute; missing while it is not measured.',
      samples: ({ enabled, rpm }) => (enabled ? [{ value: rpm }] : []),
    },
  ],
  getProtectionLog: [
    {
      name: 'protection_trips_total',
      help: 'How often a protection of the power supply acted; the module keeps count across restarts, up to 65535 for each.',
      type: 'counter',
      samples: (log) => [
        ...RAILS.flatMap((rail) => [
          { labels: { cause: 'over_voltage', rail }, value: log[`ovp_cnt_${rail}`] },
          { labels: { cause: 'under_voltage', rail }, value: log[`uvp_cnt_${rail}`] },
          { labels: { cause: 'over_current', rail }, value: log[`ocp_cnt_${rail}`] },
        ]),
        { labels: { cause: 'controller_temperature', rail: 'all' }, value: log.pmc_temperature },
        { labels: { cause: 'total_overload', rail: 'all' }, value: log.total_power_overload },
      ],
    },
  ],
} satisfies ModuleReadings<(typeof powerContract)['endpoints']>
