import { defineErrors } from '@slotwire/core'

/** Errors of an io module; behaviour.md "Status codes" and "io". */
export const ioErrors = defineErrors({
  pinNotAnalog: { status: 400, message: 'pin {pin} is not an analog input: send POST input/mode with mode analog first' },
  pinNotDigital: { status: 400, message: 'pin {pin} is not a digital input: send POST input/mode with mode digital first' },
  powerConfigurationMissing: {
    status: 400,
    message: 'pin {pin} has no power: first send POST power-management with a current above 0 mA for this pin',
  },
  externalVoltage: {
    status: 400,
    message: 'pin {pin} carries a voltage from outside: disconnect it before the pin is driven',
    retryable: true,
  },
})
