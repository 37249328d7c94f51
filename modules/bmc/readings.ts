import type { ModuleReadings } from '@slotwire/service'
import type { bmcContract } from './contract.ts'

const MILLI = 1000

/** The readings of a mainboard controller for metrics. */
export const bmcReadings = {
  getVoltage: [
    {
      name: 'volts',
      help: 'Voltage on the mainboard: of the 1.8 V rail (1v8), and of the battery of the clock (rtc).',
      samples: ({ voltage_1v8: rail, voltage_rtc: battery }) => [
        { labels: { source: '1v8' }, value: rail / MILLI },
        { labels: { source: 'rtc' }, value: battery / MILLI },
      ],
    },
  ],
  getTemperature: [
    {
      name: 'temperature_celsius',
      help: 'Temperature on the mainboard: ntc_0 is near the SoC, ntc_1 shows the ambient.',
      samples: ({ ntc_0: soc, ntc_1: ambient }) => [
        { labels: { sensor: 'ntc_0' }, value: soc },
        { labels: { sensor: 'ntc_1' }, value: ambient },
      ],
    },
  ],
  getWatchdog: [
    {
      name: 'watchdog_timeout_seconds',
      help: 'Timeout of the watchdog; 0 while it is off.',
      samples: ({ timeout }) => [{ value: timeout / MILLI }],
    },
    {
      name: 'watchdog_left_seconds',
      help: 'Time until the watchdog resets the device, when it was read; 0 while it is off.',
      samples: ({ timeout_left: left }) => [{ value: left / MILLI }],
    },
    {
      name: 'emergency_mode',
      help: '1 while the storage of the mainboard controller is corrupt and nothing can be saved.',
      samples: ({ emergency_mode: emergency }) => [{ value: emergency ? 1 : 0 }],
    },
  ],
} satisfies ModuleReadings<(typeof bmcContract)['endpoints']>
