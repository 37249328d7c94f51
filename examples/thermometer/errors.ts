import { defineErrors } from '@slotwire/core'

/** Errors of a thermometer. */
export const thermometerErrors = defineErrors({
  limitTooLow: {
    status: 400,
    message: 'channel {channel} is warmer than {celsius} °C already: choose a higher limit',
    retryable: true,
  },
})
