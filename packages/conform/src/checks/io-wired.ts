import { collect, type Step, step } from '../check.ts'
import { type Device, EVENT_MS } from '../device.ts'
import { equal, hasShape, that } from '../expect.ts'
import { RESET, set, supplied, wait } from './steps.ts'

const { list, section, wired } = collect()
const modes = section('IO pin modes')
const io = section('IO service')
const events = section('Events')

/** Steps at the driven and at the other pin. */
const drive = (path: string, does: string, body: object) =>
  step(does, (device) => device.set(`drive:${path}`, { pin: device.wired.drive.pin, ...body }))
const watch = (path: string, does: string, body: object) =>
  step(does, (device) => device.set(`watch:${path}`, { pin: device.wired.watch.pin, ...body }))
const flags = (device: Device) => device.read(`watch:notification/${device.wired.watch.pin}`)
const value = async (device: Device) => (await device.pin(device.wired.watch)).value
const [high, low] = (['high', 'low'] as const).map((state) => drive('output/state', state, { state })) as [Step, Step]
const pwm = (prescaler: number, time_on: number) => drive('output/pwm', 'pwm', { prescaler, time_on, period: 1000 })
const event = wait(EVENT_MS)
/** From here on, the driven pin is a low output without pending alerts. */
const ready: readonly Step[] = [supplied, low, event, flags]
const isHigh = step('more than 4 V', async (device) => that((await value(device)) > 4000, 'more than 4000 mV'))
const isLow = step('less than 0.5 V', async (device) => that((await value(device)) < 500, 'less than 500 mV'))
const shows = (expected: number) => step(`${expected}`, async (device) => equal(await value(device), expected, 'value'))
const alert = (expected: boolean) =>
  step(`${expected}`, async (device) => equal((await flags(device))['custom_voltage_alert'], expected, 'custom_voltage_alert'))
const [yes, no] = [alert(true), alert(false)]
const analog = watch('input/mode', 'analog', { mode: 'analog' })
const digital = watch('input/mode', 'digital', { mode: 'digital' })
const counter = watch('input/digital/counter', 'counter', { state: 'enabled' })
const threshold = (trigger: string) => watch('input/analog/threshold', trigger, { threshold_millivolt: 2000, trigger })
const interrupt = (trigger: string, debounce_time_milliseconds = 0) =>
  watch('input/digital/interrupt', trigger, { debounce_time_milliseconds, trigger })

modes('output', 'POST output/state makes an output')
wired(
  'levels',
  'the other pin reads more than 4 V when it is high, less than 0.5 V when it is low',
  ...ready,
  high,
  isHigh,
  low,
  isLow,
)
wired('type', 'the output itself shows voltage_millivolt', ...ready, high, async (device) => {
  const { pin_type: type, value: millivolt } = await device.pin(device.wired.drive)
  that(type === 'voltage_millivolt' && millivolt > 4000, 'voltage_millivolt of more than 4000', { type, millivolt })
})
wired('reset', 'after reset the pin is no output', ...ready, high, set('drive:reset', RESET), isLow)
wired('input', 'input/mode ends the output', ...ready, high, drive('input/mode', 'analog', { mode: 'analog' }), isLow)
modes('digital-level', 'A digital input reads 0 (LOW) or 1 (HIGH)')
wired('levels', 'the other pin follows', ...ready, digital, high, shows(1), low, shows(0))
modes('pwm', 'POST output/pwm drives the pin with the given frequency')
const frequency = (hertz: number) =>
  step(`${hertz} Hz within 2 percent`, async (device) => {
    const seen = await value(device)
    that(Math.abs(seen - hertz) <= hertz / 50 + 1, `${hertz} Hz within 2 percent`, seen)
  })
const hundred = [pwm(479, 300), wait(2100), frequency(100)]
const thousand = [pwm(47, 300), wait(2100), frequency(1000)]
wired('counter', 'a counter at the other pin shows 100 Hz and 1 kHz', ...ready, digital, counter, ...hundred, ...thousand)
wired('zero', 'time_on 0 holds the pin low', ...ready, pwm(47, 0), wait(10), isLow)
wired('state', 'output/state ends the pwm', ...ready, pwm(47, 0), high, isHigh)
modes('counter-reads', 'A counter shows the frequency at the pin')
wired('still', 'it shows 0 at a level that stays', ...ready, digital, counter, wait(1100), shows(0))

modes('threshold-events', 'A threshold event raises a notification')
const rise = [high, event]
const fall = [low, event]
const atThreshold = (trigger: string) => [...ready, analog, threshold(trigger)]
const atInterrupt = (trigger: string) => [...ready, digital, interrupt(trigger)]
wired('rising', 'trigger rising: at high, not at low', ...atThreshold('rising'), ...rise, yes, ...fall, no, ...rise, yes)
wired('falling', 'trigger falling: at low, not at high', ...atThreshold('falling'), ...rise, no, ...fall, yes)
wired('disabled', 'trigger disabled: never', ...atThreshold('disabled'), ...rise, no, ...fall, no)
wired('reset', 'mode analog resets the threshold', ...ready, threshold('rising'), analog, ...rise, no)
modes('interrupt-events', 'An interrupt raises a notification')
wired('rising', 'trigger rising: at high, not at low', ...atInterrupt('rising'), ...rise, yes, ...fall, no)
wired('falling', 'trigger falling: at low, not at high', ...atInterrupt('falling'), ...rise, no, ...fall, yes)
wired('disabled', 'trigger disabled: never', ...atInterrupt('disabled'), ...rise, no, ...fall, no)
wired('pulse', 'trigger pulse: after a pulse', ...atInterrupt('pulse'), high, ...fall, yes)
io('debounce', 'After a trigger all events within the debounce time are ignored')
const debounced = [...ready, digital, interrupt('rising', 1000)]
const again = [low, ...rise]
const ignored = 'with 1000 ms a second edge at once raises nothing, and one after that time does'
wired('ignored', ignored, ...debounced, ...again, yes, ...again, no, wait(1000), ...again, yes)
io('stored-once', 'Only the fact of a trigger is stored, not its count')
const merged = 'after three edges one read has the alert, and no other'
wired('merged', merged, ...atInterrupt('rising'), high, low, high, low, high, event, yes, no)
events('custom-stays', 'custom_voltage_alert does not disable the pin')
wired('mode', 'after the alert the pin is a digital input', ...atInterrupt('rising'), ...rise, async (device) =>
  equal((await device.pin(device.wired.watch))['pin_type'], 'digital_input', 'pin_type'),
)
events('flags', 'A trigger raises no alert of an error')
wired('only', 'the three other flags stay false', ...atInterrupt('rising'), ...rise, async (device) => {
  hasShape(await flags(device), { under_voltage_alert: [false], high_voltage_alert: [false], high_current_alert: [false] })
})
events('polling', 'Clients poll notification during operation', 'it is a rule for clients')
const unshown = 'the specification does not show it; we judge by the fact that a trigger is stored once'
events('clears', 'Whether reading a notification clears it, and the flag of a trigger', unshown)

export const wiredSentences = list
