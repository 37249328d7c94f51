import { enumeration, isRecord, missingField, nearest, unknownField } from '@slotwire/core'
import type { Endpoint } from './endpoint.ts'
import type { DecimalSchema, IntegerSchema, ObjectSchema, Schema, TextSchema } from './schema.ts'
import { boundsOf, expectation, notAllowed, notValue, outOfRange, rangeText, shownName, shownValue } from './wording.ts'

/** Checks a value: undefined, or a message that begins with the name of the field. */
type Check = (value: unknown, field: string) => string | undefined
type JsonObject = Readonly<Record<string, unknown>>
type RuleCheck = (value: JsonObject, prefix: string) => string | undefined

/** Returns undefined, or one message with the first invalid field, its bounds and the remedy. Never throws. */
export type Validator = (value: unknown) => string | undefined

/** Makes the check of any schema; `name` is the name of the whole value in messages. */
export function compile(schema: Schema, name = 'the value'): Validator {
  if (schema.type === 'object') {
    const check = objectCheck(schema)
    return (value) => (isRecord(value) ? check(value, '') : `${name} must be a JSON object`)
  }
  const check = compileCheck(schema)
  return (value) => check(value, name)
}

/** What is wrong with the value of a field: one sentence with the field, what is allowed, and the remedy. Undefined for a valid value. */
export function mistake(schema: Schema, value: unknown, field: string): string | undefined {
  return compileCheck(schema)(value, field)
}

/** Returns the value if it is valid. Otherwise throws `RangeError` with the sentence of `mistake`. */
export function checked<Value>(field: string, schema: Schema, value: Value): Value {
  const problem = mistake(schema, value, field)
  if (problem === undefined) return value
  throw new RangeError(problem)
}

/** Makes the check of an endpoint's request body: its schema, then the rules between fields. An endpoint without a body accepts any. */
export function compileBody(endpoint: Pick<Endpoint, 'body' | 'check'>): Validator {
  if (endpoint.body === undefined) return () => undefined
  const validate = compile(endpoint.body, 'the body')
  return (value) => validate(value) ?? endpoint.check?.(value as object)
}

function compileCheck(schema: Schema): Check {
  switch (schema.type) {
    case 'integer':
      return 'enum' in schema ? choiceCheck(schema.enum, 'an integer', expectation(schema)) : numberCheck(schema)
    case 'number':
      return numberCheck(schema)
    case 'boolean':
      return (value, field) => (typeof value === 'boolean' ? undefined : wrongKind(field, 'true or false', value))
    case 'string':
      if ('enum' in schema) return choiceCheck(schema.enum, 'a string', expectation(schema))
      if ('const' in schema) return choiceCheck([schema.const], 'a string', `it must be ${schema.const}`)
      return textCheck(schema)
    case 'array':
      return listCheck(schema)
    case 'object': {
      const check = objectCheck(schema)
      return (value, field) => (isRecord(value) ? check(value, field) : wrongKind(field, 'an object', value))
    }
  }
}

/** Text is shown where it is not free: that can be a secret. */
function wrongKind(field: string, expected: string, value: unknown): string {
  return `${field} must be ${expected}, not ${shownValue(value)}`
}

function numberCheck(schema: IntegerSchema | DecimalSchema): Check {
  const isWhole = schema.type === 'integer'
  const { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE } = schema
  const smallest = isWhole ? schema.anyOf?.[1].minimum : undefined
  const bounds = boundsOf(schema)
  const unbounded = bounds.range === undefined && schema.minimum === undefined && schema.maximum === undefined
  const unit = bounds.unit === undefined ? '' : `: in ${bounds.unit}`
  const allowed = unbounded ? unit : `: ${rangeText(bounds)}`
  return (value, field) => {
    if (typeof value !== 'number') return `${wrongKind(field, isWhole ? 'an integer' : 'a number', value)}${allowed}`
    const isInside = value >= minimum && value <= maximum && (value === 0 || value >= (smallest ?? value))
    if (isWhole && value % 1) return `${field} must be a whole number${allowed}${notValue(value)}`
    if (isInside) return undefined
    return unbounded && !isWhole ? `${field} is out of range: it is too large a number` : outOfRange(field, bounds, value)
  }
}

function textCheck({ maxLength = Number.POSITIVE_INFINITY, pattern = '', 'x-form': form }: TextSchema): Check {
  return (value, field) => {
    if (typeof value !== 'string') return wrongKind(field, 'a string', value)
    if (!value.match(pattern)) return notAllowed(field, `${form}`, value)
    return value.length > maxLength ? `${field} is too long: at most ${maxLength} characters` : undefined
  }
}

function choiceCheck(values: readonly unknown[], noun: string, allowed: string): Check {
  return (value, field) => {
    if (typeof value !== typeof values[0]) return `${wrongKind(field, noun, value)}: ${allowed}`
    if (values.includes(value)) return undefined
    const meant = typeof value === 'string' && nearest(value, values.map(String))
    return `${notAllowed(field, allowed, value)}${meant ? `; did you mean ${meant}?` : ''}`
  }
}

function listCheck(schema: Schema & { readonly type: 'array' }): Check {
  const check = compileCheck(schema.items)
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  const onePer = schema['x-one-per']
  const remedy = onePer === undefined ? '' : `: one per ${onePer}`
  return (value, field) => {
    if (!Array.isArray(value)) return wrongKind(field, 'an array', value)
    if (value.length < minItems || value.length > maxItems) return `${field} must have ${maxItems} items${remedy}`
    return firstProblem(value, (item, index) => check(item, `${field}[${index}]`))
  }
}

function objectCheck(schema: ObjectSchema): (value: JsonObject, path: string) => string | undefined {
  const names = Object.keys(schema.properties)
  const known = new Set(names)
  const fields = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    required: schema.required.includes(name),
    expected: expectation(property),
    check: compileCheck(property),
  }))
  const checkRules = fieldRulesCheck(schema)
  return (value, path) => {
    const prefix = path === '' ? '' : `${path}.`
    const unknown = schema.additionalProperties ? undefined : Object.keys(value).find((name) => !known.has(name))
    // Report it first: a misspelt field also causes a missing one.
    if (unknown !== undefined) {
      const free = names.filter((name) => !Object.hasOwn(value, name))
      return unknownField(`${prefix}${shownName(unknown)}`, nearest(unknown, free), names)
    }
    const problem = firstProblem(fields, ({ name, required, expected, check }) => {
      if (Object.hasOwn(value, name)) return check(value[name], `${prefix}${name}`)
      return required ? missingField(`${prefix}${name}`, expected) : undefined
    })
    return problem ?? checkRules(value, prefix)
  }
}

/** Makes the check of the rules between the fields of an object whose fields are valid. `prefix` is the path of the object, with its dot. */
function fieldRulesCheck(schema: ObjectSchema): RuleCheck {
  const checks = [...conditionChecks(schema), ...groupChecks(schema), ...exclusionChecks(schema), ...neededChecks(schema)]
  return (value, prefix) => firstProblem(checks, (check) => check(value, prefix))
}

function conditionChecks({ properties, allOf = [] }: ObjectSchema): RuleCheck[] {
  return allOf.flatMap(({ if: { properties: condition }, then: { required = [], properties: narrower = {} } }) =>
    Object.entries(condition).map(([name, { const: wanted }]): RuleCheck => {
      const reason = `when ${name} is ${wanted}`
      const narrow = Object.entries(narrower).map(([field, own]) => [field, compileCheck(own)] as const)
      return (value, prefix) => {
        if (value[name] !== wanted) return undefined
        const missing = absent(required, value)
        if (missing !== undefined)
          return `${missingField(`${prefix}${missing}`, expectedField(missing, { ...properties, ...narrower }))}, needed ${reason}`
        return firstProblem(narrow, ([field, check]) => {
          const problem = Object.hasOwn(value, field) && check(value[field], `${prefix}${field}`)
          return problem ? `${problem}, ${reason}` : undefined
        })
      }
    }),
  )
}

function groupChecks({ properties, anyOf, oneOf }: ObjectSchema): RuleCheck[] {
  const groups = (oneOf ?? anyOf ?? []).map(({ required }) => required)
  if (groups.length === 0) return []
  const wordsOf = (some: typeof groups): string => some.map((group) => group.join(' and ')).join(', or ')
  const check: RuleCheck = (value, prefix) => {
    const begun = groups.filter((group) => group.some((name) => Object.hasOwn(value, name)))
    if (oneOf !== undefined && begun.length > 1)
      return `${prefix}${given(begun, value)} exclude each other: give ${wordsOf(groups)}`
    if (groups.some((group) => absent(group, value) === undefined)) return undefined
    const group = begun[0] ?? groups[0] ?? []
    const missing = absent(group, value)
    const others = wordsOf(groups.filter((other) => other !== group))
    return missing === undefined
      ? undefined
      : `${missingField(`${prefix}${missing}`, expectedField(missing, properties))}, or give ${others}`
  }
  return [check]
}

/** The first given field of each group. */
function given(groups: readonly (readonly string[])[], value: JsonObject): string {
  return enumeration(groups.flatMap((group) => group.filter((name) => Object.hasOwn(value, name)).slice(0, 1)))
}

function exclusionChecks({ not }: ObjectSchema): RuleCheck[] {
  return (not?.anyOf ?? []).map(({ required, properties = {} }) => (value, prefix) => {
    const others = Object.entries(properties).some(([name, { const: excluded }]) => value[name] !== excluded)
    if (others || absent(required, value) !== undefined) return undefined
    const words = Object.entries(properties).map(([name, { const: excluded }]) => ` when ${name} is ${excluded}`)
    return `${prefix}${enumeration(required)} exclude each other${words.join('')}: give one of them`
  })
}

function neededChecks({ properties, dependentRequired = {} }: ObjectSchema): RuleCheck[] {
  return Object.entries(dependentRequired).map(([name, needed]) => (value, prefix) => {
    const missing = Object.hasOwn(value, name) ? absent(needed, value) : undefined
    return missing === undefined
      ? undefined
      : `${missingField(`${prefix}${missing}`, expectedField(missing, properties))}, needed with ${name}`
  })
}

function absent(names: readonly string[], value: JsonObject): string | undefined {
  return names.find((name) => !Object.hasOwn(value, name))
}

function expectedField(name: string, properties: ObjectSchema['properties']): string {
  const schema = properties[name]
  return schema === undefined ? 'a value' : expectation(schema)
}

function firstProblem<Item>(
  items: readonly Item[],
  problem: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const sentence = problem(item, index)
    if (sentence !== undefined) return sentence
  }
  return undefined
}
