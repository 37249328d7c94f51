import type {
  ChoiceSchema,
  ConstantSchema,
  DecimalSchema,
  Fields,
  FlagSchema,
  IntegerChoiceSchema,
  IntegerSchema,
  ListSchema,
  ObjectSchema,
  Schema,
  TextSchema,
} from './schema.ts'

/** Inclusive bounds of a number, as `limits.ts` of a module writes them. */
export interface Bounds {
  readonly min?: number
  readonly max?: number
  /** Physical unit: `mV`, `ms`. */
  readonly unit?: string
  /** The bounds in words, unit included, where numbers cannot say them: they depend on other fields, or have a gap. */
  readonly range?: string
}

interface Described {
  readonly description?: string
}

const limitsOf = ({ min, max }: Bounds) => ({
  ...(min === undefined ? {} : { minimum: min }),
  ...(max === undefined ? {} : { maximum: max }),
})
const unitOf = ({ unit }: Bounds) => (unit === undefined ? {} : { 'x-unit': unit })
const descriptionOf = ({ description }: Described) => (description === undefined ? {} : { description })

/** A whole number within inclusive bounds: `integer({ ...ioLimits.pin, description: 'the pin' })`. */
export function integer(options: Bounds & Described = {}): IntegerSchema {
  return {
    type: 'integer',
    ...limitsOf(options),
    ...unitOf(options),
    ...(options.range === undefined ? {} : { 'x-range': options.range }),
    ...descriptionOf(options),
  }
}

/** A whole number that is 0 or more. */
export function unsigned(options: Omit<Bounds, 'min'> & Described = {}): IntegerSchema {
  return integer({ min: 0, ...options })
}

/** One of a few whole numbers. */
export function integerChoice<const Value extends number>(
  values: readonly Value[],
  options: Pick<Bounds, 'unit'> & Described = {},
): IntegerChoiceSchema<Value> {
  return { type: 'integer', enum: values, ...unitOf(options), ...descriptionOf(options) }
}

/** A number that need not be whole, within inclusive bounds. */
export function decimal(options: Omit<Bounds, 'range'> & Described = {}): DecimalSchema {
  return { type: 'number', ...limitsOf(options), ...unitOf(options), ...descriptionOf(options) }
}

/** True or false. */
export function flag(options: Described = {}): FlagSchema {
  return { type: 'boolean', ...descriptionOf(options) }
}

/** Any string, of at most `max` characters. */
export function text(options: Pick<Bounds, 'max'> & Described = {}): TextSchema {
  const { max } = options
  return { type: 'string', ...(max === undefined ? {} : { maxLength: max }), ...descriptionOf(options) }
}

/** One of a few words, spelled exactly. */
export function choice<const Word extends string>(words: readonly Word[], options: Described = {}): ChoiceSchema<Word> {
  return { type: 'string', enum: words, ...descriptionOf(options) }
}

/** This word and no other. */
export function constant<const Word extends string>(word: Word, options: Described = {}): ConstantSchema<Word> {
  return { type: 'string', const: word, ...descriptionOf(options) }
}

/** Any number of items, or exactly `count`: one per `onePer`. */
export function listOf<Item extends Schema>(
  items: Item,
  options: { readonly count?: number; readonly onePer?: string } & Described = {},
): ListSchema<Item> {
  const { count, onePer } = options
  return {
    type: 'array',
    items,
    ...(count === undefined ? {} : { minItems: count, maxItems: count }),
    ...(onePer === undefined ? {} : { 'x-one-per': onePer }),
    ...descriptionOf(options),
  }
}

/** An object with these fields and no others; all must be there but the `optional` ones. */
export function objectOf<const Properties extends Fields, const Optional extends keyof Properties & string = never>(
  properties: Properties,
  options: { readonly optional?: readonly Optional[] } & Described = {},
): ObjectSchema<Properties, Exclude<keyof Properties & string, Optional>> {
  const optional = new Set<string>(options.optional)
  const isRequired = (name: string): name is Exclude<keyof Properties & string, Optional> => !optional.has(name)
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter(isRequired),
    additionalProperties: false,
    ...descriptionOf(options),
  }
}

/** An object with any fields: what the server tells without knowing it. */
export function anyObject(options: Described = {}): ObjectSchema<Record<never, never>, never> {
  return { type: 'object', properties: {}, required: [], additionalProperties: true, ...descriptionOf(options) }
}
