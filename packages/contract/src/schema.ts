/**
 * The part of JSON Schema 2020-12 that contracts use. A schema is its own JSON: it goes into the API document as it is.
 * `x-unit` is the physical unit, `x-range` the bounds in words where `minimum` and `maximum` cannot say them (they depend on other fields,
 * or have a gap), `x-one-per` what an array has one item for.
 */
export type Schema =
  | IntegerSchema
  | IntegerChoiceSchema
  | DecimalSchema
  | FlagSchema
  | TextSchema
  | ChoiceSchema
  | ConstantSchema
  | ListSchema
  | ObjectSchema

export interface IntegerSchema {
  readonly type: 'integer'
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly 'x-unit'?: string | undefined
  readonly 'x-range'?: string | undefined
  readonly description?: string | undefined
}

export interface IntegerChoiceSchema<Value extends number = number> {
  readonly type: 'integer'
  readonly enum: readonly Value[]
  readonly 'x-unit'?: string | undefined
  readonly description?: string | undefined
}

export interface DecimalSchema {
  readonly type: 'number'
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly 'x-unit'?: string | undefined
  readonly description?: string | undefined
}

export interface FlagSchema {
  readonly type: 'boolean'
  readonly description?: string | undefined
}

export interface TextSchema {
  readonly type: 'string'
  /** In UTF-16 code units. */
  readonly maxLength?: number | undefined
  readonly description?: string | undefined
}

export interface ChoiceSchema<Word extends string = string> {
  readonly type: 'string'
  readonly enum: readonly Word[]
  readonly description?: string | undefined
}

export interface ConstantSchema<Word extends string = string> {
  readonly type: 'string'
  readonly const: Word
  readonly description?: string | undefined
}

export interface ListSchema<Item = Schema> {
  readonly type: 'array'
  readonly items: Item
  /** Both or neither, and the same: a list has a fixed length or any. */
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
  readonly 'x-one-per'?: string | undefined
  readonly description?: string | undefined
}

export type Fields = Readonly<Record<string, Schema>>

export interface ObjectSchema<Properties = Fields, Required extends string = string> {
  readonly type: 'object'
  readonly properties: Properties
  readonly required: readonly Required[]
  /** Whether it may have fields beside its properties: anything. */
  readonly additionalProperties: boolean
  readonly description?: string | undefined
}

type ObjectValue<Properties, Required extends string> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: ValueOf<Properties[Name]>
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: ValueOf<Properties[Name]>
}

/** The type of the values that a schema describes. */
export type ValueOf<S> =
  S extends ObjectSchema<infer Properties, infer Required>
    ? ObjectValue<Properties, Required>
    : S extends ListSchema<infer Item>
      ? readonly ValueOf<Item>[]
      : S extends ConstantSchema<infer Word>
        ? Word
        : S extends ChoiceSchema<infer Word>
          ? Word
          : S extends IntegerChoiceSchema<infer Value>
            ? Value
            : S extends IntegerSchema | DecimalSchema
              ? number
              : S extends FlagSchema
                ? boolean
                : S extends TextSchema
                  ? string
                  : never
