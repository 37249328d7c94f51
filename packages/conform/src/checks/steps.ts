import { type CheckStep, runAll, step, wordsOf } from '../check.ts'
import type { JsonFields, ServiceName } from '../device.ts'
import { equal, that } from '../expect.ts'

export const RESET = { reset: 'yes' }
export const rails = ['3v3', '5v0', '12v'] as const
/** Lowest and highest voltage of a rail in mV. */
export const voltages = { '3v3': [3240, 3440], '5v0': [4608, 5202], '12v': [11_300, 12_770] } as const
export const fanModes = [0, 20, 40, 60, 80, 100]
/** A shape whose fields have one type. */
export const all = (type: 'uint' | 'text' | 'bool', ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, type] as const))
const perRail = (...names: readonly string[]) => names.flatMap((name) => rails.map((rail) => `${name}_${rail}`))
export const ofRails = (...names: readonly string[]) => all('uint', ...perRail(...names))
export const counters = [...perRail('ovp_cnt', 'uvp_cnt', 'ocp_cnt'), 'pmc_temperature', 'total_power_overload']
export const limitsOf = (limit_3v3: number, limit_5v0: number, limit_12v: number) => ({ limit_3v3, limit_5v0, limit_12v })
export const highest = limitsOf(5949, 4949, 2399)
/** The same supply for all six pins. */
export const supply = (rail: '5_volt' | '12_volt', current_milliampere: number) => ({
  config: Array.from({ length: 6 }, () => ({ rail, current_milliampere })),
})

export const shown = (value: unknown): string => JSON.stringify(value)
export const wait = (ms: number) => step(`${ms} ms pass`, (device) => device.wait(ms))
export const restarted = step('the device is back', (device) => device.restarted())
/** A POST that must succeed. */
export const set = (path: string, body: JsonFields) => step(`POST ${path} ${shown(body)}`, (device) => device.set(path, body))
/** A POST that must answer `{"status":"success"}` alone. */
export const done = (path: string, body: JsonFields) =>
  step(`POST ${path} ${shown(body)} answers {"status":"success"}`, async (device) =>
    equal(await device.set(path, body), { status: 'success' }, `POST ${path} ${shown(body)}`),
  )
/** A POST that must be refused. */
export const refuse = (path: string, body: JsonFields) =>
  step(`POST ${path} ${shown(body)} is refused`, (device) => device.refuses(path, body))
/** A GET must show these values. */
export const shows = (path: string, fields: JsonFields) =>
  step(`GET ${path} shows ${shown(fields)}`, async (device) => {
    const seen = await device.read(path)
    for (const [name, value] of Object.entries(fields)) equal(seen[name], value, `${name} of ${path}`)
  })
/** A field of a GET must be from `low` to `high`. */
export const within = (path: string, field: string, low: number, high: number) =>
  step(`${field} of GET ${path} is ${low} to ${high}`, async (device) => {
    const value = Number((await device.read(path))[field])
    that(value >= low && value <= high, `${field} of GET ${path} from ${low} to ${high}`, value)
  })
export const reset = set('io:reset', RESET)
export const mode = (name: 'analog' | 'digital', pin = 6) => set('io:input/mode', { pin, mode: name })
/** Gives the wired pins power. */
export const supplied = step('the wired pins have power', async (device) => {
  for (const path of ['drive', 'watch']) await device.post(`${path}:power-management`, supply('5_volt', 20))
})
export const hardReset: readonly CheckStep[] = [done('bmc:hard_reset', RESET), restarted]

/** The sessions of a service must stay. */
export const keeps = (service: ServiceName, ...steps: readonly CheckStep[]) =>
  step(`the sessions of ${service} stay: ${wordsOf(steps)}`, async (device) => {
    device.base(service)
    const before = await device.sessions(service)
    await runAll(device, steps)
    equal(await device.sessions(service), before, `sessions of ${service}`)
  })
/** Every session of a device must be new. */
export const renews = (services: readonly ServiceName[], ...steps: readonly CheckStep[]) =>
  step(`every device_session of ${services.join(', ')} is new after: ${wordsOf(steps)}`, async (device) => {
    const before = await Promise.all(services.map((name) => device.sessions(name)))
    await runAll(device, steps)
    for (const [index, name] of services.entries())
      for (const [slot, session] of (await device.sessions(name)).slots)
        that(session !== before[index]?.slots.get(slot), `a new session of slot ${slot}`, session)
  })
