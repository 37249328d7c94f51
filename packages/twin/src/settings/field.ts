import { checked, type NumberValue, type SwitchValue, type TextValue } from '@slotwire/core'

/** A setting of an element, a fault or a module: a number with bounds, a switch, or a text. */
export type Field = NumberField | SwitchField | TextField

export interface NumberField extends NumberValue {
  /** What it means, for people. */
  readonly meaning: string
  /** Value if it is left out. Without a default it is required. */
  readonly default?: number
  /** A value that works, of a setting without a default. */
  readonly example?: number
  /** Not required: it replaces these settings, which then must not be given. */
  readonly insteadOf?: readonly string[]
  /** Setting that it needs beside it in a new element. */
  readonly neededWith?: string
  /** Not required: only for an element that is connected already. */
  readonly isOnlyLater?: boolean
  /** Not required: without it the element gets a value of its own. */
  readonly isDerived?: boolean
}

export interface SwitchField extends SwitchValue {
  readonly meaning: string
  readonly default: boolean
}

/** A text is always needed. */
export interface TextField extends TextValue {
  readonly meaning: string
  readonly default?: undefined
  readonly example: string
}

export type Fields = Readonly<Record<string, Field>>
/** Settings by name. */
export type Settings = Readonly<Record<string, number | boolean | string>>

/** Checks unchecked settings. Throws `RangeError` that names the invalid setting, its bounds and the remedy. */
export function checkedSettings(kind: string, fields: Fields, given: object): Settings {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of entries) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined)
      throw new RangeError(`${kind} has no setting ${name}: ${Object.keys(fields).join(', ') || 'it has none'}`)
    checked(name, field, value)
    const replaced = field.type === 'number' ? field.insteadOf?.filter((other) => Object.hasOwn(given, other)) : undefined
    if (replaced?.[0] !== undefined) throw new RangeError(`${name} replaces ${replaced.join(' and ')}: give one or the other`)
  }
  return Object.fromEntries(entries)
}

/** Defaults of all fields that have one. */
export function defaultSettings(fields: Fields): Settings {
  const entries = Object.entries(fields).flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]]))
  return Object.fromEntries(entries) as Settings
}
