import { boolean, integer } from '@slotwire/contract'
import { checkedChange, completeSettings, type Settings } from '../../settings/kind.ts'
import { inMs, inOhms, inVolts, seedField, UNCONNECTED_SEED } from '../../settings/quantities.ts'
import { contactMoves, isPressed, moved, type PressHistory } from './bounce.ts'
import { Contacts } from './contacts.ts'
import { type Element, type ElementKind, IDEAL_OHMS, lacksSeed } from './element.ts'

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

const fields = {
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
}
const definition = {
  kind: 'button',
  fields,
  optional: ['seed'],
  later: { pressForMs: PRESS_DURATION_MS },
  // A press for some time cannot begin with a release.
  exclusions: [{ required: ['pressForMs', 'pressed'], properties: { pressed: { const: false } } }],
  primary: undefined,
}

type ButtonValues = Required<Omit<ButtonOptions, 'seed'>> & Pick<ButtonOptions, 'seed'>

function create(given: object = {}): Element<ButtonChange> {
  const settings = completeSettings(definition, given)
  return buttonOf(settings, { pressedAtFirst: settings['pressed'] === true, moves: [] })
}

/** A button to ground or to a voltage. Its contact bounces differently each time, but always the same for the same seed. */
export const button: ElementKind<ButtonOptions, undefined, ButtonChange> = Object.assign(create, {
  ...definition,
  summary: 'a button to ground or to a voltage, with a contact that bounces',
  between: 'either' as const,
  hasContact: false,
  from: create,
})

function buttonOf(settings: Settings, history: PressHistory): Element<ButtonChange> {
  const values = settings as Settings & ButtonValues
  const { volts, ohms, bounces, bounceMs, seed = UNCONNECTED_SEED } = values
  const closed = { volts, ohms: Math.max(ohms, IDEAL_OHMS) }
  const made: Element<ButtonChange> = {
    kind: definition.kind,
    description: `button to ${volts} V behind ${ohms} Ω, bouncing ${bounces} times in ${bounceMs} ms`,
    branch: new Contacts(
      closed,
      history.pressedAtFirst,
      contactMoves(history.pressedAtFirst, history.moves, { bounces, bounceMs, seed }),
    ),
    between: 'either' as const,
    settingsAt: (atMs) => ({ ...settings, pressed: isPressed(history, atMs) }),
    with: (change, atMs) => changed(settings, history, change, atMs),
    withSeed: (own) => (lacksSeed(definition, settings) ? buttonOf({ ...settings, seed: own }, history) : made),
  }
  return made
}

function changed(before: Settings, history: PressHistory, change: ButtonChange, atMs: number): Element<ButtonChange> {
  const { pressForMs, ...others } = checkedChange(definition, change)
  const settings = completeSettings(definition, others, { before })
  if (pressForMs === undefined && others['pressed'] === undefined) return buttonOf(settings, history)
  const pressed = moved(history, pressForMs !== undefined || others['pressed'] === true, atMs)
  if (pressForMs === undefined) return buttonOf(settings, pressed)
  const releaseMs = atMs + Number(pressForMs)
  return buttonOf(settings, moved(pressed, false, releaseMs))
}
