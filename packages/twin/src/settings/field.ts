/** What a setting of an element or of a fault may be: a number between two bounds, or yes or no. */
export type Field = NumberField | SwitchField

export interface NumberField {
  readonly type: 'number'
  /** What it means, for people. */
  readonly meaning: string
  readonly unit: string
  /** Inclusive. */
  readonly min: number
  readonly max: number
  readonly isWhole?: boolean
  /** What it is where it is left out; without it, it must be given. */
  readonly default?: number
  /** Need not be given: it stands for other settings. */
  readonly isAlternative?: boolean
}

export interface SwitchField {
  readonly type: 'boolean'
  readonly meaning: string
  readonly default: boolean
}

export type Fields = Readonly<Record<string, Field>>
/** Settings by their names. */
export type Settings = Readonly<Record<string, number | boolean>>

/** Checks settings that may come from anywhere. Throws `RangeError` that names what does not fit, its bounds and the remedy. */
export function checkedSettings(kind: string, fields: Fields, given: object): Settings {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, checkedSetting(kind, fields, name, value)]))
}

/** What fields are where they are left out. */
export function defaultSettings(fields: Fields): Settings {
  const entries = Object.entries(fields).flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]]))
  return Object.fromEntries(entries) as Settings
}

function checkedSetting(kind: string, fields: Fields, name: string, value: unknown): number | boolean {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined)
    throw new RangeError(`${kind} has no setting ${name}: ${Object.keys(fields).join(', ') || 'it has none'}`)
  if (field.type === 'boolean') {
    if (typeof value === 'boolean') return value
    throw new RangeError(`${name} is ${String(value)}: true or false`)
  }
  const fits = typeof value === 'number' && value >= field.min && value <= field.max
  if (fits && (field.isWhole !== true || Number.isInteger(value))) return value
  throw new RangeError(`${name} is ${String(value)}: ${boundsOf(field)}`)
}

/** As in `0…1 V` or `a whole number, 0…100`. */
export function boundsOf({ min, max, unit, isWhole }: NumberField): string {
  return `${isWhole === true ? 'a whole number, ' : ''}${min}…${max}${unit === '' ? '' : ` ${unit}`}`
}
