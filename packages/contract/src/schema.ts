/**
 * The part of JSON Schema 2020-12 that contracts use. A schema is its own JSON: it goes into the API document unchanged. `x-unit` is the
 * physical unit. `x-range` has the bounds in words if `minimum` and `maximum` cannot express them (they depend on other fields, or have a
 * gap). `x-one-per` names what an array has one item for.
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

export interface IntegerSchema {
  readonly type: 'integer'
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-unit'?: string
  readonly 'x-range'?: string
  readonly description?: string
}

export interface IntegerChoiceSchema<Value extends number = number> {
  readonly type: 'integer'
  readonly enum: readonly Value[]
  readonly 'x-unit'?: string
  readonly description?: string
}

export interface DecimalSchema {
  readonly type: 'number'
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-unit'?: string
  readonly description?: string
}

export interface BooleanSchema {
  readonly type: 'boolean'
  readonly description?: string
}

export interface TextSchema {
  readonly type: 'string'
  /** In UTF-16 code units. */
  readonly maxLength?: number
  readonly description?: string
}

export interface ChoiceSchema<Word extends string = string> {
  readonly type: 'string'
  readonly enum: readonly Word[]
  readonly description?: string
}

export interface LiteralSchema<Word extends string = string> {
  readonly type: 'string'
  readonly const: Word
  readonly description?: string
}

export interface ListSchema<Item = Schema> {
  readonly type: 'array'
  readonly items: Item
  /** Both or neither, and equal: a list has a fixed length or any. */
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-one-per'?: string
  readonly description?: string
}

export type Fields = Readonly<Record<string, Schema>>

export interface ObjectSchema<Properties = Fields, Required extends string = string> {
  readonly type: 'object'
  readonly properties: Properties
  readonly required: readonly Required[]
  /** Whether it may have any other fields. */
  readonly additionalProperties: boolean
  readonly description?: string
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
