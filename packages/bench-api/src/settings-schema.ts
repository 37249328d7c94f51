import {
  boolean,
  type DecimalSchema,
  decimal,
  type Exclusion,
  type FieldRules,
  type IntegerSchema,
  integer,
  type ObjectSchema,
  objectOf,
  type Schema,
  text,
} from '@slotwire/contract'
import { type Field, inSnakeNames, isNeeded, type NumberField, snakeName } from '@slotwire/twin'

type Fields = Readonly<Record<string, Field>>

/** Body schema for the settings of a new element or fault, with these additional fields; some of them are needed. */
export function settingsSchema(
  fields: Fields,
  more: Readonly<Record<string, Schema>> = {},
  neededToo: readonly string[] = [],
): ObjectSchema {
  const given = Object.entries(fields).filter(([, field]) => !isOnlyLater(field))
  const { rules, replaced } = replacements(given)
  const needed = new Set(given.flatMap(([name, field]) => (isNeeded(field) && !replaced.has(name) ? [snakeName(name)] : [])))
  const own = given.map(([name, field]): [string, Schema] => {
    const schema = fieldSchema(field)
    return [snakeName(name), field.default === undefined ? schema : { ...schema, default: field.default }]
  })
  const properties = { ...Object.fromEntries(own), ...more }
  const optional = Object.keys(properties).filter((name) => !needed.has(name) && !neededToo.includes(name))
  return objectOf(properties, { optional, ...(replaced.size === 0 ? {} : { rules }) })
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

/** Settings that only a connected element has, in words for the API document; undefined: none. */
export function laterSettings(fields: Fields): string | undefined {
  const names = Object.entries(fields).flatMap(([name, field]) => (isOnlyLater(field) ? [snakeName(name)] : []))
  return names.length === 0 ? undefined : `Only when it is connected, with connection/{number}/set: ${names.join(', ')}.`
}

function isOnlyLater(field: Field): boolean {
  return field.type === 'number' && field.isOnlyLater === true
}

/**
 * Schema with every setting of these kinds, all optional, each with its widest bounds. `describe` gets the kinds that have the setting.
 * Settings that replace others exclude them; `exclusions` are those beside that.
 */
export function anySettingsSchema(
  kinds: readonly { readonly kind: string; readonly fields: Fields }[],
  describe: (field: Field, of: string) => string = (_field, of) => `of ${of}`,
  exclusions: readonly Exclusion[] = [],
): ObjectSchema {
  const widest = new Map<string, { field: Field; readonly of: string[] }>()
  for (const { kind, fields } of kinds) {
    for (const [name, field] of Object.entries(fields)) {
      const known = widest.get(name)
      widest.set(name, {
        field: known === undefined ? field : wider(known.field, field),
        of: [...(known?.of ?? []), snakeName(kind)],
      })
    }
  }
  const properties = [...widest].map(
    ([name, { field, of }]) => [snakeName(name), fieldSchema(field, describe(field, of.join(', ')))] as const,
  )
  const replacing = [...widest].flatMap(([name, { field }]) =>
    field.type === 'number' ? (field.insteadOf ?? []).map((other) => ({ required: [name, other].map(snakeName) })) : [],
  )
  const anyOf = [...replacing, ...exclusions]
  const optional = properties.map(([name]) => name)
  return objectOf(Object.fromEntries(properties), { optional, ...(anyOf.length === 0 ? {} : { rules: { not: { anyOf } } }) })
}

function wider(one: Field, other: Field): Field {
  if (one.type !== 'number' || other.type !== 'number') return one
  return { ...one, min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) }
}

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
export function meaningOf(field: Field): string {
  const meaning = inSnakeNames(field.meaning)
  return field.default === undefined ? meaning : `${meaning}; default ${field.default}`
}
