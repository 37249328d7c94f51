import { defineErrors } from '@slotwire/core'

/** What can go wrong between the driver and whoever holds the power budget. */
export const powerBudgetErrors = defineErrors({
  powerManagerSilent: {
    code: 'power-manager-silent',
    status: 500,
    message: 'the power manager did not answer within {milliseconds} ms',
    retryable: true,
  },
  powerTurnLate: {
    code: 'power-turn-late',
    status: 503,
    message: 'slot {slot} waited more than {milliseconds} ms for the power configuration of another module: try again later',
    retryable: true,
  },
})
