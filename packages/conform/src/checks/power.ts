import { collect, step } from '../check.ts'
import type { Device } from '../device.ts'
import { equal, that } from '../expect.ts'
import { type Endpoint, fieldChecks, has, refuse, set, shows, wait } from './steps.ts'

const { list, section, add, read, write, disruptive } = collect()
const { body, inside, beyond } = fieldChecks(add)
const power = section('Power service')
const fields = section('Power module resources')
const fanStates = section('Fan')
const modes = [0, 20, 40, 60, 80, 100] as const
export const rails = ['3v3', '5v0', '12v'] as const
const each = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'uint'] as const))
const ofRails = (...names: readonly string[]) => each(...names.flatMap((name) => rails.map((rail) => `${name}_${rail}`)))
export const counters = [
  ...['ovp', 'uvp', 'ocp'].flatMap((name) => rails.map((rail) => `${name}_cnt_${rail}`)),
  'pmc_temperature',
  'total_power_overload',
]
export const limitsOf = (limit_3v3: number, limit_5v0: number, limit_12v: number) => ({ limit_3v3, limit_5v0, limit_12v })
export const highest = limitsOf(5949, 4949, 2399)
const limits: Endpoint = { effect: 'write', path: 'power:limits', body: highest }
const fan: Endpoint = { effect: 'write', path: 'power:fan', body: { fan_forced: true, fan_mode: 60 } }
const setFan = (fan_forced: boolean, fan_mode: number) => set('power:fan', { fan_forced, fan_mode })
const measure = (measurement_enabled: boolean) => set('power:fan/rpm', { measurement_enabled })
const forced = (fan_mode: number) =>
  step(`fan_current_mode is ${fan_mode} within 10 s after it is forced`, async (device) => {
    await device.set('power:fan', { fan_forced: true, fan_mode })
    for (let ms = 0; ms < 10_000; ms += 500) {
      if ((await device.read('power:fan'))['fan_current_mode'] === fan_mode) return
      await device.wait(500)
    }
    equal((await device.read('power:fan'))['fan_current_mode'], fan_mode, 'fan_current_mode after 10 s')
  })
/** The sum of the counters must be the sum that the log shows. */
export const addsUp = async (device: Device) => {
  const log = await device.read('power:protectionlog')
  const sum = counters.reduce((total, name) => total + Number(log[name]), 0)
  equal(log['opp_protection_cnt'], sum, 'opp_protection_cnt')
}

fields('power-source', 'Source has the power of each rail and in all, and efficiency factors')
read('fields', has('power:source', { ...ofRails('source', 'efficiency_factor'), source_total: 'uint' }))
read('percent', 'efficiency factors are percent', async (device) => {
  const source = await device.read('power:source')
  for (const rail of rails) that(Number(source[`efficiency_factor_${rail}`]) <= 100, 'at most 100 percent', source)
})
fields('protection-log', 'The protection log has all counters')
read('fields', has('power:protectionlog', each('opp_protection_cnt', ...counters)))
fields('protection-sum', 'opp_protection_cnt is the sum of all counters')
read('sum', 'the counters add up', addsUp)
fields('power-stats', 'Stats has voltage, current and limit of each rail')
read('fields', has('power:stats', ofRails('voltage', 'current', 'limit')))
fields('voltage-limits', 'The rails are within their voltage limits')
read('within', '3V3 is 3240 to 3440 mV, 5V0 4608 to 5202 mV, 12V 11300 to 12770 mV', async (device) => {
  const { voltage_3v3: v3, voltage_5v0: v5, voltage_12v: v12 } = await device.read('power:stats')
  that(Number(v3) >= 3240 && Number(v3) <= 3440, 'voltage_3v3 from 3240 to 3440 mV', v3)
  that(Number(v5) >= 4608 && Number(v5) <= 5202, 'voltage_5v0 from 4608 to 5202 mV', v5)
  that(Number(v12) >= 11_300 && Number(v12) <= 12_770, 'voltage_12v from 11300 to 12770 mV', v12)
})
fields('power-temperature', 'Temperature has on_board_temp and pmc_temp')
read('fields', has('power:temperature', { on_board_temp: 'float', pmc_temp: 'float' }))

power('limits-body', 'POST limits has a limit for each rail')
body(limits)
power('limits-bounds', 'The limits have exclusive bounds')
for (const [field, low, high] of [
  ['limit_3v3', 1000, 5950],
  ['limit_5v0', 1000, 4950],
  ['limit_12v', 100, 2400],
] as const) {
  inside(limits, field, high - 1)
  beyond(limits, field, high, -1)
  disruptive(`${field}-below`, refuse('power:limits', highest, field, low, 0))
}
disruptive('lowest', 'POST power:limits with 1001, 1001 and 101 succeeds, if the currents are lower', async (device) => {
  const { current_3v3: a, current_5v0: b, current_12v: c } = await device.read('power:stats')
  if (Number(a) < 1001 && Number(b) < 1001 && Number(c) < 101) await device.set('power:limits', limitsOf(1001, 1001, 101))
  await device.set('power:limits', highest)
})
power('limits-set', 'Stats shows the limits that are set')
const others = limitsOf(5900, 4900, 2300)
write('reads', set('power:limits', others), shows('power:stats', others))
const refused = step('a POST with limit_5v0 4950 changes nothing', (device) =>
  device.post('power:limits', limitsOf(5800, 4950, 2200)),
)
write('refused', set('power:limits', others), refused, shows('power:stats', { limit_3v3: 5900 }))
power('limits-persist', 'Whether the limits persist across a reset', 'the specification does not show it')

power('fan-fields', 'Fan has fan_forced and two modes in percent')
read('fields', has('power:fan', { fan_forced: 'bool', fan_current_mode: modes, fan_setting_mode: modes }))
power('fan-body', 'POST fan has fan_forced and fan_mode')
body(fan)
power('fan-modes', 'A fan mode is one of 0, 20, 40, 60, 80, 100')
inside(fan, 'fan_mode', 20, 40, 60, 80, 100, 0)
beyond(fan, 'fan_mode', -20, 1, 19, 21, 50, 99, 101, 120)
fanStates('fan-forced', 'A forced mode is the setting, and applies within 10 s')
write('setting', setFan(true, 40), shows('power:fan', { fan_forced: true, fan_setting_mode: 40 }))
write('applied', forced(80), forced(0))
fanStates('fan-automatic', 'Without fan_forced the firmware controls the fan')
write('reads', setFan(true, 40), setFan(false, 0), shows('power:fan', { fan_forced: false }))
power('rpm-fields', 'Fan speed has enabled and rpm')
read('fields', has('power:fan/rpm', { enabled: 'bool', rpm: 'uint' }))
power('rpm-body', 'POST fan/rpm has measurement_enabled')
body({ effect: 'write', path: 'power:fan/rpm', body: { measurement_enabled: true } })
power('rpm-enabled', 'POST fan/rpm switches the measurement')
const rpm = (enabled: boolean) => shows('power:fan/rpm', { enabled })
write('reads', measure(true), rpm(true), measure(false), rpm(false))
power('rpm-maximum', 'The maximum speed is 5000 rpm within 15 percent, read some seconds after the change')
write('full', 'at 100 percent the speed is 4250 to 5750 rpm', measure(true), forced(100), wait(5000), async (device) => {
  const { rpm: speed } = await device.read('power:fan/rpm')
  that(Number(speed) >= 4250 && Number(speed) <= 5750, '4250 to 5750 rpm', speed)
})
fanStates('rpm-delay', 'The fan speed takes at least one second to update', 'a fan that reaches its speed later shows the same')

export const powerSentences = list
