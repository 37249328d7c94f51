import { moduleService, refusedAs } from '@slotwire/service'
import { thermometerContract } from './contract.ts'
import { thermometerErrors } from './errors.ts'
import { thermometerReadings } from './readings.ts'
import * as wire from './wire.ts'

/** Thermometer service: maps endpoints to commands. */
export const thermometerService = moduleService(thermometerContract, {
  vendorProductId: wire.THERMOMETER_VENDOR_PRODUCT_ID,
  readings: thermometerReadings,
  handlers: {
    getNotification: { kind: 'alerts', masks: wire.thermometerNotification, warns: ['highTemperatureAlert'] },
    getTemperatures: async (exchange) => {
      const { temperatures } = await exchange(wire.getTemperatures, {})
      return { celsius: temperatures.map((steps) => steps / wire.STEPS_PER_CELSIUS) }
    },
    getLimit: async (exchange, { parameters: { channel } }) => {
      const { limit } = await exchange(wire.getLimit, { channel })
      return { celsius: limit / wire.STEPS_PER_CELSIUS }
    },
    setLimit: (exchange, { body: { celsius }, parameters: { channel } }) => {
      const limit = Math.round(celsius * wire.STEPS_PER_CELSIUS)
      return refusedAs(exchange(wire.setLimit, { channel, limit }), {
        [wire.ThermometerStatus.tooWarm]: () => thermometerErrors.limitTooLow({ channel, celsius }),
      })
    },
  },
})
