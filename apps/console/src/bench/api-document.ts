import { compile, type ObjectSchema, type Schema, type Validator } from '@slotwire/contract'

export const BENCH = '/slotwire/bench'

/** A request to the bench that changes something, as its API document describes it. */
export interface Operation {
  /** Last part of the path: `square_wave`. */
  readonly name: string
  /** `/slotwire/bench/pin/{slot}/{pin}/square_wave`. */
  readonly path: string
  readonly summary: string
  /** Undefined: it takes no body. */
  readonly body: ObjectSchema | undefined
  /** A body that works. */
  readonly example: Values
  /** What is wrong with a body, in the words of the server. */
  readonly check: Validator
}

export type Values = Readonly<Record<string, unknown>>

/** The requests that the bench knows, by path. New kinds of elements and faults appear by themselves. */
export type BenchApi = ReadonlyMap<string, Operation>

const PIN = `${BENCH}/pin/{slot}/{pin}/`
const NO_ELEMENT = 'disconnect'
/** Requests that have a control of their own, or need more than a form. */
const SPECIAL = /\{pin\}|\{number\}|\/time\/|\/scenario\/|\/trace\/|plug$/

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
  const found = Object.entries(paths).flatMap(([path, { post }]): Operation[] => {
    if (post === undefined) return []
    const { schema, example = {} } = post.requestBody?.content['application/json'] ?? {}
    const body = schema === undefined ? undefined : (withoutReferences(schema, components.schemas) as ObjectSchema)
    const check = body === undefined ? () => undefined : compile(body, 'the body')
    return [{ name: path.slice(path.lastIndexOf('/') + 1), path, summary: post.summary ?? '', body, example, check }]
  })
  return new Map(found.map((operation) => [operation.path, operation]))
}

/** What can be connected to a pin, wires included. */
export function elementsOf(api: BenchApi): readonly Operation[] {
  return [...api.values()].filter(({ path, name }) => path.startsWith(PIN) && name !== NO_ELEMENT)
}

/** Faults first, then surroundings and all else that a form is enough for. */
export function othersOf(api: BenchApi): readonly Operation[] {
  const others = [...api.values()].filter(({ path }) => !SPECIAL.test(path))
  return others.sort((one, other) => Number(other.path.includes('/fault/')) - Number(one.path.includes('/fault/')))
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

/** The path with these numbers: `{ slot: 3, pin: 1 }`. */
export function pathWith({ path }: Pick<Operation, 'path'>, numbers: Readonly<Record<string, number>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(numbers[name]))
}

/** Fields that have a value: an empty field of a form is not sent, nor an object without fields. */
export function given(values: Values): Values {
  const kept = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined || value === '') return []
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, value]]
    const inner = given(value as Values)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  })
  return Object.fromEntries(kept)
}
