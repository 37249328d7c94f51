import { defineErrors } from '@slotwire/core'

/** What a thermometer can refuse. */
export const thermometerErrors = defineErrors({
  limitTooLow: {
    code: 'limit-too-low',
    status: 400,
    message: 'channel {channel} is warmer than {celsius} °C already: choose a higher limit',
    retryable: true,
  },
})
