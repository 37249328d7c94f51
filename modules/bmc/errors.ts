import { defineErrors } from '@slotwire/core'

/** Errors of a bmc module; behaviour.md "Status codes" and "bmc". */
export const bmcErrors = defineErrors({
  watchdogOff: { status: 400, message: 'the watchdog is off: send POST watchdog with a timeout first' },
  usbPortNotAvailable: { status: 400, message: 'the USB port of slot {slot} is not available: GET usbhub shows which ports are' },
  usbHubNotAvailable: { status: 400, message: 'the USB hub is not available: GET usbhub shows its state' },
  emergencyMode: {
    status: 400,
    message:
      'nothing can be saved in emergency mode: the storage is corrupt and needs a factory reset, GET watchdog shows when it is over',
  },
  savingFailed: {
    status: 500,
    message: 'the module could not save: its storage is full or broken; the active settings were not changed',
    retryable: true,
  },
  usbDevicesNotRead: { status: 500, message: 'the USB devices could not be read within {milliseconds} ms', retryable: true },
})
