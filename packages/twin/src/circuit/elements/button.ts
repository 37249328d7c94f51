import { boolean } from '@slotwire/contract'
import { inMs, inOhms, inVolts } from '../../settings/quantities.ts'
import { bounceFields, Contacts, contactMoves, isPressed, moved, type PressHistory } from './contacts.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

/** How long `pressForMs` may hold a button down. */
export const PRESS_DURATION_MS = inMs('presses a connected button now and releases it after this time', {
  min: 0.001,
  max: 3_600_000,
  examples: undefined,
})

/** A button to ground or to a voltage. Its contact bounces differently each time, but always the same for the same seed. */
export const button = defineElement({
  kind: 'button',
  summary: 'a button to ground or to a voltage, with a contact that bounces',
  between: 'either',
  fields: {
    volts: inVolts('voltage that it connects to while it is pressed'),
    ohms: inOhms('its resistance while it is pressed'),
    ...bounceFields('number of times that the contact opens again after a press, and closes again after a release'),
    pressed: boolean({ description: 'whether it is held down' }),
  },
  defaults: { volts: 0, ohms: 0, bounces: 4, bounceMs: 2, pressed: false },
  optional: ['seed'],
  later: { pressForMs: PRESS_DURATION_MS },
  // A press for some time cannot begin with a release.
  exclusions: [{ required: ['pressForMs', 'pressed'], properties: { pressed: { const: false } } }],
  description: ({ volts, ohms, bounces, bounceMs }) =>
    `button to ${volts} V behind ${ohms} Ω, bouncing ${bounces} times in ${bounceMs} ms`,
  kept: {
    first: ({ pressed }): PressHistory => ({ pressedAtFirst: pressed, moves: [] }),
    changed: (history, { pressed, pressForMs }, atMs) => {
      if (pressForMs === undefined) return pressed === undefined ? history : moved(history, pressed, atMs)
      return moved(moved(history, true, atMs), false, atMs + pressForMs)
    },
    settingsAt: (history, _values, atMs) => ({ pressed: isPressed(history, atMs) }),
  },
  branch: (values, { pressedAtFirst, moves }) => {
    const closed = { volts: values.volts, ohms: Math.max(values.ohms, IDEAL_OHMS) }
    return new Contacts(closed, pressedAtFirst, contactMoves(pressedAtFirst, moves, values))
  },
})
