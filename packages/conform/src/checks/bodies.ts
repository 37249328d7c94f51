import { type Draft, type Effect } from '../check.ts'
import type { Device, Fields } from '../device.ts'
import { equal, hasShape, type Shape } from '../expect.ts'

/** Path and body that a check uses; wired ones need the device. */
export type Sample = (device: Device) => { readonly path: string; readonly body: Fields }

/** A value of another type than the given one, for each type. */
function wrongTypes(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [String(value), null, value + 0.5, true, [value]]
  if (typeof value === 'boolean') return [String(value), null, Number(value), {}]
  if (typeof value === 'string') return [5, null, true, [value]]
  return [null, {}, 'x', 5]
}

/** The body of an endpoint: every field must be there, in its case and of its type. */
export function bodyChecks(effect: Effect, name: string, sample: Sample): readonly Draft[] {
  const refusesAll = (bodies: (body: Fields) => readonly unknown[]) => async (device: Device) => {
    const { path, body } = sample(device)
    for (const each of bodies(body)) await device.refuses(path, each)
  }
  const entries = (body: Fields) => Object.entries(body)
  const missing = (body: Fields) => [{}, ...entries(body).map(([key]) => ({ ...body, [key]: undefined }))]
  const wrong = (body: Fields) =>
    entries(body).flatMap(([key, value]) => wrongTypes(value).map((each) => ({ ...body, [key]: each })))
  const upper = (body: Fields) => entries(body).map(([key, value]) => ({ ...body, [key]: undefined, [key.toUpperCase()]: value }))
  const post = `POST ${name}`
  return [
    { name: `${name}-missing`, effect, does: `${post} without each of its fields is refused`, run: refusesAll(missing) },
    {
      name: `${name}-type`,
      effect,
      does: `${post} with a value of another type is refused, for each field`,
      run: refusesAll(wrong),
    },
    { name: `${name}-case`, effect, does: `${post} with a name in capitals is refused, for each field`, run: refusesAll(upper) },
  ]
}

/** Values of one field: those inside its bounds succeed, those beyond are refused. */
export function bounds(
  effect: Effect,
  name: string,
  field: string,
  sample: Sample,
  {
    accepts = [],
    refuses = [],
    statuses,
  }: { accepts?: readonly unknown[]; refuses?: readonly unknown[]; statuses?: readonly number[] },
): readonly Draft[] {
  const post = `POST ${name} with ${field}`
  const make = (
    part: string,
    does: string,
    values: readonly unknown[],
    judge: (device: Device, path: string, body: Fields) => Promise<unknown>,
  ) =>
    values.length === 0
      ? []
      : [
          {
            name: `${name}-${field}-${part}`,
            effect,
            does: `${post} ${values.map((value) => JSON.stringify(value)).join(', ')} ${does}`,
            run: async (device: Device) => {
              const { path, body } = sample(device)
              for (const value of values) await judge(device, path, { ...body, [field]: value })
            },
          },
        ]
  return [
    ...make('inside', 'succeeds', accepts, (device, path, body) => device.set(path, body)),
    ...make('beyond', 'is refused', refuses, (device, path, body) => device.refuses(path, body, statuses)),
  ]
}

/** A GET answers an object with these fields. */
export function shaped(name: string, path: string, shape: Shape): Draft {
  const run = async (device: Device) => hasShape(await device.read(path), shape)
  return { name, effect: 'read', does: `GET ${path.replace(':', ' ')} answers ${words(shape)}`, run }
}

/** A POST answers exactly `{"status":"success"}`. */
export function okBody(effect: Effect, name: string, sample: Sample): Draft {
  const run = async (device: Device) => {
    const { path, body } = sample(device)
    equal(await device.set(path, body), { status: 'success' }, `POST ${path}`)
  }
  return { name: `${name}-ok`, effect, does: `POST ${name} answers {"status":"success"} alone`, run }
}

function words(shape: Shape): string {
  if (typeof shape === 'string') return { uint: 'whole numbers', float: 'numbers', bool: 'booleans', text: 'strings' }[shape]
  return Array.isArray(shape)
    ? shape.join('|')
    : Object.keys(shape)
        .join(', ')
        .replace(/^each$/, 'a list')
}
