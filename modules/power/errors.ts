import { defineErrors } from '@slotwire/core'

/** What a power module can refuse: its replies carry results instead of a status; wire-protocol.md section 2, "power module". */
export const powerErrors = defineErrors({
  limitsRefused: {
    status: 400,
    message: 'the module did not take {limits}: GET stats shows the limits in force',
    retryable: true,
  },
  powerModuleNotUsable: {
    status: 500,
    message:
      'the power module does not answer, so nobody knows whether the power suffices: try again when GET /api/power/ lists it',
    retryable: true,
  },
  powerModuleElsewhere: {
    status: 500,
    message:
      'this service does not drive the power module, so it does not know whether the power suffices: start slotwire power-manager, or serve power here as well',
    retryable: true,
  },
  fanRefused: {
    status: 400,
    message: 'the module did not take the fan setting ({reason}): GET fan shows the one in force',
    retryable: true,
  },
  fanMeasurementRefused: {
    status: 400,
    message: 'the module did not switch the fan speed measurement: GET fan/rpm shows its state',
    retryable: true,
  },
})
