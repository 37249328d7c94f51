import type {
  BooleanSchema,
  Bounds,
  ChoiceSchema,
  Condition,
  DecimalSchema,
  FieldRules,
  Fields,
  IntegerChoiceSchema,
  IntegerSchema,
  ListSchema,
  LiteralSchema,
  ObjectSchema,
  Schema,
  TextSchema,
} from './schema.ts'
import { rangeText } from './wording.ts'

interface Described {
  readonly description?: string | undefined
  /** What a missing field means. */
  readonly default?: Schema['default'] | undefined
  /** Values that work. */
  readonly examples?: readonly unknown[] | undefined
}

/** A schema without the parts that are undefined: it goes into the API document unchanged. */
function schemaOf<Of extends Schema>(parts: { readonly [Name in keyof Of]: Of[Name] | undefined }): Of {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Of
}

/** Gives a schema a name in the API document: `TooMuchPower`. Different schemas need different names. */
export function named<Of extends Schema>(title: string, schema: Of): Of {
  return { ...schema, title }
}

/** A whole number within inclusive bounds: `integer({ ...ioLimits.pin, description: 'the pin' })`. */
export function integer({ min, max, unit, range, ...about }: Bounds & Described = {}): IntegerSchema {
  return schemaOf({ type: 'integer', minimum: min, maximum: max, 'x-unit': unit, 'x-range': range, ...about })
}

/** A whole number: 0, or within inclusive bounds. */
export function integerOrZero(field: Omit<Bounds, 'range'> & { readonly min: number } & Described): IntegerSchema {
  return { ...integer({ ...field, min: 0, range: `0, or ${rangeText(field)}` }), anyOf: [{ const: 0 }, { minimum: field.min }] }
}

/** A whole number that is 0 or more. */
export function unsigned(options: Omit<Bounds, 'min'> & Described = {}): IntegerSchema {
  return integer({ min: 0, ...options })
}

/** One of several whole numbers. */
export function integerChoice<const Value extends number>(
  values: readonly Value[],
  { unit, ...about }: Pick<Bounds, 'unit'> & Described = {},
): IntegerChoiceSchema<Value> {
  return schemaOf({ type: 'integer', enum: values, 'x-unit': unit, ...about })
}

/** A number, maybe with decimals, within inclusive bounds. */
export function decimal({ min, max, unit, range, ...about }: Bounds & Described = {}): DecimalSchema {
  return schemaOf({ type: 'number', minimum: min, maximum: max, 'x-unit': unit, 'x-range': range, ...about })
}

/** True or false. */
export function boolean(about: Described = {}): BooleanSchema {
  return schemaOf({ type: 'boolean', ...about })
}

/** Any string, of at most `max` characters. */
export function text({ max, ...about }: Pick<Bounds, 'max'> & Described = {}): TextSchema {
  return schemaOf({ type: 'string', maxLength: max, ...about })
}

/** A text of a form that is also in words: `formed('^[0-7]/[1-6]$', 'a pin as slot/pin, as in 3/1')`. */
export function formed(pattern: string, form: string, about: Described = {}): TextSchema {
  return schemaOf({ type: 'string', pattern, 'x-form': form, ...about })
}

/** One of several words, with exact spelling. */
export function choice<const Word extends string>(words: readonly Word[], about: Described = {}): ChoiceSchema<Word> {
  return schemaOf({ type: 'string', enum: words, ...about })
}

/** Exactly this word. */
export function literal<const Word extends string>(word: Word, about: Described = {}): LiteralSchema<Word> {
  return schemaOf({ type: 'string', const: word, ...about })
}

/** Any number of items, or exactly `count`: one per `onePer`. */
export function listOf<Item extends Schema>(
  items: Item,
  { count, onePer, ...about }: { readonly count?: number; readonly onePer?: string } & Described = {},
): ListSchema<Item> {
  return schemaOf({ type: 'array', items, minItems: count, maxItems: count, 'x-one-per': onePer, ...about })
}

/** An object with these fields and no others; all are required except the `optional` ones. `rules` are those between fields. */
export function objectOf<const Properties extends Fields, const Optional extends keyof Properties & string = never>(
  properties: Properties,
  options: { readonly optional?: readonly Optional[]; readonly rules?: FieldRules } & Described = {},
): ObjectSchema<Properties, Exclude<keyof Properties & string, Optional>> {
  const optional = new Set<string>(options.optional)
  const isRequired = (name: string): name is Exclude<keyof Properties & string, Optional> => !optional.has(name)
  const required = Object.keys(properties).filter(isRequired)
  const { description, rules } = options
  return schemaOf({ type: 'object', properties, required, additionalProperties: false, description, ...rules })
}

/** A rule: if the field has this value, `then` these fields are required, or have a narrower schema. */
export function when(field: string, value: string | boolean, then: Condition['then']): Condition {
  return { if: { properties: { [field]: { const: value } }, required: [field] }, then }
}

/** An object with any fields: content that the server passes on unchecked. */
export function anyObject({ description }: Described = {}): ObjectSchema<Record<never, never>, never> {
  return schemaOf({ type: 'object', properties: {}, required: [], additionalProperties: true, description })
}
