import { type Collected, type Effect, runAll, type Step, step, wordsOf } from '../check.ts'
import { type Device, type Fields, type ServiceName, serviceNames } from '../device.ts'
import { equal, hasShape, type Shape, that } from '../expect.ts'

export const RESET = { reset: 'yes' }
const shown = (value: unknown): string => JSON.stringify(value)

export const wait = (ms: number) => step(`${ms} ms pass`, (device) => device.wait(ms))
export const restarted = step('the device is back', (device) => device.restarted())
/** A POST that must succeed. */
export const set = (path: string, body: Fields) => step(`POST ${path} ${shown(body)}`, (device) => device.set(path, body))
/** A POST that must answer `{"status":"success"}` alone. */
export const done = (path: string, body: Fields) =>
  step(`POST ${path} ${shown(body)} answers {"status":"success"}`, async (device) =>
    equal(await device.set(path, body), { status: 'success' }, `POST ${path}`),
  )
/** A POST with each of these values of a field must be refused. */
export const refuse = (path: string, body: Fields, field: string, ...values: readonly unknown[]) =>
  step(`POST ${path} with ${field} ${values.map(shown).join(', ')} is refused`, async (device) => {
    for (const value of values) await device.refuses(path, { ...body, [field]: value })
  })
/** A GET must show these values. */
export const shows = (path: string, fields: Fields) =>
  step(`GET ${path} shows ${shown(fields)}`, async (device) => {
    const seen = await device.read(path)
    for (const [name, value] of Object.entries(fields)) equal(seen[name], value, `${name} of ${path}`)
  })
/** A GET must answer fields of these types. */
export const has = (path: string, shape: Shape) =>
  step(`GET ${path} has ${words(shape)}`, async (device) => hasShape(await device.read(path), shape))
export const hardReset: readonly Step[] = [done('bmc:hard_reset', RESET), restarted]

/** The sessions of a service must stay. */
export const keeps = (service: ServiceName, ...steps: readonly Step[]) =>
  step(`the sessions of ${service} stay: ${wordsOf(steps)}`, async (device) => {
    const before = await device.sessions(service)
    await runAll(device, steps)
    equal(await device.sessions(service), before, `sessions of ${service}`)
  })
/** Every session of a device must be new. */
export const renews = (services: readonly ServiceName[], ...steps: readonly Step[]) =>
  step(`every device_session of ${services.join(', ')} is new after: ${wordsOf(steps)}`, async (device) => {
    const before = await Promise.all(services.map((name) => device.sessions(name)))
    await runAll(device, steps)
    for (const [index, name] of services.entries())
      for (const [slot, session] of (await device.sessions(name)).slots)
        that(session !== before[index]?.slots.get(slot), `a new session of slot ${slot}`, session)
  })
/** Runs for each service that has a module. */
export const eachService = (does: string, run: (device: Device, service: ServiceName) => Promise<void>) =>
  step(does, async (device) => {
    for (const service of serviceNames) if (device.slots(service).length > 0) await run(device, service)
  })

function words(shape: Shape): string {
  if (typeof shape === 'string') return { uint: 'whole numbers', float: 'numbers', bool: 'booleans', text: 'strings' }[shape]
  return Array.isArray(shape)
    ? shape.join('|')
    : Object.keys(shape)
        .join(', ')
        .replace(/^each$/, 'a list')
}

/** An endpoint with a body that it accepts, for the checks of its fields. `drive:` stands for the driven pin, which the body gets. */
export interface Endpoint {
  readonly effect: Effect
  readonly path: string
  readonly body: Fields
  /** What it needs before. */
  readonly first?: Step
}

/** A value of another type than the given one, for each type. */
function wrongTypes(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [String(value), null, value + 0.5, true, [value]]
  if (typeof value === 'boolean') return [String(value), null, Number(value), {}]
  if (typeof value === 'string') return [5, null, true, [value]]
  return [null, {}, 'x', 5]
}
const entries = Object.entries
const missing = (body: Fields) => [{}, ...entries(body).map(([key]) => ({ ...body, [key]: undefined }))]
const mistyped = (body: Fields) =>
  entries(body).flatMap(([key, value]) => wrongTypes(value).map((one) => ({ ...body, [key]: one })))
const inCapitals = (body: Fields) =>
  entries(body).map(([key, value]) => ({ ...body, [key]: undefined, [key.toUpperCase()]: value }))

/** Checks of the fields of an endpoint. */
export function fieldChecks(add: Collected) {
  type Judge = (device: Device, path: string, body: Fields) => Promise<unknown>
  const each = (at: Endpoint, name: string, does: string, bodies: (body: Fields) => readonly Fields[], judge: Judge) =>
    add[at.effect](`${at.path.replace(/^\w+:/, '')}-${name}`, `POST ${at.path} ${does}`, async (device) => {
      await at.first?.(device)
      const body = at.path.startsWith('drive:') ? { pin: device.wired.drive.pin, ...at.body } : at.body
      for (const one of bodies(body)) await judge(device, at.path, one)
    })
  const refused: Judge = (device, path, body) => device.refuses(path, body)
  const values = (field: string, list: readonly unknown[]) => (body: Fields) => list.map((value) => ({ ...body, [field]: value }))
  return {
    /** Every field must be there, in its case and of its type. */
    body(at: Endpoint): void {
      each(at, 'missing', 'without each of its fields is refused', missing, refused)
      each(at, 'type', 'with a value of another type is refused, for each field', mistyped, refused)
      each(at, 'case', 'with a name in capitals is refused, for each field', inCapitals, refused)
    },
    /** Values of a field inside its bounds succeed. */
    inside: (at: Endpoint, field: string, ...list: readonly unknown[]) =>
      each(
        at,
        `${field}-inside`,
        `with ${field} ${list.map(shown).join(', ')} succeeds`,
        values(field, list),
        (device, path, body) => device.set(path, body),
      ),
    /** Values of a field beyond its bounds are refused; a pin also as an unknown path. */
    beyond: (at: Endpoint, field: string, ...list: readonly unknown[]) =>
      each(
        at,
        `${field}-beyond`,
        `with ${field} ${list.map(shown).join(', ')} is refused`,
        values(field, list),
        (device, path, body) => device.refuses(path, body, field === 'pin' ? [400, 404, 422] : [400, 422]),
      ),
    /** The answer is `{"status":"success"}` alone. */
    ok: ({ effect, path, body }: Endpoint) => add[effect](`${path.replace(/^\w+:/, '')}-ok`, done(path, body)),
  }
}
