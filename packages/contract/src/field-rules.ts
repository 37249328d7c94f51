import { enumeration } from '@slotwire/core'
import type { ObjectSchema, Schema } from './schema.ts'
import { expectation } from './wording.ts'

/** Checks a value: undefined, or a message that begins with the name of the field. */
export type Check = (value: unknown, field: string) => string | undefined
export type JsonObject = Readonly<Record<string, unknown>>
type RuleCheck = (value: JsonObject, prefix: string) => string | undefined

/** Makes the check of the rules between the fields of an object whose fields are valid. `prefix` is the path of the object, with its dot. */
export function fieldRulesCheck(schema: ObjectSchema, compileCheck: (schema: Schema) => Check): RuleCheck {
  const checks = [
    ...conditionChecks(schema, compileCheck),
    groupCheck(schema),
    ...exclusionChecks(schema),
    ...neededChecks(schema),
  ]
  return (value, prefix) => firstProblem(checks, (check) => check(value, prefix))
}

function conditionChecks({ properties, allOf = [] }: ObjectSchema, compileCheck: (schema: Schema) => Check): RuleCheck[] {
  return allOf.flatMap(({ if: { properties: condition }, then: { required = [], properties: narrower = {} } }) =>
    Object.entries(condition).map(([name, { const: wanted }]): RuleCheck => {
      const reason = `when ${name} is ${wanted}`
      const narrow = Object.entries(narrower).map(([field, own]) => [field, compileCheck(own)] as const)
      return (value, prefix) => {
        if (value[name] !== wanted) return undefined
        const missing = absent(required, value)
        if (missing !== undefined)
          return `${prefix}${missing} is missing: ${expected(missing, { ...properties, ...narrower })}, needed ${reason}`
        return firstProblem(narrow, ([field, check]) => {
          const problem = Object.hasOwn(value, field) ? check(value[field], `${prefix}${field}`) : undefined
          return problem === undefined ? undefined : `${problem}, ${reason}`
        })
      }
    }),
  )
}

function groupCheck({ properties, anyOf, oneOf }: ObjectSchema): RuleCheck {
  const groups = (oneOf ?? anyOf ?? []).map(({ required }) => required)
  const wordsOf = (some: typeof groups): string => some.map((group) => group.join(' and ')).join(', or ')
  return (value, prefix) => {
    const begun = groups.filter((group) => group.some((name) => Object.hasOwn(value, name)))
    if (oneOf !== undefined && begun.length > 1)
      return `${prefix}${given(begun, value)} exclude each other: give ${wordsOf(groups)}`
    if (groups.some((group) => absent(group, value) === undefined)) return undefined
    const group = begun[0] ?? groups[0] ?? []
    const missing = absent(group, value)
    const others = wordsOf(groups.filter((other) => other !== group))
    return missing === undefined
      ? undefined
      : `${prefix}${missing} is missing: ${expected(missing, properties)}, or give ${others}`
  }
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
      : `${prefix}${missing} is missing: ${expected(missing, properties)}, needed with ${name}`
  })
}

function absent(names: readonly string[], value: JsonObject): string | undefined {
  return names.find((name) => !Object.hasOwn(value, name))
}

function expected(name: string, properties: ObjectSchema['properties']): string {
  const schema = properties[name]
  return schema === undefined ? 'a value' : expectation(schema)
}

export function firstProblem<Item>(
  items: readonly Item[],
  problem: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = problem(item, index)
    if (found !== undefined) return found
  }
  return undefined
}
