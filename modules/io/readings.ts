import type { ReplyOf } from '@slotwire/contract'
import type { ModuleReadings, ReadingSample } from '@slotwire/service'
import type { ioContract } from './contract.ts'

type InputValues = ReplyOf<(typeof ioContract)['endpoints']['getInputValues']>
type PinType = InputValues['pins'][number]['pin_type']

const MILLI = 1000

/** Selects the pins whose mode gives this kind of value, in units of `perUnit`. */
function pinsOf(type: PinType, perUnit = 1): (values: InputValues) => readonly ReadingSample[] {
  return ({ pins }) =>
    pins.filter((pin) => pin.pin_type === type).map(({ pin, value }) => ({ labels: { pin }, value: value / perUnit }))
}

/** The readings of an io module for metrics. */
export const ioReadings = {
  getInputValues: [
    {
      name: 'pin_volts',
      help: 'Voltage of a pin that is an analog input or an output.',
      samples: pinsOf('voltage_millivolt', MILLI),
    },
    {
      name: 'pin_level',
      help: 'Level of a pin that is a digital input: 0 is low, 1 is high.',
      samples: pinsOf('digital_input'),
    },
    {
      name: 'pin_hertz',
      help: 'Frequency at a pin that is a digital input with its counter enabled.',
      samples: pinsOf('frequency_hertz'),
    },
  ],
  getInputCurrents: [
    {
      name: 'pin_amperes',
      help: 'Current of a pin, with the loss of its switching transistor.',
      samples: ({ pins }) => pins.map(({ pin, value }) => ({ labels: { pin }, value: value / MILLI })),
    },
  ],
} satisfies ModuleReadings<(typeof ioContract)['endpoints']>
