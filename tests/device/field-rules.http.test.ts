import { expect, it } from 'vitest'
import * as contracts from '../../modules/contracts.ts'
import { endpointsOf } from './bad-request.testkit.ts'
import { describeDevice } from './device.testkit.ts'
import { fieldRules } from './field-rules.testkit.ts'

const SUCCESS = 200
const REFUSED = 422
const RULES = /"(allOf|anyOf|oneOf)":/
const rail = (name: string, current_milliampere: number) => ({ rail: name, current_milliampere })
const sixPins = (third: object) => ({ config: [0, 1, 2, 3, 4, 5].map((pin) => (pin === 2 ? third : rail('5_volt', 100))) })
const pwm = (prescaler: number, time_on: number, period: number) => ({ pin: 1, prescaler, time_on, period })

/** The expected answers, by hand from the specification. A refusal names these. */
const cases: readonly [path: string, body: object, status: number, ...names: string[]][] = [
  ['bmc/1.0/0/watchdog', { timeout: 0 }, SUCCESS],
  ['bmc/1.0/0/watchdog', { timeout: -1 }, REFUSED, 'timeout', '0, or 1000…600000 ms'],
  ['bmc/1.0/0/watchdog', { timeout: null }, REFUSED, 'timeout', '0, or 1000…600000 ms'],
  ['bmc/1.0/0/watchdog', { timeout: 1 }, REFUSED, 'timeout', '1000…600000 ms'],
  ['bmc/1.0/0/watchdog', { timeout: 500 }, REFUSED, 'timeout', '1000…600000 ms'],
  ['bmc/1.0/0/watchdog', { timeout: 999 }, REFUSED, 'timeout', '1000…600000 ms'],
  ['bmc/1.0/0/watchdog', { timeout: 1000 }, SUCCESS],
  ['bmc/1.0/0/watchdog', { timeout: 600_000 }, SUCCESS],
  ['bmc/1.0/0/watchdog', { timeout: 600_001 }, REFUSED, 'timeout', '0, or 1000…600000 ms'],
  ['bmc/1.0/0/usb_bootloader', { enabled: true, timeout: -1 }, REFUSED, 'timeout', '0…3600000 ms'],
  ['bmc/1.0/0/usb_bootloader', { enabled: true, timeout: 0 }, SUCCESS],
  ['bmc/1.0/0/usb_bootloader', { enabled: true, timeout: 3_600_000 }, SUCCESS],
  ['bmc/1.0/0/usb_bootloader', { enabled: true, timeout: 3_600_001 }, REFUSED, 'timeout', '0…3600000 ms'],
  ['bmc/1.0/0/usb_bootloader', { enabled: true, timeout: null }, REFUSED, 'timeout', '0…3600000 ms'],
  ['bmc/1.0/0/usb_bootloader', { enabled: true }, REFUSED, 'timeout', '0', '3600000 ms'],
  ['bmc/1.0/0/usb_bootloader', { enabled: false }, SUCCESS],
  ['bmc/1.0/0/usb_bootloader', { enabled: false, timeout: 3_600_000 }, SUCCESS],
  ['bmc/1.0/0/usb_bootloader', { enabled: false, timeout: 3_600_001 }, REFUSED, 'timeout', '0…3600000 ms'],
  ['power/1.0/1/fan', { fan_forced: true }, REFUSED, 'fan_mode', '0, 20, 40, 60, 80', '100'],
  ['power/1.0/1/fan', { fan_forced: true, fan_mode: 0 }, SUCCESS],
  ['power/1.0/1/fan', { fan_forced: false }, SUCCESS],
  ['io/1.0/5/power-management', sixPins(rail('5_volt', -1)), REFUSED, 'config[2].current_milliampere', '0…300 mA on 5_volt'],
  ['io/1.0/5/power-management', sixPins(rail('5_volt', 300)), SUCCESS],
  ['io/1.0/5/power-management', sixPins(rail('5_volt', 301)), REFUSED, 'config[2].current_milliampere', '0…300 mA'],
  ['io/1.0/5/power-management', sixPins(rail('5_volt', 500)), REFUSED, 'config[2].current_milliampere', '0…300 mA'],
  ['io/1.0/5/power-management', sixPins(rail('12_volt', 301)), SUCCESS],
  ['io/1.0/5/power-management', sixPins(rail('12_volt', 500)), SUCCESS],
  ['io/1.0/5/power-management', sixPins(rail('12_volt', 501)), REFUSED, 'config[2].current_milliampere', '500 mA'],
  ['io/1.0/5/output/pwm', pwm(47, 99, 100), SUCCESS],
  ['io/1.0/5/output/pwm', pwm(47, 100, 100), REFUSED, 'time_on', '0…99 ticks'],
  ['io/1.0/5/output/pwm', pwm(47, 101, 100), REFUSED, 'time_on', '0…99 ticks'],
  ['io/1.0/5/output/pwm', pwm(47, -1, 100), REFUSED, 'time_on', 'less than period'],
  ['io/1.0/5/output/pwm', pwm(0, 0, 1), REFUSED, 'period', 'below 1000000 Hz'],
  ['io/1.0/5/output/pwm', pwm(0, 10, 47), REFUSED, 'period', '49…65536 ticks'],
  ['io/1.0/5/output/pwm', pwm(0, 10, 48), REFUSED, 'period', '49…65536 ticks', '1000000 Hz'],
  ['io/1.0/5/output/pwm', pwm(0, 10, 49), SUCCESS],
  ['io/1.0/5/output/pwm', pwm(23, 1, 2), REFUSED, 'period', '3…65536 ticks'],
  ['io/1.0/5/output/pwm', pwm(24, 1, 2), SUCCESS],
]

describeDevice('a rule between fields', (device) => {
  it.each(cases)('answers POST %s: %j with %i', async (path, body, status, ...names) => {
    if (path.endsWith('pwm')) await device.module('io', 5).set('power-management', sixPins(rail('5_volt', 100)))
    const answer = await device.post(`/api/${path}`, body)
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
    for (const name of names) expect(answer.body?.['message']).toContain(name)
  })
})

it('fieldRules contains every endpoint that has such rules', () => {
  const checked = Object.values(contracts).flatMap((contract) =>
    endpointsOf(contract).flatMap(([, endpoint]) =>
      'check' in endpoint || RULES.test(JSON.stringify(endpoint.body ?? '')) ? [`${contract.service} ${endpoint.path}`] : [],
    ),
  )
  expect(Object.keys(fieldRules).toSorted()).toEqual(checked.toSorted())
})
