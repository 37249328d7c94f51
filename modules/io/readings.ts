import { type NamedPin, quantityOf, type ReplyOf } from '@slotwire/contract'
import type { ModuleReadings, ReadingSample } from '@slotwire/service'
import type { ioContract } from './contract.ts'

type InputValues = ReplyOf<(typeof ioContract)['endpoints']['getInputValues']>
type InputCurrents = ReplyOf<(typeof ioContract)['endpoints']['getInputCurrents']>
type PinType = InputValues['pins'][number]['pin_type']

const MILLI = 1000

/** Selects the pins whose mode gives this kind of value, in units of `perUnit`. */
function pinsOf(type: PinType, perUnit = 1): (values: InputValues) => readonly ReadingSample[] {
  return ({ pins }) =>
    pins.filter((pin) => pin.pin_type === type).map(({ pin, value }) => ({ labels: { pin }, value: value / perUnit }))
}

/** What the scales of named pins make of their readings. */
const quantities = {
  name: 'pin_quantity',
  help: 'Quantity that the scale of a pin gives, in the unit of slotwire_io_pin_info.',
  samples: ({ pins }: { readonly pins: InputValues['pins'] | InputCurrents['pins'] }, named: readonly NamedPin[]) =>
    named.flatMap((each) => {
      const quantity = quantityOf(
        pins.find(({ pin }) => pin === each.pin),
        each,
      )
      return quantity === undefined ? [] : [{ labels: { pin: each.pin }, value: quantity.value }]
    }),
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
    quantities,
  ],
  getInputCurrents: [
    {
      name: 'pin_amperes',
      help: 'Current of a pin, with the loss of its switching transistor.',
      samples: ({ pins }) => pins.map(({ pin, value }) => ({ labels: { pin }, value: value / MILLI })),
    },
    quantities,
  ],
} satisfies ModuleReadings<(typeof ioContract)['endpoints']>
