import { moduleService, refusedAs } from '@slotwire/service'
import { thermometerContract } from './contract.ts'
import { thermometerErrors } from './errors.ts'
import { thermometerReadings } from './readings.ts'
import {
  getLimit,
  getTemperatures,
  STEPS_PER_CELSIUS,
  setLimit,
  THERMOMETER_VENDOR_PRODUCT_ID,
  ThermometerStatus,
  thermometerNotification,
} from './wire.ts'

const success = { status: 'success' } as const

/** Thermometer service: maps endpoints to commands. */
export const thermometerService = moduleService(thermometerContract, {
  vendorProductId: THERMOMETER_VENDOR_PRODUCT_ID,
  readings: thermometerReadings,
  handlers: {
    getNotification: { kind: 'alerts', masks: thermometerNotification, warns: ['highTemperatureAlert'] },
    getTemperatures: {
      kind: 'bus',
      run: async (exchange) => {
        const { temperatures } = await exchange(getTemperatures, {})
        return { celsius: temperatures.map((steps) => steps / STEPS_PER_CELSIUS) }
      },
    },
    getLimit: {
      kind: 'bus',
      run: async (exchange, { parameters: { channel } }) => {
        const { limit } = await exchange(getLimit, { channel })
        return { celsius: limit / STEPS_PER_CELSIUS }
      },
    },
    setLimit: {
      kind: 'bus',
      run: async (exchange, { body: { celsius }, parameters: { channel } }) => {
        const limit = Math.round(celsius * STEPS_PER_CELSIUS)
        await refusedAs(exchange(setLimit, { channel, limit }), {
          [ThermometerStatus.tooWarm]: () => thermometerErrors.limitTooLow({ channel, celsius }),
        })
        return success
      },
    },
  },
})
