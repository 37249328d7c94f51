import { defineErrors } from '@slotwire/core'

/** What an io module can refuse; behaviour.md "Status codes" and "io". */
export const ioErrors = defineErrors({
  pinNotAnalog: {
    code: 'pin-not-analog',
    status: 400,
    message: 'pin {pin} is not an analog input: send POST input/mode with mode analog first',
    retryable: false,
  },
  pinNotDigital: {
    code: 'pin-not-digital',
    status: 400,
    message: 'pin {pin} is not a digital input: send POST input/mode with mode digital first',
    retryable: false,
  },
  powerConfigurationMissing: {
    code: 'power-configuration-missing',
    status: 400,
    message: 'pin {pin} has no power configuration, or one of 0 mA: send POST power-management first',
    retryable: false,
  },
  externalVoltage: {
    code: 'external-voltage',
    status: 400,
    message: 'pin {pin} carries a voltage from outside: disconnect it before the pin is driven',
    retryable: true,
  },
})
