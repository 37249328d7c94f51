/**
 * The part of JSON Schema 2020-12 that contracts use. A schema is its own JSON: it goes into the API document unchanged. `x-unit` is the
 * physical unit. `x-range` has the bounds in words if `minimum` and `maximum` cannot express them (they depend on other fields, or have a
 * gap). `x-one-per` names what an array has one item for. `x-form` has a pattern in words, `x-alone` is for readers of text.
 */
export type Schema =
  | IntegerSchema
  | IntegerChoiceSchema
  | DecimalSchema
  | BooleanSchema
  | TextSchema
  | ChoiceSchema
  | LiteralSchema
  | ListSchema
  | ObjectSchema

interface Described {
  /** Name in the API document, where the schema is stored once; give it with `named`. */
  readonly title?: string
  readonly description?: string
  /** What a missing field means. */
  readonly default?: number | boolean | string
  /** One value that works. */
  readonly examples?: readonly unknown[]
}

/** Inclusive bounds of a number, as in `limits.ts` of a module. */
export interface Bounds {
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** Physical unit: `mV`, `ms`. */
  readonly unit?: string | undefined
  /** The bounds in words with their unit, if numbers cannot express them: they depend on other fields, or have a gap. */
  readonly range?: string | undefined
}

interface Bounded extends Described {
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-unit'?: string
  readonly 'x-range'?: string
}

export interface IntegerSchema extends Bounded {
  readonly type: 'integer'
  /** A gap in the range: 0, or at least this. */
  readonly anyOf?: readonly [{ readonly const: 0 }, { readonly minimum: number }]
}

export interface IntegerChoiceSchema<Value extends number = number> extends Described {
  readonly type: 'integer'
  readonly enum: readonly Value[]
  readonly 'x-unit'?: string
}

export interface DecimalSchema extends Bounded {
  readonly type: 'number'
}

export interface BooleanSchema extends Described {
  readonly type: 'boolean'
}

export interface TextSchema extends Described {
  readonly type: 'string'
  /** In UTF-16 code units. */
  readonly maxLength?: number
  readonly pattern?: string
  /** The pattern in words: `a pin as slot/pin, as in 3/1`. */
  readonly 'x-form'?: string
}

export interface ChoiceSchema<Word extends string = string> extends Described {
  readonly type: 'string'
  readonly enum: readonly Word[]
}

export interface LiteralSchema<Word extends string = string> extends Described {
  readonly type: 'string'
  readonly const: Word
}

export interface ListSchema<Item = Schema> extends Described {
  readonly type: 'array'
  readonly items: Item
  /** Both or neither, and equal: a list has a fixed length or any. */
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-one-per'?: string
}

export type Fields = Readonly<Record<string, Schema>>

/** A rule: `if` a field has a value, `then` these fields are required, or have a narrower schema. Make it with `when`. */
export interface Condition {
  readonly if: {
    readonly properties: Readonly<Record<string, { readonly const: string | boolean }>>
    readonly required: readonly string[]
  }
  readonly then: { readonly required?: readonly string[]; readonly properties?: Fields }
}

/** Fields that are given together. */
export interface FieldGroup {
  readonly required: readonly string[]
}

/** Fields that exclude each other; with `properties`, only if these have the values. */
export interface Exclusion extends FieldGroup {
  readonly properties?: Condition['if']['properties']
}

/** Rules between the fields of an object. */
export interface FieldRules {
  readonly allOf?: readonly Condition[] | undefined
  /** At least one of these groups. */
  readonly anyOf?: readonly FieldGroup[] | undefined
  /** Exactly one of these groups. */
  readonly oneOf?: readonly FieldGroup[] | undefined
  readonly not?: { readonly anyOf: readonly Exclusion[] } | undefined
  /** Fields that a field needs beside it. */
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>> | undefined
  /** The field that may stand for the whole object where people write text: `24V` for `{ volts: 24 }`. */
  readonly 'x-alone'?: string | undefined
}

export interface ObjectSchema<Properties = Fields, Required extends string = string> extends Described, FieldRules {
  readonly type: 'object'
  readonly properties: Properties
  readonly required: readonly Required[]
  /** Whether it may have any other fields. */
  readonly additionalProperties: boolean
}

type ObjectValue<Properties, Required extends string> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: ValueOf<Properties[Name]>
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: ValueOf<Properties[Name]>
}

/** The type of the values of a schema. */
export type ValueOf<S> =
  S extends ObjectSchema<infer Properties, infer Required>
    ? ObjectValue<Properties, Required>
    : S extends ListSchema<infer Item>
      ? readonly ValueOf<Item>[]
      : S extends LiteralSchema<infer Word>
        ? Word
        : S extends ChoiceSchema<infer Word>
          ? Word
          : S extends IntegerChoiceSchema<infer Value>
            ? Value
            : S extends IntegerSchema | DecimalSchema
              ? number
              : S extends BooleanSchema
                ? boolean
                : S extends TextSchema
                  ? string
                  : never
