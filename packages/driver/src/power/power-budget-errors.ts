import { defineErrors } from '@slotwire/core'

/** What can go wrong between the driver and whoever holds the power budget. */
export const powerBudgetErrors = defineErrors({
  powerManagerSilent: {
    status: 500,
    message: 'whether the power suffices was not decided within {milliseconds} ms',
    retryable: true,
  },
  powerNotConfirmed: {
    status: 500,
    message: '{reason}; the module is suspended meanwhile, its outputs are off: configure it again',
    retryable: true,
  },
  powerFiguresNotRead: {
    status: 500,
    message:
      'what the modules need of the power cannot be read ({reason}), so nobody knows whether it suffices: try again; if it stays so, take that module out and plug it in anew, or see what the kernel says ("dmesg | grep -i sdbp")',
    retryable: true,
  },
  powerTurnLate: {
    status: 503,
    message: 'slot {slot} waited more than {milliseconds} ms for the power configuration of another module: try again later',
    retryable: true,
  },
})
