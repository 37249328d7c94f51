import {
  type BenchPin,
  type Connection,
  checkEnds,
  type Element,
  inSnakeNames,
  type PinEnds,
  PRESS_DURATION_MS,
} from '@slotwire/twin'
import { durationWithin } from '../read/duration.ts'
import { type FieldType, needed, optional } from '../read/field.ts'
import { deviceWord, givenName, type PinPlace, pinPlace, slotNumber } from '../read/field-types.ts'
import { elementType } from '../read/kind-types.ts'
import type { Run } from '../run/run.ts'
import { StepFailure } from '../run/step-failure.ts'
import { defineStep } from './step-kind.ts'

/** Default duration of a button press. */
const PRESS_MS = 100

/** Two pins as a list. */
const twoPins: FieldType<readonly [PinPlace, PinPlace]> = {
  wording: 'two pins, as in [3/1, 3/2]',
  read: (tree, reading, name) => {
    if (tree.kind !== 'list' || tree.items.length !== 2) return reading.fail(tree, `${name} needs two pins: write [3/1, 3/2]`)
    const [from, to] = tree.items.map((item) => pinPlace.read(item, reading, name))
    if (from === undefined || to === undefined) return undefined
    if (from.name === to.name) return reading.fail(tree, `${name}: pin ${from.name} cannot be wired to itself: name two pins`)
    return [from, to]
  },
}

export const connect = defineStep({
  name: 'connect',
  summary: 'Connects an element between a pin and ground, or between two pins.',
  fields: {
    pin: needed(pinPlace, 'the pin'),
    to: needed(elementType, 'element with its settings'),
    other: optional(pinPlace, 'pin at the other end, in place of ground or volts; of an encoder, the pin of its second output'),
    contact: optional(twoPins, 'the two pins that the contact of a relay connects'),
    as: optional(givenName, 'name for set, press and disconnect'),
  },
  pins: ({ pin, other, contact = [] }) => [pin, other, ...contact],
  check: ({ pin, to, other, contact, as }, reading, entry) => {
    if (other?.name === pin.name) reading.fail(entry.value, `connect: pin ${pin.name} is both ends: name another pin`)
    const mistake = mistakeOfEnds(to, { other: other?.name, contact: contact && [contact[0].name, contact[1].name] })
    if (mistake !== undefined) reading.fail(entry.value, `connect: ${mistake}`)
    reading.defineName(entry, as, { what: 'connection', kind: to.kind })
  },
  run: ({ pin, to, other, contact, as }, run) => {
    const at = (place: PinPlace): BenchPin => run.world.bench.pin(place.slot, place.pin)
    const ends: PinEnds = {
      ...(other === undefined ? {} : { other: at(other) }),
      ...(contact === undefined ? {} : { contact: [at(contact[0]), at(contact[1])] }),
    }
    run.keep(as, at(pin).connect(to, ends))
  },
})

/** Why an element cannot have these ends; undefined if it can. */
function mistakeOfEnds(element: Element, ends: Parameters<typeof checkEnds>[2]): string | undefined {
  try {
    checkEnds(element, 0, ends)
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return inSnakeNames(error.message)
    throw error
  }
}

export const wire = defineStep({
  name: 'wire',
  summary: 'Wires two pins, of any modules, to one node.',
  fields: {
    pins: needed(twoPins, 'the two pins'),
    as: optional(givenName, 'name for disconnect'),
  },
  alone: 'pins',
  pins: ({ pins }) => pins,
  check: ({ as }, reading, entry) => reading.defineName(entry, as, { what: 'connection', kind: 'wire' }),
  run: ({ pins: [from, to], as }, run) => {
    const { bench } = run.world
    run.keep(as, bench.pin(from.slot, from.pin).wireTo(bench.pin(to.slot, to.pin)))
  },
})

export const short = defineStep({
  name: 'short',
  summary: 'Shorts a pin to ground.',
  fields: {
    pin: needed(pinPlace, 'the pin'),
    as: optional(givenName, 'name for disconnect, which then removes only the short'),
  },
  alone: 'pin',
  pins: ({ pin }) => [pin],
  check: ({ as }, reading, entry) => reading.defineName(entry, as, { what: 'connection', kind: 'short' }),
  run: ({ pin, as }, run) => {
    run.keep(as, run.world.bench.pin(pin.slot, pin.pin).short())
  },
})

/** A pin, or the name of a connection. */
export const pinOrName: FieldType<PinPlace | { readonly connection: string; readonly kind: string }> = {
  wording: 'a pin as slot/pin, or the name of a connection',
  read: (tree, reading, name) => {
    if (tree.kind !== 'text' || /^\d/.test(tree.text)) return pinPlace.read(tree, reading, name)
    const named = reading.names.get(tree.text)
    if (named?.what === 'connection') return { connection: tree.text, kind: named.kind }
    const names = [...reading.names].filter(([, { what }]) => what === 'connection').map(([each]) => each)
    const known =
      names.length === 0
        ? 'no step above names one: write connect: { …, as: ' + tree.text + ' }'
        : `known names are ${names.join(', ')}`
    return reading.fail(tree, `${name}: no connection is named ${tree.text}: ${known}`)
  },
}

export const disconnect = defineStep({
  name: 'disconnect',
  summary: 'Removes all connections of a pin, wires included, or the connection with a name.',
  fields: { from: needed(pinOrName, 'the pin, or the name of a connection') },
  alone: 'from',
  pins: ({ from }) => ('connection' in from ? [] : [from]),
  run: ({ from }, run) => {
    if ('connection' in from) {
      connectionOf(from.connection, run).disconnect()
      run.connections.delete(from.connection)
      return
    }
    const count = run.world.bench.pin(from.slot, from.pin).disconnect()
    if (count === 0) throw new StepFailure(`a connection on pin ${from.name}`, 'none')
  },
})

export const press = defineStep({
  name: 'press',
  summary: 'Presses a button that is connected to a pin, or a button of a module.',
  fields: {
    pin: optional(pinOrName, 'pin of the button, or name of its connection'),
    for: optional(durationWithin(PRESS_DURATION_MS), 'how long the button is held down; default 100 ms'),
    slot: optional(slotNumber, 'the slot of the module'),
    action: optional(deviceWord, 'button of the module: shutdown_switch'),
  },
  alone: 'pin',
  pins: ({ pin }) => [pin === undefined || 'connection' in pin ? undefined : pin],
  check: ({ pin, slot, action, for: held }, reading, { value }) => {
    const isButton = pin !== undefined && slot === undefined && action === undefined
    const isAction = pin === undefined && slot !== undefined && action !== undefined && held === undefined
    if (!isButton && !isAction)
      reading.fail(
        value,
        'press needs a button, { pin: 5/6, for: 100ms }, or something at a module, { slot: 0, action: shutdown_switch }',
      )
  },
  run: ({ pin, for: held, slot, action }, run) => {
    if (slot !== undefined && action !== undefined) return run.world.bench.slot(slot).press(action)
    if (pin !== undefined) connectionAt(pin, 'button', run).set({ pressForMs: held ?? PRESS_MS })
  },
})

/** The connection with a name. */
function connectionOf(name: string, run: Run): Connection {
  const connection = run.connections.get(name)
  if (connection === undefined) throw new StepFailure(`${name} to be connected`, 'it is not connected')
  return connection
}

/** The only element on a pin, or the one with a name; of a kind, if `kind` is given. */
export function connectionAt(place: PinPlace | { readonly connection: string }, kind: string | undefined, run: Run): Connection {
  if ('connection' in place) return connectionOf(place.connection, run)
  const all = run.world.bench.pin(place.slot, place.pin).connections.filter((each) => each.kind !== 'wire')
  const [found, second] = all.filter((each) => kind === undefined || each.kind === kind)
  const what = kind ?? 'element'
  const there = all.map(({ description }) => description).join(', ') || 'nothing'
  if (found === undefined) throw new StepFailure(`${kind === undefined ? 'an' : 'a'} ${what} on pin ${place.name}`, there)
  if (second !== undefined) throw new StepFailure(`one ${what} on pin ${place.name}; give each a name with as`, there)
  return found
}
