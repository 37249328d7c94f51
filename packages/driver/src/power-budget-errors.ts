import { defineErrors } from '@slotwire/core'

/** What can go wrong between the driver and whoever holds the power budget. */
export const powerBudgetErrors = defineErrors({
  powerManagerSilent: {
    code: 'power-manager-silent',
    status: 500,
    message: 'the power manager did not answer within {milliseconds} ms',
    retryable: true,
  },
})
