import { collect } from '../check.ts'
import { equal, hasShape, type Shape, that, Unjudged } from '../expect.ts'
import {
  done,
  type Endpoint,
  fieldChecks,
  hardReset,
  has,
  keeps,
  RESET,
  refuse,
  renews,
  restarted,
  set,
  shows,
  wait,
} from './steps.ts'

const { list, section, add, read, write, disruptive } = collect()
const { body, inside, beyond } = fieldChecks(add)
const bmc = section('BMC service')
const fields = section('BMC resources')
const watchdog = section('BMC watchdog')
const usb = section('BMC USB hub')
const errors = section('Errors')
const hubStates = ['enabled', 'disabled', 'not available'] as const
const ports = Array.from({ length: 8 }, (_, slot) => [`port_slot_${slot}`, hubStates] as const)
const hub: Shape = { hub_state: hubStates, ...Object.fromEntries(ports) }
const buzzer: Endpoint = { effect: 'write', path: 'bmc:buzzer', body: { mode: 2, duration: 1 } }
const dog: Endpoint = { effect: 'write', path: 'bmc:watchdog', body: { timeout: 600_000 } }
const timeout = (ms: number) => set('bmc:watchdog', { timeout: ms })
const alive = async (device: Parameters<typeof restarted>[0]) =>
  equal(await device.read('bmc:watchdog/alive'), { status: 'success' }, 'GET watchdog/alive')

fields('bmc-voltage', 'Voltage has voltage_1v8 and voltage_rtc in mV')
read('fields', has('bmc:voltage', { voltage_1v8: 'uint', voltage_rtc: 'uint' }))
fields('bmc-temperature', 'Temperature has ntc_0 and ntc_1 in degrees Celsius')
read('fields', has('bmc:temperature', { ntc_0: 'float', ntc_1: 'float' }))
fields('bmc-watchdog', 'Watchdog has timeout, timeout_left, shutdown_timeout and emergency_mode')
read('fields', has('bmc:watchdog', { timeout: 'uint', timeout_left: 'uint', shutdown_timeout: 'uint', emergency_mode: 'bool' }))
fields('usb-hub', 'The USB hub has a state, and one for each of eight slots')
read('fields', has('bmc:usbhub', hub))
fields('usb-devices', 'A USB device has slot, port, manufacturer, product, serial code and path')
const texts = { manufacturer: 'text', product: 'text', serial_code: 'text', system_path: 'text' } as const
read('fields', has('bmc:usbhub/devices', { devices: { each: { slot: 'uint', usb_port: 'uint', ...texts } } }))

bmc('buzzer-body', 'POST buzzer has mode and duration')
body(buzzer)
bmc('buzzer-mode', 'The mode of the buzzer is 0 to 5')
inside(buzzer, 'mode', 0, 2, 3, 4, 5, 1)
beyond(buzzer, 'mode', -1, 6)
bmc('buzzer-duration', 'The duration of a sound is 1 to 1000 ms')
inside(buzzer, 'duration', 1, 1000)
errors('buzzer-error', 'A duration out of range answers 422 with a message that says so')
for (const duration of [0, 1001, -1])
  write(`duration-${duration}`, `POST bmc:buzzer with duration ${duration} answers 422 and says so`, async (device) => {
    const { status, text } = await device.post('bmc:buzzer', { mode: 2, duration })
    equal(status, 422, `duration ${duration}`)
    that(/message.*duration/i.test(text) && /range/i.test(text), 'a message that says the duration is out of range', text)
  })

bmc('watchdog-body', 'POST watchdog has a timeout')
body(dog)
bmc('watchdog-timeout', 'The timeout is 0, or 1000 to 600000 ms')
inside(dog, 'timeout', 600_000, 0)
beyond(dog, 'timeout', 600_001, -1)
disruptive('lowest', timeout(1000), timeout(0))
disruptive('below', refuse('bmc:watchdog', {}, 'timeout', 1, 999))
watchdog('watchdog-enabled', 'POST watchdog with a timeout enables it')
write(
  'reads',
  'GET bmc:watchdog shows a timeout of 500000, and what is left of it',
  timeout(500_000),
  wait(20),
  async (device) => {
    const { timeout: ms, timeout_left: left } = await device.read('bmc:watchdog')
    equal(ms, 500_000, 'timeout')
    that(Number(left) > 400_000 && Number(left) < 500_000, 'timeout_left between 400000 and 500000', left)
  },
)
watchdog('watchdog-alive', 'GET watchdog/alive restarts timeout_left')
write(
  'restarts',
  'timeout_left falls in time, and is nearly the timeout after alive',
  timeout(500_000),
  wait(500),
  async (device) => {
    const left = async () => Number((await device.read('bmc:watchdog'))['timeout_left'])
    const before = await left()
    that(before <= 499_700, 'timeout_left to fall', before)
    await device.get('bmc:watchdog/alive')
    that((await left()) > before, 'timeout_left to restart', before)
  },
)
write('body', 'GET bmc:watchdog/alive answers {"status":"success"}', timeout(500_000), alive)
watchdog('watchdog-off', 'POST watchdog with 0 disables it')
write('reads', timeout(500_000), timeout(0), shows('bmc:watchdog', { timeout: 0 }))
watchdog('watchdog-expires', 'A timeout that expires resets the device')
disruptive('restarts', renews(['bmc'], timeout(1000), wait(1200), restarted))
const fed = Array.from({ length: 4 }, () => [wait(400), shows('bmc:watchdog/alive', {})]).flat()
disruptive('fed', keeps('bmc', timeout(1000), ...fed, timeout(0)))
watchdog('watchdog-unsaved', 'A reset of the device disables a watchdog that is not saved')
disruptive('off', 'a timeout of 567000 ms is gone after hard_reset', timeout(567_000), ...hardReset, async (device) => {
  const { timeout: ms } = await device.read('bmc:watchdog')
  that(ms !== 567_000, 'a timeout of the saved one or 0', ms)
})

bmc('shutdown-body', 'POST watchdog/shutdown takes the word start alone')
body({ effect: 'disruptive', path: 'bmc:watchdog/shutdown', body: { shutdown: 'start' } })
disruptive('word', refuse('bmc:watchdog/shutdown', {}, 'shutdown', 'stop', 'Start', 'yes', ''))
watchdog('shutdown', 'A shutdown resets the device after shutdown_timeout')
disruptive('restarts', 'the sessions are new after shutdown_timeout, and not before', async (device) => {
  const ms = Number((await device.read('bmc:watchdog'))['shutdown_timeout'])
  if (!device.isBench && ms > 60_000) throw new Unjudged(`shutdown_timeout is ${ms} ms: too long to wait for`)
  const start = keeps('bmc', done('bmc:watchdog/shutdown', { shutdown: 'start' }), wait(ms / 2))
  await renews(['bmc'], start, wait(ms / 2 + 100), restarted)(device)
})
bmc('hard-reset-body', 'POST hard_reset takes the word yes alone')
body({ effect: 'disruptive', path: 'bmc:hard_reset', body: RESET })
disruptive('word', refuse('bmc:hard_reset', {}, 'reset', 'no', 'Yes', ''))
disruptive('ok', ...hardReset)
usb('usb-reset', 'POST usbhub/reset takes the word yes alone, and applies the saved settings')
body({ effect: 'disruptive', path: 'bmc:usbhub/reset', body: RESET })
disruptive('same', 'without a change the states are the same after usbhub/reset', async (device) => {
  const before = await device.read('bmc:usbhub')
  await device.set('bmc:usbhub/reset', RESET)
  hasShape(await device.read('bmc:usbhub'), hub)
  equal(await device.read('bmc:usbhub'), before, 'GET usbhub')
})

export const bmcSentences = list
