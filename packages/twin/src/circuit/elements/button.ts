import { boolean, integer } from '@slotwire/contract'
import { inMs, inOhms, inVolts, seedField } from '../../settings/quantities.ts'
import { contactMoves, isPressed, moved, type PressHistory } from './bounce.ts'
import { Contacts } from './contacts.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

export interface ButtonOptions {
  /** Voltage that it connects to while it is pressed; default 0, ground. */
  readonly volts?: number
  /** Its resistance while it is pressed; default 0. */
  readonly ohms?: number
  /** How often its contact opens again after a press, and closes again after a release; default 4. */
  readonly bounces?: number
  /** How long it bounces, in ms; default 2. */
  readonly bounceMs?: number
  /** 0…2³²−1; default: from the twin's seed, the pin and the button. */
  readonly seed?: number
  /** Default false. */
  readonly pressed?: boolean
}

/** `pressForMs`: presses now and releases after this time, at most an hour. */
export type ButtonChange = ButtonOptions & { readonly pressForMs?: number }

const MAX_BOUNCES = 100
const MIN_BOUNCING_MS = 0.01
/** How long `pressForMs` may hold a button down. */
export const PRESS_DURATION_MS = inMs('presses a connected button now and releases it after this time', {
  min: 0.001,
  max: 3_600_000,
  examples: undefined,
})

type ButtonValues = Required<Omit<ButtonOptions, 'seed'>> & Pick<ButtonOptions, 'seed'>

/** A button to ground or to a voltage. Its contact bounces differently each time, but always the same for the same seed. */
export const button = defineElement<ButtonOptions, undefined, ButtonValues, PressHistory, ButtonChange>({
  kind: 'button',
  summary: 'a button to ground or to a voltage, with a contact that bounces',
  between: 'either',
  fields: {
    volts: inVolts('voltage that it connects to while it is pressed', { default: 0 }),
    ohms: inOhms('its resistance while it is pressed', { default: 0 }),
    bounces: integer({
      min: 0,
      max: MAX_BOUNCES,
      description: 'number of times that the contact opens again after a press, and closes again after a release',
      default: 4,
    }),
    bounceMs: inMs('how long it bounces', { min: MIN_BOUNCING_MS, max: 1000, default: 2 }),
    seed: seedField,
    pressed: boolean({ description: 'whether it is held down', default: false }),
  },
  optional: ['seed'],
  later: { pressForMs: PRESS_DURATION_MS },
  // A press for some time cannot begin with a release.
  exclusions: [{ required: ['pressForMs', 'pressed'], properties: { pressed: { const: false } } }],
  description: ({ volts, ohms, bounces, bounceMs }) =>
    `button to ${volts} V behind ${ohms} Ω, bouncing ${bounces} times in ${bounceMs} ms`,
  branch: (values, { pressedAtFirst, moves }) => {
    const closed = { volts: values.volts, ohms: Math.max(values.ohms, IDEAL_OHMS) }
    return new Contacts(closed, pressedAtFirst, contactMoves(pressedAtFirst, moves, values))
  },
  kept: {
    first: ({ pressed }) => ({ pressedAtFirst: pressed, moves: [] }),
    changed: (history, { pressed, pressForMs }, atMs) => {
      if (pressForMs === undefined) return pressed === undefined ? history : moved(history, pressed, atMs)
      return moved(moved(history, true, atMs), false, atMs + pressForMs)
    },
    settingsAt: (history, _values, atMs) => ({ pressed: isPressed(history, atMs) }),
  },
})
