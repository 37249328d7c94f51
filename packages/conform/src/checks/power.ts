import { collect, step } from '../check.ts'
import type { TestedDevice } from '../device.ts'
import { equal } from '../expect.ts'
import { counters, highest, limitsOf, rails, set, shows, voltages, wait, within } from './steps.ts'

const { list, section, read, write, disruptive } = collect()
const power = section('Power service')
const fields = section('Power module resources')
const fanStates = section('Fan')
const setFan = (fan_forced: boolean, fan_mode: number) => set('power:fan', { fan_forced, fan_mode })
const measure = (measurement_enabled: boolean) => set('power:fan/rpm', { measurement_enabled })
const forced = (fan_mode: number) =>
  step(`fan_current_mode is ${fan_mode} within 10 s after it is forced`, async (device) => {
    await setFan(true, fan_mode)(device)
    const current = async () => (await device.read('power:fan'))['fan_current_mode']
    for (let ms = 0; ms < 10_000 && (await current()) !== fan_mode; ms += 500) await device.wait(500)
    equal(await current(), fan_mode, 'fan_current_mode after 10 s')
  })
/** The sum of the counters must be the sum that the log shows. */
export const addsUp = async (device: TestedDevice) => {
  const log = await device.read('power:protectionlog')
  const sum = counters.reduce((total, name) => total + Number(log[name]), 0)
  equal(log['opp_protection_cnt'], sum, 'opp_protection_cnt')
}

fields('efficiency', 'Efficiency factors are percent')
for (const rail of rails) read(rail, within('power:source', `efficiency_factor_${rail}`, 0, 100))
fields('protection-sum', 'opp_protection_cnt is the sum of all counters')
read('sum', 'the counters add up', addsUp)
fields('voltage-limits', 'The rails are within their voltage limits')
for (const rail of rails) read(rail, within('power:stats', `voltage_${rail}`, voltages[rail][0], voltages[rail][1]))

power('limits-lowest', 'The lowest limits are 1001, 1001 and 101')
const lowest = limitsOf(1001, 1001, 101)
disruptive('set', `POST power:limits ${JSON.stringify(lowest)} succeeds, if the currents are lower`, async (device) => {
  const stats = await device.read('power:stats')
  if (rails.every((rail) => Number(stats[`current_${rail}`]) < lowest[`limit_${rail}`])) await device.set('power:limits', lowest)
  await device.set('power:limits', highest)
})
power('limits-set', 'Stats shows the limits that are set')
const others = limitsOf(5900, 4900, 2300)
write('reads', set('power:limits', others), shows('power:stats', others))
const refused = step('a POST with limit_5v0 4950 changes nothing', (device) =>
  device.post('power:limits', limitsOf(5800, 4950, 2200)),
)
write('refused', set('power:limits', others), refused, shows('power:stats', others))
power('limits-persist', 'Whether the limits persist across a reset', 'the specification does not show it')

fanStates('fan-forced', 'A forced mode is the setting, and applies within 10 s')
write('setting', setFan(true, 40), shows('power:fan', { fan_forced: true, fan_setting_mode: 40 }))
write('applied', forced(80), forced(0))
fanStates('fan-automatic', 'Without fan_forced the firmware controls the fan')
write('reads', setFan(true, 40), setFan(false, 0), shows('power:fan', { fan_forced: false }))
power('rpm-enabled', 'POST fan/rpm switches the measurement')
const rpm = (enabled: boolean) => shows('power:fan/rpm', { enabled })
write('reads', measure(true), rpm(true), measure(false), rpm(false))
power('rpm-maximum', 'The maximum speed is 5000 rpm within 15 percent, read some seconds after the change')
write('full', measure(true), forced(100), wait(5000), within('power:fan/rpm', 'rpm', 4250, 5750))
fanStates('rpm-delay', 'The fan speed takes at least one second to update', 'a fan that reaches its speed later shows the same')

export const powerSentences = list
