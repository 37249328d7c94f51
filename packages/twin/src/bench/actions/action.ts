import { type Endpoint, type Fields, literal, type ObjectSchema, objectOf, type ValueOf, writes } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { Bench } from '../bench.ts'
import { benchErrors } from '../errors.ts'
import { inSnakeNames } from '../snake-names.ts'
import { withFields } from './settings-schema.ts'

/** What an action replies: `name` is that of the connection or the fault that it made. */
export interface ActionReply {
  readonly name?: string | undefined
  readonly disconnected?: number
  readonly cleared?: number
}

/** An action of the bench as a value. The endpoint, the step, the call in code, the form and the command are derived from it. */
export interface BenchAction<Body extends ObjectSchema = ObjectSchema> extends Pick<Endpoint, 'summary' | 'errors'> {
  readonly description?: string
  /** Its fields. The one that may stand alone is `alone` of the schema. */
  readonly body: Body
  /** Works on the default device. */
  readonly example: Readonly<Record<string, unknown>>
  /** Fields of the reply, besides the status. */
  readonly reply?: Fields
  /** Throws `RangeError` for a mistake in valid fields that no schema can express. */
  check?(values: ValueOf<Body>): void
  /** The kind of the thing that gets the name `as`: `resistor`, `wire`, `fault`. */
  makes?(values: ValueOf<Body>): string
  /** The body for an element of this kind, or a `module`, where that is known before the action runs. */
  bodyFor?(kind: string): ObjectSchema
  /** Whether it takes time, so that the device must run. */
  readonly isAwaited?: boolean
  /** Throws `RangeError` if the bench cannot do it now. */
  run(bench: Bench, values: ValueOf<Body>): ActionReply | void | Promise<void>
}

/** Keeps the type of the body, so that `run` gets its values. */
export const defineAction = <Body extends ObjectSchema>(action: BenchAction<Body>): BenchAction<Body> => action

/** Path of the bench over HTTP. */
export const BENCH_ROOT = '/slotwire/bench'
/** Common properties of changing endpoints. */
export const benchWrite = { ...writes, spec: 'an extension of the project, for virtual devices' } as const

/** The endpoint of an action: all its fields are in the body. */
export function actionEndpoint(name: string, action: BenchAction): Endpoint {
  const { body, example, summary, description, reply = {}, errors } = action
  const hasFields = Object.keys(body.properties).length > 0
  return {
    ...benchWrite,
    path: `${BENCH_ROOT}/${name}`,
    ...(hasFields ? { body, example } : {}),
    reply: withFields(objectOf({ status: literal('success') }), reply),
    summary,
    ...(description === undefined ? {} : { description }),
    errors: [...errors, benchErrors.refused],
    ...(action.check === undefined
      ? {}
      : { check: (values) => mistakeOf(() => action.check?.(values as ValueOf<ObjectSchema>)) }),
  }
}

/** The message of the `RangeError` of a check, with names as in JSON and YAML; undefined if all is well. */
export function mistakeOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return inSnakeNames(error.message)
    throw error
  }
}

/** Does an action whose fields are valid. Throws or rejects with `SlotwireError` if the bench refuses it. */
export function perform(action: BenchAction, bench: Bench, values: object): ActionReply | Promise<ActionReply> {
  const reply = translated(
    () => action.run(bench, values as ValueOf<ObjectSchema>),
    (cause) => benchErrors.refused({ reason: inSnakeNames(cause.message) }, { cause }),
  )
  return reply instanceof Promise ? reply.then(() => ({})) : (reply ?? {})
}

/** What `look` returns; throws `error` in place of its `RangeError`. */
export const orThrow = <Found>(look: () => Found, error: Error): Found => translated(look, () => error)

/** Runs `work` on fields, and turns a `RangeError` into the error of an invalid field. `names` are settings of module types. */
export const asField = <Result>(work: () => Result, names: readonly string[] = []): Result =>
  translated(work, (cause) => coreErrors.invalidField({ reason: inSnakeNames(cause.message, names) }, { cause }))

function translated<Result>(work: () => Result, errorOf: (cause: RangeError) => Error): Result {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof RangeError ? errorOf(cause) : cause
  }
}
