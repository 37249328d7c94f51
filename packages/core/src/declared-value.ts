import { meant, shown } from './visible.ts'

/** The allowed values of a setting that people write, in code, JSON or YAML. Checks, messages, schemas and the tables of the guides use it. */
export type DeclaredValue = NumberValue | SwitchValue | ChoiceValue | TextValue

export interface NumberValue {
  readonly type: 'number'
  /** Empty without a unit. */
  readonly unit: string
  /** Inclusive. */
  readonly min: number
  readonly max: number
  readonly isWhole?: boolean
}

/** Yes or no. */
export interface SwitchValue {
  readonly type: 'boolean'
}

/** One of several words. */
export interface ChoiceValue {
  readonly type: 'choice'
  readonly words: readonly string[]
}

/** Any text with a limit. */
export interface TextValue {
  readonly type: 'text'
  readonly maxLength: number
}

/** A whole number without a unit. */
export function wholeNumber(min: number, max: number): NumberValue {
  return { type: 'number', unit: '', min, max, isWhole: true }
}

/** The allowed values in words: `0…1 V`, `a whole number, 0…100`, `true or false`. */
export function wordingOf(declared: DeclaredValue): string {
  if (declared.type === 'boolean') return 'true or false'
  if (declared.type === 'choice') return declared.words.join(', ')
  if (declared.type === 'text') return `text, at most ${declared.maxLength} characters`
  const { min, max, unit, isWhole } = declared
  return `${isWhole === true ? 'a whole number, ' : ''}${min}…${max}${unit === '' ? '' : ` ${unit}`}`
}

/** What is wrong with a value, and the allowed values, to follow its name: `is 30: -1…25 V`. Undefined for a valid value. */
export function problemOf(declared: DeclaredValue, value: unknown): string | undefined {
  if (fits(declared, value)) return undefined
  const written = shown(String(value))
  return `is ${written}: ${declared.type === 'choice' ? meant(written, declared.words) : wordingOf(declared)}`
}

/** Returns the value if it is valid. Otherwise throws `RangeError` with its name and the allowed values. */
export function checked<Value>(name: string, declared: DeclaredValue, value: Value): Value {
  const problem = problemOf(declared, value)
  if (problem === undefined) return value
  throw new RangeError(`${name} ${problem}`)
}

function fits(declared: DeclaredValue, value: unknown): boolean {
  if (declared.type === 'boolean') return typeof value === 'boolean'
  if (declared.type === 'choice') return declared.words.some((word) => word === value)
  if (declared.type === 'text') return typeof value === 'string' && value.length <= declared.maxLength
  const { min, max, isWhole } = declared
  return typeof value === 'number' && value >= min && value <= max && (isWhole !== true || Number.isInteger(value))
}

/** Whether a value is an object with fields, as in JSON: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
