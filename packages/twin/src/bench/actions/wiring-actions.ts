import { integer, type ObjectSchema, objectOf } from '@slotwire/contract'
import type { Connection } from '../../circuit/connection.ts'
import { PRESS_DURATION_MS } from '../../circuit/elements/button.ts'
import { elementKinds } from '../../circuit/elements/index.ts'
import { checkEnds } from '../../circuit/wiring.ts'
import type { ModuleTypes } from '../../module/firmware.ts'
import type { Bench } from '../bench.ts'
import type { BenchPin } from '../bench-pin.ts'
import { benchErrors } from '../errors.ts'
import { inCodeNames } from '../snake-names.ts'
import { asField, defineAction, orThrow } from './action.ts'
import { checkName, madeReply, nameField, nameIn, occupied, pinField, placeField, slotField, twoPins } from './fields.ts'
import { anySettings, kindFields, kindIn, withFields } from './settings-schema.ts'

const kinds = Object.values(elementKinds)
const { fields: elementFields, rules: oneKind } = kindFields(kinds)
const elementSchema = objectOf(elementFields, {
  optional: Object.keys(elementFields),
  rules: oneKind,
  description: 'element with its settings',
})
const elementOf = (to: object) => {
  const { kind, settings } = kindIn(kinds, to)
  return kind.from(settings)
}
/** Default duration of a button press. */
const PRESS_MS = 100

/** The pin `3/1`. */
export const pinAt = (bench: Bench, place: string): BenchPin => {
  const [slot = Number.NaN, pin = Number.NaN] = place.split('/').map(Number)
  return bench.pin(slot, pin)
}

/** The connection with a name. Throws `noSuchConnection`. */
const connectionOf = (bench: Bench, name: string): Connection =>
  orThrow(() => bench.connection(name), benchErrors.noSuchConnection({ name }))

/** The pin of a slot with a module. Throws `slotEmpty`: what is connected to no module has no effect. */
function usedPin(bench: Bench, place: string): BenchPin {
  const pin = pinAt(bench, place)
  occupied(bench, pin.slot)
  return pin
}

function distinct([from, to]: readonly string[], what: string): void {
  if (from === to) throw new RangeError(`${what} is pin ${from} twice: name two pins`)
}

const SET_EXAMPLE = '{ of: 3/1, volts: 12V }'

/** Elements and wires at the pins of modules. */
export const wiringActions = (types: ModuleTypes) => {
  const modules = Object.entries(types).map(([kind, { settings = {} }]) => ({ kind, fields: settings }))
  const place = {
    of: placeField(types, 'pin of the element, or name of its connection'),
    slot: { ...slotField, description: 'the slot of the module' },
  }
  const { fields, rules } = anySettings([...kinds, ...modules])
  const names = modules.flatMap((each) => Object.keys(each.fields))
  const buttons = Object.values(types).flatMap(({ actions = [] }) => actions)
  return {
    connect: defineAction({
      summary: 'Connects an element between a pin and ground, or between two pins',
      body: objectOf(
        {
          pin: pinField(types),
          to: elementSchema,
          other: pinField(
            types,
            'pin at the other end, in place of ground or volts; of an encoder, the pin of its second output',
          ),
          contact: twoPins(types, 'the two pins that the contact of a relay connects'),
          as: nameField('connection'),
        },
        { optional: ['other', 'contact', 'as'] },
      ),
      example: { pin: '3/1', to: { source: { volts: 24, ohms: 10_000 } } },
      reply: madeReply('connection'),
      errors: [benchErrors.slotEmpty],
      check: ({ pin, to, other, contact }) => {
        if (other === pin) throw new RangeError(`other is pin ${pin} itself: name another pin`)
        if (contact !== undefined) distinct(contact, 'contact')
        checkEnds(elementOf(to), 0, { other, contact: contact as [string, string] | undefined })
      },
      makes: ({ to }) => kindIn(kinds, to).kind.kind,
      run: (bench, { pin, to, other, contact, as }) => {
        const at = (name: string): BenchPin => usedPin(bench, name)
        const [from, onto] = contact ?? []
        const ends = {
          ...(other === undefined ? {} : { other: at(other) }),
          ...(from === undefined || onto === undefined ? {} : { contact: [at(from), at(onto)] as const }),
        }
        return { name: bench.name(at(pin).connect(elementOf(to), ends).id, as) }
      },
    }),
    wire: defineAction({
      summary: 'Wires two pins, of any modules, to one node',
      body: objectOf(
        { pins: twoPins(types, 'the two pins'), as: nameField('connection') },
        { optional: ['as'], rules: { 'x-alone': 'pins' } },
      ),
      example: { pins: ['3/1', '5/6'] },
      reply: madeReply('connection'),
      errors: [benchErrors.slotEmpty],
      check: ({ pins }) => distinct(pins, 'pins'),
      makes: () => 'wire',
      run: (bench, { pins: [from = '', to = ''], as }) => ({
        name: bench.name(usedPin(bench, from).wireTo(usedPin(bench, to)).id, as),
      }),
    }),
    short: defineAction({
      summary: 'Shorts a pin to ground',
      body: objectOf({ pin: pinField(types), as: nameField('connection') }, { optional: ['as'], rules: { 'x-alone': 'pin' } }),
      example: { pin: '3/2' },
      reply: madeReply('connection'),
      errors: [benchErrors.slotEmpty],
      makes: () => 'short',
      run: (bench, { pin, as }) => ({ name: bench.name(usedPin(bench, pin).short().id, as) }),
    }),
    disconnect: defineAction({
      summary: 'Removes all connections of a pin, wires included, or the connection with a name',
      body: objectOf({ of: placeField(types, 'the pin, or the name of a connection') }, { rules: { 'x-alone': 'of' } }),
      example: { of: '5/3' },
      reply: { disconnected: integer({ description: 'number of removed connections' }) },
      errors: [benchErrors.noSuchConnection],
      run: (bench, { of }) => {
        if (!of.includes('/')) {
          connectionOf(bench, of).disconnect()
          return { disconnected: 1 }
        }
        const disconnected = pinAt(bench, of).disconnect()
        if (disconnected === 0) throw new RangeError(`pin ${of} has no connection`)
        return { disconnected }
      },
    }),
    set: defineAction({
      summary: 'Changes settings of a connected element, or of the surroundings of a module, at once',
      description:
        'With of, takes the settings of its element; with slot, those of the module type. Omitted settings stay unchanged.',
      body: withFields(objectOf(place, { optional: ['of', 'slot'], rules: { 'x-alone': 'of' } }), fields, {
        ...rules,
        oneOf: [{ required: ['of'] }, { required: ['slot'] }],
      }),
      example: { of: 'c2', ohms: 4700 },
      errors: [benchErrors.noSuchConnection, benchErrors.slotEmpty],
      check: (values) => {
        if (Object.keys(values).length < 2)
          throw new RangeError(`it changes nothing: write a setting and its value, as in ${SET_EXAMPLE}`)
      },
      bodyFor: (kind): ObjectSchema => {
        if (kind === 'module') return withFields(objectOf({ slot: place.slot }), anySettings(modules).fields)
        const own = anySettings(kinds.filter((each) => each.kind === kind))
        return withFields(objectOf({ of: place.of }), own.fields, own.rules)
      },
      run: (bench, { of, slot, ...settings }) => {
        const change = inCodeNames(settings)
        if (slot !== undefined) asField(() => occupied(bench, slot).set(change), names)
        if (of === undefined) return
        const connection = of.includes('/') ? bench.elementAt(pinAt(bench, of)) : connectionOf(bench, of)
        asField(() => connection.set(change))
      },
    }),
    press: defineAction({
      summary: 'Presses a button that is connected to a pin, or a button or switch of a module',
      body: objectOf(
        {
          of: placeField(types, 'pin of the button, or name of its connection'),
          for_ms: {
            ...PRESS_DURATION_MS,
            description: `how long the button is held down; default ${PRESS_MS}`,
            default: PRESS_MS,
          },
          slot: { ...slotField, description: 'the slot of the module' },
          action: nameIn(buttons, 'button of the module: shutdown_switch'),
        },
        {
          optional: ['of', 'for_ms', 'slot', 'action'],
          rules: {
            'x-alone': 'of',
            oneOf: [{ required: ['of'] }, { required: ['slot', 'action'] }],
            not: { anyOf: [{ required: ['for_ms', 'slot'] }, { required: ['of', 'slot'] }, { required: ['of', 'action'] }] },
          },
        },
      ),
      example: { slot: 0, action: 'shutdown_switch' },
      errors: [benchErrors.noSuchConnection, benchErrors.slotEmpty],
      run: (bench, { of, for_ms: pressForMs = PRESS_MS, slot, action }) => {
        if (slot !== undefined && action !== undefined) {
          const benchSlot = occupied(bench, slot)
          checkName('action', action, benchSlot.actions)
          benchSlot.press(action)
        }
        if (of === undefined) return
        const button = of.includes('/') ? bench.elementAt(pinAt(bench, of), 'button') : connectionOf(bench, of)
        asField(() => button.set({ pressForMs }))
      },
    }),
  }
}
