import {
  boolean,
  type DecimalSchema,
  decimal,
  type IntegerSchema,
  integer,
  type ObjectSchema,
  objectOf,
  type Schema,
} from '@slotwire/contract'
import { type Field, inSnakeNames, type NumberField, snakeName } from '@slotwire/twin'

type Fields = Readonly<Record<string, Field>>

/** Body schema for the settings of an element or a fault, with these additional fields. */
export function settingsSchema(fields: Fields, more: Readonly<Record<string, Schema>> = {}): ObjectSchema {
  const own = Object.entries(fields).map(([name, field]) => [snakeName(name), fieldSchema(field)] as const)
  const needed = new Set(Object.entries(fields).flatMap(([name, field]) => (isNeeded(field, fields) ? [snakeName(name)] : [])))
  const properties = { ...Object.fromEntries(own), ...more }
  return objectOf(properties, { optional: Object.keys(properties).filter((name) => !needed.has(name)) })
}

/** Schema with every setting of these kinds, all optional, each with its widest bounds. `describe` gets the kinds that have the setting. */
export function anySettingsSchema(
  kinds: readonly { readonly kind: string; readonly fields: Fields }[],
  describe: (field: Field, of: string) => string = (_field, of) => `of ${of}`,
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
  return objectOf(Object.fromEntries(properties), { optional: properties.map(([name]) => name) })
}

function wider(one: Field, other: Field): Field {
  if (one.type !== 'number' || other.type !== 'number') return one
  return { ...one, min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) }
}

function fieldSchema(field: Field, description = meaningOf(field)): Schema {
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

/** Whether a body must have this setting: not if it has a default, is an alternative, or another setting of the same unit is an alternative. */
function isNeeded(field: Field, all: Fields): boolean {
  if (!isWithoutDefault(field) || field.isAlternative === true) return false
  return !Object.values(all).some((other) => isWithoutDefault(other) && other.isAlternative === true && other.unit === field.unit)
}

function isWithoutDefault(field: Field): field is NumberField {
  return field.type === 'number' && field.default === undefined
}
