import { compile, type ObjectSchema, type Schema, type Validator } from '@slotwire/contract'

export const BENCH = '/slotwire/bench'

/** A request to the bench that changes something, as its API document describes it; of an action with kinds, one for each kind. */
export interface Operation {
  /** Last part of the path, or the kind: `square_wave`. */
  readonly name: string
  /** `/slotwire/bench/connect`. */
  readonly path: string
  readonly summary: string
  /** The fields of its form. Undefined: it takes no body. */
  readonly body: ObjectSchema | undefined
  /** Values of the form that work. */
  readonly example: Values
  /** The body of the request from the values of the form. */
  readonly bodyOf: (values: Values) => Values
  /** What is wrong with the body of a request, in the words of the server. */
  readonly check: Validator
}

export type Values = Readonly<Record<string, unknown>>

/** The requests that the bench knows. New actions, and new kinds of elements and faults, appear by themselves. */
export type BenchApi = readonly Operation[]

/** Requests that have a control of their own. */
const SPECIAL = /\/(time|scenario|trace)\/|\/(connect|wire|short|disconnect|plug|unplug)$/

interface Post {
  readonly summary?: string
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: Values }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: Post }>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** Reads the API document of the bench. */
export function readBenchApi(document: unknown): BenchApi {
  const { paths, components } = document as Document
  return Object.entries(paths).flatMap(([path, { post }]): Operation[] => {
    if (post === undefined) return []
    const { schema, example = {} } = post.requestBody?.content['application/json'] ?? {}
    const body = schema === undefined ? undefined : (withoutReferences(schema, components.schemas) as ObjectSchema)
    const check = body === undefined ? () => undefined : compile(body, 'the body')
    const name = path.slice(path.lastIndexOf('/') + 1)
    const whole: Operation = { name, path, summary: post.summary ?? '', body, example, bodyOf: (values) => values, check }
    const kinds = body === undefined ? [] : kindsOf(body)
    return kinds.length === 0 || body === undefined ? [whole] : kinds.map((kind) => operationOf(whole, body, kind))
  })
}

interface Kind {
  readonly name: string
  readonly settings: ObjectSchema
  /** The field that has the kinds; undefined: the body itself. */
  readonly inside: string | undefined
}

/** The kinds of a body, or of a field in it: exactly one is given. */
function kindsOf({ properties, oneOf = [] }: ObjectSchema, inside?: string): readonly Kind[] {
  const own = oneOf.flatMap(({ required: [name = '', second] }): Kind[] => {
    const settings = properties[name]
    return second === undefined && settings?.type === 'object' ? [{ name, settings, inside }] : []
  })
  if (own.length > 0 || inside !== undefined) return own
  return Object.entries(properties).flatMap(([name, field]) => (field.type === 'object' ? kindsOf(field, name) : []))
}

/** The operation for one kind: its settings are fields of the form. */
function operationOf(whole: Operation, body: ObjectSchema, { name, settings, inside }: Kind): Operation {
  const others = kindsOf(body).map((kind) => kind.inside ?? kind.name)
  const own = Object.entries(body.properties).filter(([field]) => !others.includes(field))
  const names = own.map(([field]) => field)
  const ofKind = (inside === undefined ? whole.example : (whole.example[inside] as Values))[name] as Values | undefined
  const bodyOf = (values: Values): Values => {
    const [mine, inner] = [true, false].map((isOwn) =>
      Object.fromEntries(Object.entries(values).filter(([field]) => names.includes(field) === isOwn)),
    )
    return { ...mine, ...(inside === undefined ? { [name]: inner } : { [inside]: { [name]: inner } }) }
  }
  return {
    ...whole,
    name,
    summary: settings.description ?? whole.summary,
    body: {
      ...settings,
      properties: { ...settings.properties, ...Object.fromEntries(own) },
      required: [...settings.required, ...body.required.filter((field) => names.includes(field))],
    },
    example: Object.fromEntries([
      ...Object.entries(whole.example).filter(([field]) => names.includes(field) && body.required.includes(field)),
      ...Object.entries(settings.properties).flatMap(([field, { examples = [] }]) =>
        examples.map((value) => [field, value] as const),
      ),
      ...Object.entries(ofKind ?? {}),
    ]),
    bodyOf,
  }
}

/** What can be connected to a pin, wires included. */
export function elementsOf(api: BenchApi): readonly Operation[] {
  return api.filter(({ path }) => /\/(connect|wire)$/.test(path))
}

/** Faults first, then surroundings and all else that a form is enough for. */
export function othersOf(api: BenchApi): readonly Operation[] {
  const others = api.filter(({ path }) => !SPECIAL.test(path)).flatMap((each) => ofModules(each, api))
  return others.sort((one, other) => Number(other.path.endsWith('/fault')) - Number(one.path.endsWith('/fault')))
}

/** An operation on connections or modules, for modules alone; none if no module type has such settings. */
function ofModules(operation: Operation, api: BenchApi): readonly Operation[] {
  const { body } = operation
  if (body?.properties['of'] === undefined || body.properties['slot'] === undefined) return [operation]
  const modules = api.find(({ path }) => path.endsWith('/plug'))?.body?.properties['module']
  const types = modules !== undefined && 'enum' in modules ? modules.enum.map(String) : []
  const fields = Object.entries(body.properties).filter(([name, { description = '' }]) => {
    const of = /^of (.*)$/.exec(description)?.[1]?.split(', ')
    return name !== 'of' && name !== 'for_ms' && (of === undefined || of.some((type) => types.includes(type)))
  })
  if (fields.length < 2) return []
  return [{ ...operation, body: { ...body, properties: Object.fromEntries(fields), required: fields.map(([name]) => name) } }]
}

/** Schemas that the document stores once, in place. */
function withoutReferences(value: unknown, schemas: Document['components']['schemas']): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...fields } = value as { readonly $ref?: string }
  const stored = $ref === undefined ? {} : schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
  return Object.fromEntries(
    Object.entries({ ...stored, ...fields }).map(([name, each]) => [name, withoutReferences(each, schemas)]),
  )
}

/** Fields that have a value: an empty field of a form is not sent, nor an object without fields. */
export function filledFields(values: Values): Values {
  const kept = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined || value === '') return []
    if (Array.isArray(value)) return value.some((item) => item !== '') ? [[name, value]] : []
    if (typeof value !== 'object' || value === null) return [[name, value]]
    const inner = filledFields(value as Values)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  })
  return Object.fromEntries(kept)
}
