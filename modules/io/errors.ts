import { defineErrors } from '@slotwire/core'

/** Errors of an io module; behaviour.md "Status codes" and "io". */
export const ioErrors = defineErrors({
  pinNotAnalog: { status: 400, message: 'pin {pin} is not an analog input: send POST input/mode with mode analog first' },
  pinNotDigital: { status: 400, message: 'pin {pin} is not a digital input: send POST input/mode with mode digital first' },
  powerConfigurationMissing: {
    status: 400,
    message: 'pin {pin} has no power configuration, or one of 0 mA: send POST power-management first',
  },
  externalVoltage: {
    status: 400,
    message: 'pin {pin} carries a voltage from outside: disconnect it before the pin is driven',
    retryable: true,
  },
})
