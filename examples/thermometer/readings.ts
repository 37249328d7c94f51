import type { ModuleReadings } from '@slotwire/service'
import type { thermometerContract } from './contract.ts'

/** Metrics of a thermometer. */
export const thermometerReadings = {
  getTemperatures: [
    {
      name: 'temperature_celsius',
      help: 'Temperature of a channel.',
      samples: ({ celsius }) => celsius.map((value, index) => ({ labels: { channel: String(index + 1) }, value })),
    },
  ],
} satisfies ModuleReadings<(typeof thermometerContract)['endpoints']>
