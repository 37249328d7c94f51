import { collect } from '../check.ts'
import type { Device } from '../device.ts'
import { equal, that } from '../expect.ts'
import { bodyChecks, bounds, type Sample, shaped } from './bodies.ts'

const { list, section, add, read, write, disruptive } = collect()
const power = section('Power service')
const fields = section('Power module resources')
const fanStates = section('Fan')
const modes = [0, 20, 40, 60, 80, 100] as const
const rails = ['3v3', '5v0', '12v'] as const
const each = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'uint'] as const))
const ofRails = (...names: readonly string[]) => each(...names.flatMap((name) => rails.map((rail) => `${name}_${rail}`)))
const limits: Sample = () => ({ path: 'power:limits', body: { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 } })
const fan: Sample = () => ({ path: 'power:fan', body: { fan_forced: true, fan_mode: 60 } })
const rpm: Sample = () => ({ path: 'power:fan/rpm', body: { measurement_enabled: true } })
export const counters = [
  ...['ovp', 'uvp', 'ocp'].flatMap((name) => rails.map((rail) => `${name}_cnt_${rail}`)),
  'pmc_temperature',
  'total_power_overload',
]
const bound = { limit_3v3: [1001, 5949], limit_5v0: [1001, 4949], limit_12v: [101, 2399] } as const
const forced = async (device: Device, fan_mode: number) => {
  await device.set('power:fan', { fan_forced: true, fan_mode })
  for (let ms = 0; ms <= 10_000; ms += 500) {
    if ((await device.read('power:fan'))['fan_current_mode'] === fan_mode) return
    await device.wait(500)
  }
  equal((await device.read('power:fan'))['fan_current_mode'], fan_mode, 'fan_current_mode after 10 s')
}
fields('power-source', 'Source has the power of each rail and in all, and efficiency factors')
add(shaped('fields', 'power:source', { ...ofRails('source', 'efficiency_factor'), source_total: 'uint' }))
read('percent', 'efficiency factors are percent', async (device) => {
  const source = await device.read('power:source')
  for (const rail of rails)
    that(Number(source[`efficiency_factor_${rail}`]) <= 100, 'at most 100 percent', source[`efficiency_factor_${rail}`])
})

fields('protection-log', 'The protection log has all counters')
add(shaped('fields', 'power:protectionlog', each('opp_protection_cnt', ...counters)))

fields('protection-sum', 'opp_protection_cnt is the sum of all counters')
read('sum', 'the counters add up', async (device) => {
  const log = await device.read('power:protectionlog')
  equal(
    log['opp_protection_cnt'],
    counters.reduce((sum, name) => sum + Number(log[name]), 0),
    'opp_protection_cnt',
  )
})

fields('power-stats', 'Stats has voltage, current and limit of each rail')
add(shaped('fields', 'power:stats', ofRails('voltage', 'current', 'limit')))

fields('voltage-limits', 'The rails are within their voltage limits')
read('within', 'the voltages are inside the limits of the protection', async (device) => {
  const stats = await device.read('power:stats')
  for (const [rail, low, high] of [
    ['3v3', 3240, 3440],
    ['5v0', 4608, 5202],
    ['12v', 11_300, 12_770],
  ] as const) {
    const value = Number(stats[`voltage_${rail}`])
    that(value >= low && value <= high, `voltage_${rail} from ${low} to ${high} mV`, value)
  }
})

fields('power-temperature', 'Temperature has on_board_temp and pmc_temp')
add(shaped('fields', 'power:temperature', { on_board_temp: 'float', pmc_temp: 'float' }))

power('limits-body', 'POST limits has a limit for each rail')
add(...bodyChecks('write', 'limits', limits))

power('limits-bounds', 'The limits have exclusive bounds')
for (const [field, [low, high]] of Object.entries(bound)) {
  add(...bounds('write', 'limits', field, limits, { accepts: [high], refuses: [high + 1, -1] }))
  disruptive(`${field}-below`, `POST limits with ${field} ${low - 1} or 0 is refused`, async (device) => {
    for (const value of [low - 1, 0]) await device.refuses('power:limits', { ...limits(device).body, [field]: value })
  })
}
disruptive('lowest', 'POST limits with 1001, 1001 and 101 succeeds', async (device) => {
  const { current_3v3: a, current_5v0: b, current_12v: c } = await device.read('power:stats')
  if (Number(a) < 1001 && Number(b) < 1001 && Number(c) < 101)
    await device.set('power:limits', { limit_3v3: 1001, limit_5v0: 1001, limit_12v: 101 })
  await device.set('power:limits', limits(device).body)
})

power('limits-set', 'Stats shows the limits that are set')
write('reads', 'GET stats shows three new limits', async (device) => {
  const body = { limit_3v3: 5900, limit_5v0: 4900, limit_12v: 2300 }
  await device.set('power:limits', body)
  const stats = await device.read('power:stats')
  for (const [name, value] of Object.entries(body)) equal(stats[name], value, name)
})
write('refused', 'limits that are refused change nothing', async (device) => {
  await device.set('power:limits', { limit_3v3: 5900, limit_5v0: 4900, limit_12v: 2300 })
  await device.post('power:limits', { limit_3v3: 5800, limit_5v0: 4950, limit_12v: 2200 })
  equal((await device.read('power:stats'))['limit_3v3'], 5900, 'limit_3v3')
})

power('limits-persist', 'Whether the limits persist across a reset', 'the specification does not show it')

power('fan-fields', 'Fan has fan_forced and two modes in percent')
add(shaped('fields', 'power:fan', { fan_forced: 'bool', fan_current_mode: modes, fan_setting_mode: modes }))

power('fan-body', 'POST fan has fan_forced and fan_mode')
add(...bodyChecks('write', 'fan', fan))

power('fan-modes', 'A fan mode is one of 0, 20, 40, 60, 80, 100')
add(
  ...bounds('write', 'fan', 'fan_mode', fan, {
    accepts: [20, 40, 60, 80, 100, 0],
    refuses: [-20, 1, 19, 21, 50, 99, 101, 120],
  }),
)

fanStates('fan-forced', 'A forced mode is the setting, and applies within 10 s')
write('setting', 'GET fan shows the setting at once', async (device) => {
  await device.set('power:fan', { fan_forced: true, fan_mode: 40 })
  const { fan_forced: isForced, fan_setting_mode: mode } = await device.read('power:fan')
  equal([isForced, mode], [true, 40], 'fan_forced and fan_setting_mode')
})
write('applied', 'fan_current_mode equals the setting within 10 s, for 80 and 0', async (device) => {
  await forced(device, 80)
  await forced(device, 0)
})

fanStates('fan-automatic', 'Without fan_forced the firmware controls the fan')
write('reads', 'GET fan shows fan_forced false', async (device) => {
  await device.set('power:fan', { fan_forced: true, fan_mode: 40 })
  await device.set('power:fan', { fan_forced: false, fan_mode: 0 })
  equal((await device.read('power:fan'))['fan_forced'], false, 'fan_forced')
})

power('rpm-fields', 'Fan speed has enabled and rpm')
add(shaped('fields', 'power:fan/rpm', { enabled: 'bool', rpm: 'uint' }))

power('rpm-body', 'POST fan/rpm has measurement_enabled')
add(...bodyChecks('write', 'fan/rpm', rpm))

power('rpm-enabled', 'POST fan/rpm switches the measurement')
write('reads', 'GET fan/rpm shows it on, and off', async (device) => {
  for (const state of [true, false]) {
    await device.set('power:fan/rpm', { measurement_enabled: state })
    equal((await device.read('power:fan/rpm'))['enabled'], state, 'enabled')
  }
})

power('rpm-maximum', 'The maximum speed is 5000 rpm within 15 percent, read some seconds after the change')
write('full', 'at 100 percent the speed is 4250 to 5750 rpm', async (device) => {
  await device.set('power:fan/rpm', { measurement_enabled: true })
  await forced(device, 100)
  await device.wait(5000)
  const speed = (await device.read('power:fan/rpm'))['rpm']
  that(Number(speed) >= 4250 && Number(speed) <= 5750, '4250 to 5750 rpm', speed)
})

fanStates('rpm-delay', 'The fan speed takes at least one second to update', 'a fan that reaches its speed later shows the same')

export const powerSentences = list
