import { defineErrors } from '@slotwire/core'

/** Errors between the driver and the holder of the power budget. */
export const powerBudgetErrors = defineErrors({
  powerManagerSilent: {
    status: 500,
    message: 'the power manager did not decide within {milliseconds} ms',
    retryable: true,
  },
  powerNotConfirmed: {
    status: 500,
    message: '{reason}; the module has been suspended and its outputs are off: configure it again',
    example: { reason: 'the power manager did not record that its grant is used' },
    retryable: true,
  },
  powerFiguresNotRead: {
    status: 500,
    message:
      'the power needs of the modules cannot be read ({reason}), so the power budget is unknown: try again; if it fails again, unplug that module and plug it in again, or check the kernel log ("dmesg | grep -i sdbp")',
    retryable: true,
  },
  powerTurnLate: {
    status: 503,
    message: 'slot {slot} waited more than {milliseconds} ms for the power configuration of another module: try again later',
    retryable: true,
  },
})
