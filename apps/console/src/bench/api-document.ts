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

/** The requests that the bench knows. New kinds of elements and faults appear by themselves. */
export interface BenchApi {
  /** By path. */
  readonly operations: ReadonlyMap<string, Operation>
  /** What can be connected to a pin. */
  readonly elements: readonly Operation[]
  readonly faults: readonly Operation[]
}

const PIN = `${BENCH}/pin/{slot}/{pin}/`
const FAULT = `${BENCH}/slot/{slot}/fault/`
/** Requests to a pin that connect no element. */
const NO_ELEMENTS = ['wire', 'disconnect']

interface Reference {
  readonly $ref: string
}

interface Post {
  readonly summary?: string
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema | Reference; readonly example?: Values }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: Post }>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** Reads the API document of the bench. */
export function readBenchApi(document: unknown): BenchApi {
  const { paths, components } = document as Document
  const found = Object.entries(paths).flatMap(([path, { post }]) =>
    post === undefined ? [] : [operationOf(path, post, components.schemas)],
  )
  return {
    operations: new Map(found.map((operation) => [operation.path, operation])),
    elements: found.filter(({ path, name }) => path.startsWith(PIN) && !NO_ELEMENTS.includes(name)),
    faults: found.filter(({ path }) => path.startsWith(FAULT)),
  }
}

function operationOf(path: string, { summary = '', requestBody }: Post, schemas: Readonly<Record<string, unknown>>): Operation {
  const { schema, example = {} } = requestBody?.content['application/json'] ?? {}
  const body = schema === undefined ? undefined : (withoutReferences(schema, schemas) as ObjectSchema)
  const check = body === undefined ? () => undefined : compile(body, 'the body')
  return { name: path.slice(path.lastIndexOf('/') + 1), path, summary, body, example, check }
}

/** Schemas that the document stores once, in place. */
function withoutReferences(value: unknown, schemas: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...fields } = value as Partial<Reference>
  const stored = $ref === undefined ? {} : (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] as object)
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
