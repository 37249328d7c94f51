import {
  AMBIENT_CELSIUS,
  COMPUTER_WATT,
  MOST_USB_CHARACTERS,
  RAIL_LOAD_MILLIAMPERE,
  RAIL_OFFSET_MILLIVOLT,
  RAILS,
} from '@slotwire/twin'
import { duration } from '../read/duration.ts'
import type { FieldType } from '../read/field.ts'
import { didYouMean, needed, optional } from '../read/field.ts'
import { choice, deviceWord, quantity, slotNumber, textUpTo, yesOrNo } from '../read/field-types.ts'
import { defineStep } from './step-kind.ts'

/** The name of a module type. */
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
  summary: 'Pulls the module out of a slot.',
  fields: { slot: needed(slotNumber, 'the slot') },
  alone: 'slot',
  run: ({ slot }, { world }) => world.bench.slot(slot).unplug(),
})

export const ambient = defineStep({
  name: 'ambient',
  summary: 'Sets the temperature around the device.',
  fields: { celsius: needed(quantity(AMBIENT_CELSIUS), 'the temperature') },
  alone: 'celsius',
  run: ({ celsius }, { world }) => {
    world.bench.ambientCelsius = celsius
  },
})

export const computer = defineStep({
  name: 'computer',
  summary: "Sets the heat that the device's computer gives off.",
  fields: { watt: needed(quantity(COMPUTER_WATT), 'the heat') },
  alone: 'watt',
  run: ({ watt }, { world }) => {
    world.bench.computerWatt = watt
  },
})

export const rail = defineStep({
  name: 'rail',
  summary: 'Loads a supply rail beside the modules, or moves its voltage.',
  fields: {
    rail: needed(choice(RAILS), 'the rail'),
    load: optional(quantity(RAIL_LOAD_MILLIAMPERE), 'what is drawn beside the modules'),
    offset: optional(quantity(RAIL_OFFSET_MILLIVOLT), 'how far a fault moves its voltage'),
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

/** What a USB device says of itself. */
const usbText = textUpTo(MOST_USB_CHARACTERS)

export const usbAttach = defineStep({
  name: 'usb_attach',
  summary: 'Attaches a USB device to the port of a slot.',
  fields: {
    slot: needed(slotNumber, 'the slot'),
    manufacturer: optional(usbText, 'as the device names it; Slotwire unless told otherwise'),
    product: optional(usbText, 'as the device names it; Virtual USB device unless told otherwise'),
    serial_code: optional(usbText, 'as the device names it; VUD-0001 unless told otherwise'),
  },
  alone: 'slot',
  run: ({ slot, manufacturer = 'Slotwire', product = 'Virtual USB device', serial_code: serialCode = 'VUD-0001' }, { world }) =>
    world.bench.usb.attach(slot, { manufacturer, product, serialCode }),
})

export const usbDetach = defineStep({
  name: 'usb_detach',
  summary: 'Takes the USB device away from the port of a slot.',
  fields: { slot: needed(slotNumber, 'the slot') },
  alone: 'slot',
  run: ({ slot }, { world }) => world.bench.usb.detach(slot),
})

export const usbHost = defineStep({
  name: 'usb_host',
  summary: "Connects a USB host to the device's own port, or takes it away: what its bootloader waits for.",
  fields: { connected: needed(yesOrNo, 'whether it is there') },
  alone: 'connected',
  run: ({ connected }, { world }) => {
    world.bench.usb.hostConnected = connected
  },
})

export const restart = defineStep({
  name: 'restart',
  summary: 'Takes the supply of the whole device away for a moment.',
  fields: { what: needed(choice(['device']), 'the device') },
  alone: 'what',
  run: (_values, { world }) => world.bench.restart(),
})

export const factoryReset = defineStep({
  name: 'factory_reset',
  summary: 'Gives a module the FACTORY_RESET command, which no REST resource reaches.',
  fields: { slot: needed(slotNumber, 'the slot') },
  alone: 'slot',
  run: ({ slot }, run) => run.settled(run.world.bench.slot(slot).factoryReset(), `the factory reset of slot ${slot} to end`),
})

export const killService = defineStep({
  name: 'kill_service',
  summary: 'Ends the service as SIGKILL would; with for, starts it again after so long, while the steps go on.',
  fields: { for: optional(duration, 'how long it is away; until start_service unless told otherwise') },
  run: async ({ for: away }, run) => {
    await run.settled(run.world.killService(), 'the service to end')
    if (away !== undefined) run.later(away, () => run.world.startService())
  },
})

export const startService = defineStep({
  name: 'start_service',
  summary: 'Starts a killed service anew.',
  fields: {},
  run: (_values, run) => run.settled(run.world.startService(), 'the service to start'),
})
