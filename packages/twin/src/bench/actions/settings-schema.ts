import {
  type DecimalSchema,
  type FieldRules,
  type IntegerSchema,
  named,
  type ObjectSchema,
  type Schema,
} from '@slotwire/contract'
import { type Kind, type Settable, schemasOf } from '../../settings/kind.ts'
import { inCodeNames, inSnakeNames, snakeName } from '../snake-names.ts'

type Names = Readonly<Record<string, unknown>>

/** The settings of a new element or fault in the names of JSON; the primary one may stand alone. */
function settingsSchema(settable: Kind): ObjectSchema {
  const { kind, primary, summary } = settable
  const schema = { ...schemasOf(settable).whole, description: summary, 'x-alone': primary }
  const inJson = JSON.parse(inSnakeNames(JSON.stringify(schema))) as ObjectSchema
  const described = Object.entries(inJson.properties).map(
    ([name, field]) => [name, { ...field, description: meaningOf(field) }] as const,
  )
  const title = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}Settings`
  return named(title, { ...inJson, properties: Object.fromEntries(described) })
}

const meaningOf = ({ description = '', default: missing }: Schema): string =>
  missing === undefined ? description : `${description}; default ${missing}`

/** A field for each kind, with its settings as the value: `{ source: { volts: 24 } }`. Exactly one of them is given. */
export function kindFields(kinds: readonly Kind[]): { fields: Readonly<Record<string, ObjectSchema>>; rules: FieldRules } {
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

/** Every setting of these kinds in one change, all optional, each with its widest bounds. */
export function anySettings(kinds: readonly (Settable & { readonly kind: string })[]): {
  fields: Readonly<Record<string, Schema>>
  rules: FieldRules
} {
  const widest = new Map<string, { readonly field: Schema; readonly kinds: string[] }>()
  for (const settable of kinds) {
    for (const [name, field] of Object.entries(schemasOf(settable).change.properties)) {
      if (name === 'of' || name === 'slot') throw new Error(`no setting can be called ${name}`)
      const known = widest.get(name)
      widest.set(name, {
        field: known === undefined ? field : wider(name, known.field, field),
        kinds: [...(known?.kinds ?? []), snakeName(settable.kind)],
      })
    }
  }
  const fields = [...widest].map(([name, { field, kinds: names }]) => {
    const { default: _, examples: __, ...schema } = field
    return [snakeName(name), { ...schema, description: `of ${names.join(', ')}` }] as const
  })
  const exclusions = kinds.flatMap((settable) => settable.exclusions ?? [])
  const distinct = new Map(exclusions.map((each) => [each.required.join(), { ...each, required: each.required.map(snakeName) }]))
  return { fields: Object.fromEntries(fields), rules: distinct.size === 0 ? {} : { not: { anyOf: [...distinct.values()] } } }
}

/** The bounds that contain both. Throws if the fields are not in the same unit: one body serves all kinds. */
function wider(name: string, one: Schema, other: Schema): Schema {
  const [unit, otherUnit] = [unitOf(one), unitOf(other)]
  if (unit !== otherUnit) throw new Error(`setting ${name} is in ${unit} and in ${otherUnit}: give it another name`)
  if (!isNumber(one) || !isNumber(other)) return one
  const [minimum, maximum] = [Math.min(one.minimum, other.minimum), Math.max(one.maximum, other.maximum)]
  return { ...one, minimum, maximum }
}

type Bounded = (DecimalSchema | IntegerSchema) & { readonly minimum: number; readonly maximum: number }

const isNumber = (schema: Schema): schema is Bounded => 'minimum' in schema && 'maximum' in schema

const unitOf = (schema: Schema): string => ('x-unit' in schema ? (schema['x-unit'] ?? '') : isNumber(schema) ? '' : schema.type)
