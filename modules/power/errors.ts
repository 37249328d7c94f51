import { defineErrors } from '@slotwire/core'

/** Errors of a power module, whose replies carry results instead of a status; wire-protocol.md section 2, "power module". */
export const powerErrors = defineErrors({
  limitsRefused: {
    status: 400,
    message: 'the module did not accept {limits}: GET stats shows the limits in force',
    example: { limits: 'limit_3v3, limit_5v0' },
    retryable: true,
  },
  powerModuleNotUsable: {
    status: 500,
    message: 'the power module does not answer, so the power budget is unknown: try again when GET /api/power/ lists it',
    retryable: true,
  },
  powerModuleElsewhere: {
    status: 500,
    message:
      'this service does not drive the power module, so the power budget is unknown: start slotwire power-manager, or serve power here as well',
    retryable: true,
  },
  fanRefused: {
    status: 400,
    message: 'the module did not accept the fan setting ({reason}): GET fan shows the one in force',
    example: { reason: 'invalid mode' },
    retryable: true,
  },
  fanMeasurementRefused: {
    status: 400,
    message: 'the module did not switch the fan speed measurement: GET fan/rpm shows its state',
    retryable: true,
  },
})
