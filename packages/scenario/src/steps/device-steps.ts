import { shown } from '@slotwire/core'
import {
  AMBIENT_CELSIUS,
  COMPUTER_WATT,
  MAX_USB_CHARACTERS,
  RAIL_LOAD_MILLIAMPERE,
  RAIL_OFFSET_MILLIVOLT,
  RAILS,
} from '@slotwire/twin'
import { duration } from '../read/duration.ts'
import { didYouMean, type FieldType, needed, optional, textType } from '../read/field.ts'
import { choice, deviceWord, quantity, slotNumber, textUpTo, yesOrNo } from '../read/field-types.ts'
import { defineStep } from './step-kind.ts'

/** Name of a module type. */
export const moduleType: FieldType<string> = {
  wording: deviceWord.wording,
  read: (tree, reading, name) => {
    const type = deviceWord.read(tree, reading, name)
    const moduleTypes = Object.keys(reading.catalog)
    if (type === undefined || moduleTypes.includes(type)) return type
    return reading.fail(tree, `there is no module ${type}: one of ${moduleTypes.join(', ')}${didYouMean(type, moduleTypes)}`)
  },
}

export const plug = defineStep({
  name: 'plug',
  summary: 'Plugs a module into an empty slot.',
  fields: { slot: needed(slotNumber, 'the slot'), module: needed(moduleType, 'the type of the module: io') },
  run: ({ slot, module }, { world }) => world.bench.slot(slot).plug(module),
})

export const unplug = defineStep({
  name: 'unplug',
  summary: 'Unplugs the module of a slot.',
  fields: { slot: needed(slotNumber, 'the slot') },
  alone: 'slot',
  run: ({ slot }, { world }) => world.bench.slot(slot).unplug(),
})

export const ambient = defineStep({
  name: 'ambient',
  summary: 'Sets the ambient temperature.',
  fields: { celsius: needed(quantity(AMBIENT_CELSIUS), 'ambient temperature') },
  alone: 'celsius',
  run: ({ celsius }, { world }) => {
    world.bench.ambientCelsius = celsius
  },
})

export const computer = defineStep({
  name: 'computer',
  summary: "Sets the heat output of the device's computer.",
  fields: { watt: needed(quantity(COMPUTER_WATT), 'heat output') },
  alone: 'watt',
  run: ({ watt }, { world }) => {
    world.bench.computerWatt = watt
  },
})

export const rail = defineStep({
  name: 'rail',
  summary: 'Sets the extra load or the voltage offset of a supply rail.',
  fields: {
    rail: needed(choice(RAILS), 'the rail'),
    load: optional(quantity(RAIL_LOAD_MILLIAMPERE), 'extra load, in addition to the modules'),
    offset: optional(quantity(RAIL_OFFSET_MILLIVOLT), 'voltage offset caused by a fault'),
  },
  check: ({ load, offset }, reading, { value }) => {
    if (load === undefined && offset === undefined) reading.fail(value, 'rail needs load or offset: { rail: 12v, load: 500mA }')
  },
  run: ({ rail: name, load, offset }, { world }) => {
    const found = world.bench.rail(name)
    if (load !== undefined) found.loadMilliampere = load
    if (offset !== undefined) found.offsetMillivolt = offset
  },
})

/** A descriptor text of a USB device. */
const usbText = textUpTo(MAX_USB_CHARACTERS)

export const usbAttach = defineStep({
  name: 'usb_attach',
  summary: 'Attaches a USB device to the port of a slot.',
  fields: {
    slot: needed(slotNumber, 'the slot'),
    manufacturer: optional(usbText, 'text of the device; default Slotwire'),
    product: optional(usbText, 'text of the device; default Virtual USB device'),
    serial_code: optional(usbText, 'text of the device; default VUD-0001'),
  },
  alone: 'slot',
  run: ({ slot, manufacturer = 'Slotwire', product = 'Virtual USB device', serial_code: serialCode = 'VUD-0001' }, { world }) =>
    world.bench.usb.attach(slot, { manufacturer, product, serialCode }),
})

export const usbDetach = defineStep({
  name: 'usb_detach',
  summary: 'Detaches the USB device of a slot.',
  fields: { slot: needed(slotNumber, 'the slot') },
  alone: 'slot',
  run: ({ slot }, { world }) => world.bench.usb.detach(slot),
})

export const usbHost = defineStep({
  name: 'usb_host',
  summary: "Connects a USB host to the device's own port, or disconnects it. The device's bootloader waits for it.",
  fields: { connected: needed(yesOrNo, 'whether it is connected') },
  alone: 'connected',
  run: ({ connected }, { world }) => {
    world.bench.usb.hostConnected = connected
  },
})

const wholeDevice = textType('device', (text, _name, fail) =>
  text === 'device' ? text : fail(`restart is ${shown(text)}: write restart: device`),
)

export const restart = defineStep({
  name: 'restart',
  summary: 'Interrupts the supply of the whole device for a moment.',
  fields: { what: needed(wholeDevice, 'the device') },
  alone: 'what',
  run: (_values, { world }) => world.bench.restart(),
})

export const factoryReset = defineStep({
  name: 'factory_reset',
  summary: 'Sends the FACTORY_RESET command to a module; no REST resource does this.',
  fields: { slot: needed(slotNumber, 'the slot') },
  alone: 'slot',
  run: ({ slot }, run) => run.settled(run.world.bench.slot(slot).factoryReset(), `the factory reset of slot ${slot} to end`),
})

export const killService = defineStep({
  name: 'kill_service',
  summary: 'Kills the service like SIGKILL. With for, starts it again after that time, while the steps continue.',
  fields: { for: optional(duration, 'time until it starts again; default: until start_service') },
  run: async ({ for: away }, run) => {
    await run.settled(run.world.killService(), 'the service to end')
    if (away !== undefined) run.later(away, () => run.world.startService())
  },
})

export const startService = defineStep({
  name: 'start_service',
  summary: 'Starts a killed service again.',
  fields: {},
  run: (_values, run) => run.settled(run.world.startService(), 'the service to start'),
})
