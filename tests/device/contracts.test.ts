import {
  type Contract,
  compile,
  compileBody,
  type Endpoint,
  genericEndpoints,
  possibleErrors,
  type Schema,
  versionRoot,
} from '@slotwire/contract'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import * as contracts from '../../modules/contracts.ts'

/** The tables in "Endpoints" of the specification: method, path, fields of the body, fields of the reply. Typed by hand. */
const generic = [
  ['POST', '/reset', 'reset', 'status'],
  [
    'GET',
    '/descriptor',
    '',
    'slot_number vendor_product_id product_name vendor_name serial_code fw_version hw_version protocol_version bootloader_state ' +
      'max_frame_size max_power_12v max_power_5v0 max_power_3v3 max_sclk_speed',
  ],
] as const
const specification = {
  io: [
    ['GET', '/notification/{pin}', '', 'under_voltage_alert high_voltage_alert high_current_alert custom_voltage_alert'],
    ['POST', '/power-management', 'config', 'status too_much_power'],
    ['GET', '/input/values', '', 'pins'],
    ['GET', '/input/values/current', '', 'pins'],
    ['POST', '/input/mode', 'pin mode', 'status'],
    ['POST', '/input/analog/threshold', 'pin threshold_millivolt trigger', 'status'],
    ['POST', '/input/digital/interrupt', 'pin debounce_time_milliseconds trigger', 'status'],
    ['POST', '/input/digital/counter', 'pin state', 'status'],
    ['POST', '/output/state', 'pin state', 'status'],
    ['POST', '/output/pwm', 'pin prescaler time_on period', 'status'],
  ],
  bmc: [
    ['GET', '/voltage', '', 'voltage_1v8 voltage_rtc'],
    ['GET', '/temperature', '', 'ntc_0 ntc_1'],
    ['POST', '/buzzer', 'mode duration', 'status'],
    ['GET', '/watchdog', '', 'timeout timeout_left shutdown_timeout emergency_mode'],
    ['POST', '/watchdog', 'timeout', 'status'],
    ['POST', '/watchdog/sw_shutdown_timeout', 'timeout', 'status'],
    ['POST', '/watchdog/shutdown', 'shutdown', 'status'],
    ['GET', '/watchdog/alive', '', 'status'],
    ['GET', '/watchdog/save', '', 'status'],
    [
      'GET',
      '/usbhub',
      '',
      'hub_state port_slot_0 port_slot_1 port_slot_2 port_slot_3 port_slot_4 port_slot_5 port_slot_6 port_slot_7',
    ],
    ['GET', '/usbhub/devices', '', 'devices'],
    ['POST', '/usbhub', 'state', 'status'],
    ['POST', '/usbhub/slot/{number}', 'state', 'status'],
    ['POST', '/usbhub/reset', 'reset', 'status'],
    ['POST', '/usb_bootloader', 'enabled timeout', 'status'],
    ['POST', '/hard_reset', 'reset', 'status'],
  ],
  power: [
    [
      'GET',
      '/source',
      '',
      'source_3v3 source_5v0 source_12v source_total efficiency_factor_3v3 efficiency_factor_5v0 efficiency_factor_12v',
    ],
    [
      'GET',
      '/protectionlog',
      '',
      'opp_protection_cnt ovp_cnt_3v3 uvp_cnt_3v3 ovp_cnt_5v0 uvp_cnt_5v0 ovp_cnt_12v uvp_cnt_12v ocp_cnt_3v3 ocp_cnt_5v0 ' +
        'ocp_cnt_12v pmc_temperature total_power_overload',
    ],
    [
      'GET',
      '/stats',
      '',
      'voltage_3v3 voltage_5v0 voltage_12v current_3v3 current_5v0 current_12v limit_3v3 limit_5v0 limit_12v',
    ],
    ['POST', '/limits', 'limit_3v3 limit_5v0 limit_12v', 'status'],
    ['GET', '/temperature', '', 'on_board_temp pmc_temp'],
    ['GET', '/fan', '', 'fan_forced fan_current_mode fan_setting_mode'],
    ['POST', '/fan', 'fan_forced fan_mode', 'status'],
    ['GET', '/fan/rpm', '', 'enabled rpm'],
    ['POST', '/fan/rpm', 'measurement_enabled', 'status'],
  ],
} as const

/** Typed by hand from behaviour.md: failures that are possible although the module answers. */
const ownFailures: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(contracts).map((service) => [`${service}.descriptor`, ['descriptor-not-read']])),
  'bmc.getUsbDevices': ['usb-devices-not-read'],
  'bmc.setShutdownTimeout': ['saving-failed'],
  'bmc.saveWatchdog': ['saving-failed'],
  'bmc.setUsbHub': ['saving-failed'],
  'bmc.setUsbSlot': ['saving-failed'],
}

const fieldsOf = (schema: Schema | undefined) => (schema?.type === 'object' ? Object.keys(schema.properties).join(' ') : '')
const row = ({ method, path, body, reply }: Endpoint) => [method, path, fieldsOf(body), fieldsOf(reply)]
const rows = (endpoints: Readonly<Record<string, Endpoint>>) => Object.values(endpoints).map(row)

const allEndpoints = Object.entries<Contract>(contracts).flatMap(([service, { endpoints }]) =>
  Object.entries<Endpoint>({ ...genericEndpoints, ...endpoints }).map(([name, endpoint]) => ({
    name: `${service}.${name}`,
    endpoint,
  })),
)
/** Endpoints of the module types in the specification. */
const specified = allEndpoints.filter(({ name }) => Object.keys(specification).some((service) => name.startsWith(`${service}.`)))
const withBody = allEndpoints.flatMap(({ name, endpoint }) =>
  endpoint.body === undefined ? [] : [{ name, endpoint, body: endpoint.body }],
)

describe('the contracts', () => {
  it.each(Object.keys(specification) as (keyof typeof specification)[])('match the specification: %s', (service) => {
    expect(contracts[service].service).toBe(service)
    expect(contracts[service].serviceName).toBe(`${service}-module`)
    // Their order is that of the reference page.
    expect(rows(contracts[service].endpoints).toSorted()).toEqual(specification[service].toSorted())
  })

  it('match the specification: generic endpoints', () => {
    expect(row(versionRoot)).toEqual(['GET', '/', '', 'driver_session version devices'])
    expect(rows(genericEndpoints)).toEqual(generic)
  })

  it('have a different port for each service', () => {
    const ports = Object.values(contracts).map(({ port }) => port)
    expect(new Set(ports).size).toBe(ports.length)
  })

  it('cache only values below /input/, for one second (IO rule 7)', () => {
    const cached = specified.filter(({ endpoint }) => endpoint.caching === 'one-second')
    expect(cached.map(({ endpoint }) => endpoint.path)).toEqual(['/input/values', '/input/values/current'])
  })

  it('mark a GET with an effect as alive, save or notification, and every POST as a write', () => {
    const effects = specified.filter(({ endpoint: { method, effect } }) => (method === 'GET') !== (effect === 'read'))
    expect(effects.map(({ name, endpoint }) => [name, endpoint.effect]).filter(([, effect]) => effect !== 'write')).toEqual([
      ['bmc.feedWatchdog', 'action'],
      ['bmc.saveWatchdog', 'action'],
      ['io.getNotification', 'deliver'],
    ])
    expect(allEndpoints.every(({ endpoint }) => (endpoint.method === 'POST') === (endpoint.effect === 'write'))).toBe(true)
  })
})

describe.each(allEndpoints)('$name', ({ name, endpoint }) => {
  it('has a parameter for each brace in its path, with an example within its bounds', () => {
    expect([...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, brace]) => brace)).toEqual(Object.keys(endpoint.parameters ?? {}))
    for (const { min, max, example } of Object.values(endpoint.parameters ?? {})) {
      expect(example).toBeGreaterThanOrEqual(min)
      expect(example).toBeLessThanOrEqual(max)
    }
  })

  it('has a valid example exactly if it has a body', () => {
    expect(endpoint.example === undefined).toBe(endpoint.body === undefined)
    expect(compileBody(endpoint)(endpoint.example)).toBeUndefined()
  })

  it('has its own errors only beyond those of its kind: a state of the module (400), or a failure (500)', () => {
    const broughtByKind = possibleErrors({ ...endpoint, errors: [] }, 'slot')
    const own = endpoint.errors.map(({ definition }) => definition)
    expect(own.filter((definition) => broughtByKind.includes(definition))).toEqual([])
    expect(new Set(own).size).toBe(own.length)
    for (const { status } of own) expect([400, 500]).toContain(status)
  })

  it('has its own failure (500) only if it needs more than a response of the module', () => {
    const failures = endpoint.errors.flatMap(({ definition: { status, code } }) => (status === 500 ? [code] : []))
    expect(failures).toEqual(ownFailures[name] ?? [])
  })
})

describe.each(withBody)('the body of $name', ({ endpoint, body }) => {
  const validate = compileBody(endpoint)
  const schemaAlone = compile(body, 'the body')
  const example = endpoint.example ?? {}
  const required = body.required.filter((name) => name in example)

  it.each(Object.keys(example))('requires %s, with that spelling and type', (name) => {
    const { [name]: value, ...others } = example
    expect(validate({ ...others, [name.toUpperCase()]: value })).toBe(`${name.toUpperCase()} is unknown: did you mean ${name}?`)
    for (const wrong of [null, {}]) expect(validate({ ...example, [name]: wrong })).toMatch(new RegExp(`^${name} must be `))
    if (required.includes(name)) expect(validate(others)).toMatch(new RegExp(`^${name} is missing: `))
    expect(validate({ ...example, extra: 1 })).toMatch(/^extra is unknown: allowed: /)
  })

  it('accepts what a JSON Schema validator accepts', () => {
    const numbers = Object.values(body.properties).flatMap((property) =>
      property.type === 'integer' && 'minimum' in property && 'maximum' in property ? [property.minimum, property.maximum] : [0],
    )
    const near = fc.constantFrom(...numbers).chain((bound) => fc.constantFrom(bound - 1, bound, bound + 1, bound + 0.5))
    const right = fc.constantFrom(...Object.values(example))
    const value = fc.oneof({ weight: 4, arbitrary: right }, { weight: 4, arbitrary: near }, fc.jsonValue(), fc.constant(Infinity))
    const names = fc.constantFrom(...Object.keys(body.properties), ...Object.keys(body.properties), 'extra')
    const bodies = fc.oneof(
      fc.dictionary(names, value).map((changes) => ({ ...example, ...changes })),
      fc.dictionary(names, value),
      fc.jsonValue(),
    )
    fc.assert(fc.property(bodies, (any) => (schemaAlone(any) === undefined) === Check(body, any)))
  })
})
