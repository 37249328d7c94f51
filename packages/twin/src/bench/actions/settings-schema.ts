import {
  boolean,
  type DecimalSchema,
  decimal,
  type Exclusion,
  type FieldRules,
  type IntegerSchema,
  integer,
  named,
  type ObjectSchema,
  objectOf,
  type Schema,
  text,
} from '@slotwire/contract'
import type { Field, NumberField } from '../../settings/field.ts'
import { isNeeded, type Kind } from '../../settings/kind.ts'
import { inCodeNames, inSnakeNames, snakeName } from '../snake-names.ts'

type Fields = Readonly<Record<string, Field>>
type Described = Kind & { readonly summary: string }
type Names = Readonly<Record<string, unknown>>

/** The settings of a new element or fault; the primary one may stand alone. */
function settingsSchema({ kind, fields, primary, summary }: Described): ObjectSchema {
  const given = Object.entries(fields).filter(([, field]) => !isOnlyLater(field))
  const { rules, replaced } = replacements(given)
  const needed = new Set(given.flatMap(([name, field]) => (isNeeded(field) && !replaced.has(name) ? [snakeName(name)] : [])))
  const own = given.map(([name, field]): [string, Schema] => {
    const schema = fieldSchema(field)
    if (field.default !== undefined) return [snakeName(name), { ...schema, default: field.default }]
    return [snakeName(name), isNeeded(field) && field.example !== undefined ? { ...schema, examples: [field.example] } : schema]
  })
  const properties = Object.fromEntries(own)
  const optional = Object.keys(properties).filter((name) => !needed.has(name))
  const alone = primary === undefined ? undefined : snakeName(primary)
  const between = replaced.size === 0 ? {} : rules
  const schema = objectOf(properties, { optional, description: summary, rules: { ...between, 'x-alone': alone } })
  return named(`${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}Settings`, schema)
}

/** A field for each kind, with its settings as the value: `{ source: { volts: 24 } }`. Exactly one of them is given. */
export function kindFields(kinds: readonly Described[]): { fields: Readonly<Record<string, ObjectSchema>>; rules: FieldRules } {
  const fields = Object.fromEntries(kinds.map((each) => [snakeName(each.kind), settingsSchema(each)]))
  return { fields, rules: { oneOf: Object.keys(fields).map((name) => ({ required: [name] })) } }
}

/** A schema with more fields, all optional, and rules. Its values keep their type. */
export function withFields<Properties, Required extends string>(
  schema: ObjectSchema<Properties, Required>,
  more: Readonly<Record<string, Schema>>,
  rules: FieldRules = {},
): ObjectSchema<Properties, Required> {
  return { ...schema, properties: { ...schema.properties, ...more }, ...rules }
}

/** The kind in `{ source: { volts: 24 } }`, and its settings by their names in code. */
export function kindIn<Of extends { readonly kind: string }>(
  kinds: readonly Of[],
  values: object,
): { kind: Of; settings: Names } {
  const kind = kinds.find((each) => Object.hasOwn(values, snakeName(each.kind)))
  if (kind === undefined)
    throw new RangeError(`a kind is missing: one of ${kinds.map((each) => snakeName(each.kind)).join(', ')}`)
  return { kind, settings: inCodeNames(Reflect.get(values, snakeName(kind.kind)) as object) }
}

/** The settings that others replace, and the rule: exactly one group of settings, each with those that it needs. */
function replacements(fields: readonly (readonly [name: string, field: Field])[]): { rules: FieldRules; replaced: Set<string> } {
  const numbers = fields.flatMap(([name, field]) => (field.type === 'number' ? [{ name, ...field }] : []))
  const replaced = new Set(numbers.flatMap(({ insteadOf = [] }) => insteadOf))
  const replacing = numbers.filter(({ insteadOf, neededWith }) => insteadOf !== undefined && neededWith === undefined)
  const groups = [[...replaced], ...replacing.map(({ name }) => [name])]
  const needing = numbers.flatMap(({ name, neededWith: other }): [string, string[]][] =>
    other === undefined ? [] : [[snakeName(name), [snakeName(other)]]],
  )
  const rules = {
    oneOf: groups.map((group) => ({ required: group.map(snakeName) })),
    dependentRequired: Object.fromEntries(needing),
  }
  return { rules, replaced }
}

function isOnlyLater(field: Field): boolean {
  return field.type === 'number' && field.isOnlyLater === true
}

/**
 * Every setting of these kinds, all optional, each with its widest bounds.
 * Settings that replace others exclude them; `exclusions` are those beside that.
 */
export function anySettings(
  kinds: readonly { readonly kind: string; readonly fields: Fields }[],
  exclusions: readonly Exclusion[] = [],
): { fields: Readonly<Record<string, Schema>>; rules: FieldRules } {
  const widest = new Map<string, { field: Field; readonly of: string[] }>()
  for (const { kind, fields } of kinds) {
    for (const [name, field] of Object.entries(fields)) {
      if (name === 'of' || name === 'slot') throw new Error(`no setting can be called ${name}`)
      const known = widest.get(name)
      widest.set(name, {
        field: known === undefined ? field : wider(name, known.field, field),
        of: [...(known?.of ?? []), snakeName(kind)],
      })
    }
  }
  const properties = [...widest].map(
    ([name, { field, of }]) => [snakeName(name), fieldSchema(field, `of ${of.join(', ')}`)] as const,
  )
  const replacing = [...widest].flatMap(([name, { field }]) =>
    field.type === 'number' ? (field.insteadOf ?? []).map((other) => ({ required: [name, other].map(snakeName) })) : [],
  )
  return { fields: Object.fromEntries(properties), rules: { not: { anyOf: [...replacing, ...exclusions] } } }
}

/** Both bounds. Throws if the fields are not in the same unit: one body serves all kinds. */
function wider(name: string, one: Field, other: Field): Field {
  const [unit, otherUnit] = [unitOf(one), unitOf(other)]
  if (unit !== otherUnit) throw new Error(`setting ${name} is in ${unit} and in ${otherUnit}: give it another name`)
  if (one.type !== 'number' || other.type !== 'number') return one
  return { ...one, min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) }
}

const unitOf = (field: Field): string =>
  field.type === 'number' ? field.unit : field.type === 'boolean' ? 'true or false' : 'text'

function fieldSchema(field: Field, description = meaningOf(field)): Schema {
  if (field.type === 'text') return text({ max: field.maxLength, description })
  return field.type === 'boolean' ? boolean({ description }) : numberSchema(field, description)
}

/** Schema of a declared number. */
export function numberSchema(field: NumberField, description = meaningOf(field)): DecimalSchema | IntegerSchema {
  const { min, max, unit, isWhole } = field
  const bounds = { min, max, ...(unit === '' ? {} : { unit }), description }
  return isWhole === true ? integer(bounds) : decimal(bounds)
}

/** Meaning of a setting, with its default. */
function meaningOf(field: Field): string {
  const meaning = inSnakeNames(field.meaning)
  return field.default === undefined ? meaning : `${meaning}; default ${field.default}`
}
