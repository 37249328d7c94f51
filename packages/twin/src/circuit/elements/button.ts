import { wholeNumber } from '@slotwire/core'
import type { Fields, Settings } from '../../settings/field.ts'
import { checkedSettings } from '../../settings/field.ts'
import { completeSettings } from '../../settings/kind.ts'
import { inMs, inOhms, inVolts, seedField } from '../../settings/quantities.ts'
import type { FingerMove } from './bounce.ts'
import { contactMoves } from './bounce.ts'
import { Contacts } from './contacts.ts'
import type { Element, ElementKind } from './element.ts'
import { IDEAL_OHMS } from './element.ts'

export interface ButtonOptions {
  /** What it leads to while it is pressed; default 0, ground. */
  readonly volts?: number
  /** Its resistance while it is pressed; default 0. */
  readonly ohms?: number
  /** How often its contact opens again after a press, and closes again after a release; default 4. */
  readonly bounces?: number
  /** How long it bounces; default 2. */
  readonly bounceMs?: number
  readonly seed?: number
  /** Default false. */
  readonly pressed?: boolean
}

/** `pressForMs`: presses now and releases so much later; no longer than an hour. */
export type ButtonChange = ButtonOptions & { readonly pressForMs?: number }

const MOST_BOUNCES = 100
const SHORTEST_BOUNCING_MS = 0.01
/** How long a button may be held down by `pressForMs`. */
export const PRESS_DURATION_MS = inMs('presses a button that is connected now, and releases it so much later', {
  min: 0.001,
  max: 3_600_000,
})

const fields: Fields = {
  volts: inVolts('what it leads to while it is pressed', { default: 0 }),
  ohms: inOhms('its resistance while it is pressed', { default: 0 }),
  bounces: {
    ...wholeNumber(0, MOST_BOUNCES),
    meaning: 'how often its contact opens again after a press, and closes again after a release',
    default: 4,
  },
  bounceMs: inMs('how long it bounces', { min: SHORTEST_BOUNCING_MS, max: 1000, default: 2 }),
  seed: seedField,
  pressed: { type: 'boolean', meaning: 'whether it is held down', default: false },
  pressForMs: { ...PRESS_DURATION_MS, isAlternative: true },
}
const definition = { kind: 'button', fields, primary: undefined }

type ButtonValues = Required<ButtonOptions>

/** What the finger did: how it was at first, and what it did since. */
interface Finger {
  readonly pressedAtFirst: boolean
  /** By time; the last may be to come. */
  readonly moves: readonly FingerMove[]
}

function create(given: object = {}): Element<ButtonChange> {
  const { pressForMs, ...settings } = completeSettings(definition, given)
  if (pressForMs !== undefined)
    throw new RangeError('pressForMs is for a button that is connected: leave it out, connect the button, then set it')
  return buttonOf(settings, { pressedAtFirst: settings['pressed'] === true, moves: [] })
}

/** A button to ground or to a voltage. Its contact bounces, each time differently, but always in the same way for the same seed. */
export const button: ElementKind<ButtonOptions, undefined, ButtonChange> = Object.assign(create, {
  ...definition,
  summary: 'a button to ground or to a voltage, with a contact that bounces',
  from: create,
})

function buttonOf(settings: Settings, finger: Finger): Element<ButtonChange> {
  const values = settings as Settings & ButtonValues
  const { volts, ohms, bounces, bounceMs } = values
  const closed = { volts, ohms: Math.max(ohms, IDEAL_OHMS) }
  return {
    kind: definition.kind,
    description: `button to ${volts} V behind ${ohms} Ω, bouncing ${bounces} times in ${bounceMs} ms`,
    branch: new Contacts(closed, finger.pressedAtFirst, contactMoves(finger.pressedAtFirst, finger.moves, values)),
    settingsAt: (atMs) => ({ ...settings, pressed: isPressed(finger, atMs) }),
    with: (change, atMs) => changed(settings, finger, change, atMs),
  }
}

function changed(before: Settings, finger: Finger, change: ButtonChange, atMs: number): Element<ButtonChange> {
  const { pressForMs, ...others } = checkedSettings(definition.kind, fields, change)
  if (pressForMs !== undefined && others['pressed'] === false)
    throw new RangeError('pressed is false, but pressForMs presses: give one of them')
  const settings = completeSettings(definition, others, { before })
  if (pressForMs === undefined && others['pressed'] === undefined) return buttonOf(settings, finger)
  const pressed = moved(finger, pressForMs !== undefined || others['pressed'] === true, atMs)
  return buttonOf(settings, pressForMs === undefined ? pressed : moved(pressed, false, atMs + Number(pressForMs)))
}

/** The finger presses or lets go at a moment, and does not do what it was to do later. What is long over is forgotten. */
function moved(finger: Finger, pressed: boolean, atMs: number): Finger {
  const past = finger.moves.filter((move) => move.atMs <= atMs)
  const number = (past.at(-1)?.number ?? -1) + 1
  const [last] = past.slice(-1)
  const recent: Finger = { pressedAtFirst: last === undefined ? finger.pressedAtFirst : !last.pressed, moves: past.slice(-1) }
  if (isPressed(recent, atMs) === pressed) return recent
  return { ...recent, moves: [...recent.moves, { atMs, pressed, number }] }
}

function isPressed({ pressedAtFirst, moves }: Finger, atMs: number): boolean {
  return moves.findLast((move) => move.atMs <= atMs)?.pressed ?? pressedAtFirst
}
