import { collect } from '../check.ts'
import { equal, hasShape, that, Unjudged } from '../expect.ts'
import { bodyChecks, bounds, type Sample, shaped } from './bodies.ts'
import { basicReset } from './reset.ts'

const { list, section, add, write, disruptive } = collect()
const bmc = section('BMC service')
const fields = section('BMC resources')
const watchdog = section('BMC watchdog')
const usb = section('BMC USB hub')
const errors = section('Errors')
const hubStates = ['enabled', 'disabled', 'not available'] as const
const port = {
  hub_state: hubStates,
  ...Object.fromEntries(Array.from({ length: 8 }, (_, slot) => [`port_slot_${slot}`, hubStates])),
}

const buzzer: Sample = () => ({ path: 'bmc:buzzer', body: { mode: 2, duration: 1 } })
const dog: Sample = () => ({ path: 'bmc:watchdog', body: { timeout: 600_000 } })
export const shutdownTimeout: Sample = () => ({ path: 'bmc:watchdog/sw_shutdown_timeout', body: { timeout: 60_000 } })
export const bootloader: Sample = () => ({ path: 'bmc:usb_bootloader', body: { enabled: true, timeout: 1000 } })
const shutdown: Sample = () => ({ path: 'bmc:watchdog/shutdown', body: { shutdown: 'start' } })
const hardReset: Sample = () => ({ path: 'bmc:hard_reset', body: basicReset })
fields('bmc-voltage', 'Voltage has voltage_1v8 and voltage_rtc in mV')
add(shaped('fields', 'bmc:voltage', { voltage_1v8: 'uint', voltage_rtc: 'uint' }))

fields('bmc-temperature', 'Temperature has ntc_0 and ntc_1 in degrees Celsius')
add(shaped('fields', 'bmc:temperature', { ntc_0: 'float', ntc_1: 'float' }))

fields('bmc-watchdog', 'Watchdog has timeout, timeout_left, shutdown_timeout and emergency_mode')
add(shaped('fields', 'bmc:watchdog', { timeout: 'uint', timeout_left: 'uint', shutdown_timeout: 'uint', emergency_mode: 'bool' }))

fields('usb-hub', 'The USB hub has a state, and one for each of eight slots')
add(shaped('fields', 'bmc:usbhub', port))

fields('usb-devices', 'A USB device has slot, port, manufacturer, product, serial code and path')
add(
  shaped('fields', 'bmc:usbhub/devices', {
    devices: {
      each: { slot: 'uint', usb_port: 'uint', manufacturer: 'text', product: 'text', serial_code: 'text', system_path: 'text' },
    },
  }),
)

bmc('buzzer-body', 'POST buzzer has mode and duration')
add(...bodyChecks('write', 'buzzer', buzzer))

bmc('buzzer-mode', 'The mode of the buzzer is 0 to 5')
add(...bounds('write', 'buzzer', 'mode', buzzer, { accepts: [0, 2, 3, 4, 5, 1], refuses: [-1, 6] }))

bmc('buzzer-duration', 'The duration of a sound is 1 to 1000 ms')
add(...bounds('write', 'buzzer', 'duration', buzzer, { accepts: [1, 1000] }))

errors('buzzer-error', 'A duration out of range answers 422 with a message that says so')
for (const duration of [0, 1001, -1])
  write(
    `duration-${duration}`,
    `POST buzzer with duration ${duration} answers 422, and names the duration and its range`,
    async (device) => {
      const { status, body } = await device.post('bmc:buzzer', { mode: 2, duration })
      equal(status, 422, `duration ${duration}`)
      const { message } = body as { message?: unknown }
      that(
        /duration/i.test(String(message)) && /range/i.test(String(message)),
        'a message that says the duration is out of range',
        message,
      )
    },
  )

bmc('watchdog-body', 'POST watchdog has a timeout')
add(...bodyChecks('write', 'watchdog', dog))

bmc('watchdog-timeout', 'The timeout is 0, or 1000 to 600000 ms')
add(...bounds('write', 'watchdog', 'timeout', dog, { accepts: [600_000, 0] }))
write('above', 'POST watchdog with 600001 or -1 is refused', async (device) => {
  for (const timeout of [600_001, -1]) await device.refuses('bmc:watchdog', { timeout })
})
disruptive('lowest', 'POST watchdog with 1000 succeeds', async (device) => {
  await device.set('bmc:watchdog', { timeout: 1000 })
  await device.set('bmc:watchdog', { timeout: 0 })
})
disruptive('below', 'POST watchdog with 1 or 999 is refused', async (device) => {
  for (const timeout of [1, 999]) await device.refuses('bmc:watchdog', { timeout })
})

watchdog('watchdog-enabled', 'POST watchdog with a timeout enables it')
write('reads', 'GET watchdog shows the timeout, and what is left of it', async (device) => {
  await device.set('bmc:watchdog', { timeout: 500_000 })
  await device.wait(20)
  const { timeout, timeout_left: left } = await device.read('bmc:watchdog')
  equal(timeout, 500_000, 'timeout')
  that(Number(left) > 400_000 && Number(left) < 500_000, 'timeout_left between 400000 and 500000', left)
})

watchdog('watchdog-alive', 'GET watchdog/alive restarts timeout_left')
write('restarts', 'timeout_left falls in time, and is nearly the timeout after alive', async (device) => {
  const left = async () => Number((await device.read('bmc:watchdog'))['timeout_left'])
  await device.set('bmc:watchdog', { timeout: 500_000 })
  await device.wait(500)
  const before = await left()
  that(before <= 499_700, 'timeout_left to fall', before)
  equal((await device.get('bmc:watchdog/alive')).status, 200, 'GET watchdog/alive')
  that((await left()) > before, 'timeout_left to restart', before)
})
write('body', 'GET watchdog/alive answers {"status":"success"}', async (device) => {
  await device.set('bmc:watchdog', { timeout: 500_000 })
  equal(await device.read('bmc:watchdog/alive'), { status: 'success' }, 'GET watchdog/alive')
})

watchdog('watchdog-off', 'POST watchdog with 0 disables it')
write('reads', 'GET watchdog shows a timeout of 0', async (device) => {
  await device.set('bmc:watchdog', { timeout: 500_000 })
  await device.set('bmc:watchdog', { timeout: 0 })
  equal((await device.read('bmc:watchdog'))['timeout'], 0, 'timeout')
})

watchdog('watchdog-expires', 'A timeout that expires resets the device')
disruptive('restarts', 'the modules have new sessions after a watchdog of 1000 ms that no client feeds', async (device) => {
  const before = await device.sessions('bmc')
  await device.set('bmc:watchdog', { timeout: 1000 })
  await device.wait(1200)
  await device.restarted()
  that(
    JSON.stringify([...(await device.sessions('bmc')).slots]) !== JSON.stringify([...before.slots]),
    'a new session of the mainboard',
  )
})
disruptive('fed', 'a watchdog of 1000 ms that is fed does not expire', async (device) => {
  const before = await device.sessions('bmc')
  await device.set('bmc:watchdog', { timeout: 1000 })
  for (let count = 0; count < 4; count++) {
    await device.wait(400)
    equal((await device.get('bmc:watchdog/alive')).status, 200, 'GET watchdog/alive')
  }
  await device.set('bmc:watchdog', { timeout: 0 })
  equal(await device.sessions('bmc'), before, 'sessions')
})

watchdog('watchdog-unsaved', 'A reset of the device disables a watchdog that is not saved')
disruptive('off', 'after hard_reset the timeout is what it was', async (device) => {
  const { timeout } = await device.read('bmc:watchdog')
  await device.set('bmc:watchdog', { timeout: 567_000 })
  await device.set('bmc:hard_reset', basicReset)
  await device.restarted()
  that(
    (await device.read('bmc:watchdog'))['timeout'] !== 567_000,
    `a timeout of the saved one or 0 (before: ${String(timeout)})`,
    567_000,
  )
})

bmc('shutdown-body', 'POST watchdog/shutdown takes the word start alone')
add(...bodyChecks('disruptive', 'watchdog/shutdown', shutdown))
disruptive('word', 'POST watchdog/shutdown with stop, Start or yes is refused', async (device) => {
  for (const word of ['stop', 'Start', 'yes', '']) await device.refuses('bmc:watchdog/shutdown', { shutdown: word })
})

watchdog('shutdown', 'A shutdown resets the device after shutdown_timeout')
disruptive('restarts', 'the sessions are new after shutdown_timeout, and not before', async (device) => {
  const { shutdown_timeout: timeout } = await device.read('bmc:watchdog')
  if (!device.isBench && Number(timeout) > 60_000)
    throw new Unjudged(`shutdown_timeout is ${String(timeout)} ms: too long to wait for`)
  const before = await device.sessions('bmc')
  equal(await device.set('bmc:watchdog/shutdown', { shutdown: 'start' }), { status: 'success' }, 'POST watchdog/shutdown')
  await device.wait(Number(timeout) / 2)
  equal(await device.sessions('bmc'), before, 'sessions during the shutdown')
  await device.wait(Number(timeout) / 2 + 100)
  await device.restarted()
  that(
    JSON.stringify([...(await device.sessions('bmc')).slots]) !== JSON.stringify([...before.slots]),
    'a new session of the mainboard',
  )
})

bmc('hard-reset-body', 'POST hard_reset takes the word yes alone')
add(...bodyChecks('disruptive', 'hard_reset', hardReset))
disruptive('word', 'POST hard_reset with no or Yes is refused', async (device) => {
  for (const reset of ['no', 'Yes', '']) await device.refuses('bmc:hard_reset', { reset })
})
disruptive('ok', 'POST hard_reset answers {"status":"success"} before the device goes', async (device) => {
  equal(await device.set('bmc:hard_reset', basicReset), { status: 'success' }, 'POST hard_reset')
  await device.restarted()
})

usb('usb-reset', 'POST usbhub/reset takes the word yes alone, and applies the saved settings')
add(...bodyChecks('disruptive', 'usbhub/reset', () => ({ path: 'bmc:usbhub/reset', body: basicReset })))
disruptive('same', 'without a change the states are the same after usbhub/reset', async (device) => {
  const before = await device.read('bmc:usbhub')
  await device.set('bmc:usbhub/reset', basicReset)
  hasShape(await device.read('bmc:usbhub'), port)
  equal(await device.read('bmc:usbhub'), before, 'GET usbhub')
})

export const bmcSentences = list
