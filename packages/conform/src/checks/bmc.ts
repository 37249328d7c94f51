import { collect, step } from '../check.ts'
import type { TestedDevice } from '../device.ts'
import { equal, that, Unjudged } from '../expect.ts'
import { done, hardReset, keeps, RESET, renews, restarted, set, shows, wait, within } from './steps.ts'

const { list, section, write, disruptive } = collect()
const watchdog = section('BMC watchdog')
const timeout = (ms: number) => set('bmc:watchdog', { timeout: ms })
const left = async (device: TestedDevice) => Number((await device.read('bmc:watchdog'))['timeout_left'])
const alive = shows('bmc:watchdog/alive', { status: 'success' })

section('Errors')('buzzer-error', 'A duration out of range answers 422 with a message that says so')
for (const duration of [0, 1001, -1])
  write(`duration-${duration}`, `POST bmc:buzzer with duration ${duration} answers 422 and says so`, async (device) => {
    const { status, text } = await device.post('bmc:buzzer', { mode: 2, duration })
    equal(status, 422, `duration ${duration}`)
    that(/message.*duration/i.test(text) && /range/i.test(text), 'a message that says the duration is out of range', text)
  })

watchdog('watchdog-enabled', 'POST watchdog with a timeout enables it')
const running = [timeout(500_000), wait(500), shows('bmc:watchdog', { timeout: 500_000 })]
write('reads', ...running, within('bmc:watchdog', 'timeout_left', 400_000, 499_700))
watchdog('watchdog-alive', 'GET watchdog/alive answers {"status":"success"}, and restarts timeout_left')
const restarts = step('timeout_left is higher after GET bmc:watchdog/alive', async (device) => {
  const before = await left(device)
  await alive(device)
  that((await left(device)) > before, 'timeout_left to restart', before)
})
write('restarts', ...running, restarts)
watchdog('watchdog-off', 'POST watchdog with 0 disables it')
write('reads', timeout(500_000), timeout(0), shows('bmc:watchdog', { timeout: 0 }))
watchdog('watchdog-expires', 'A timeout that expires resets the device; the lowest is 1000 ms')
disruptive('restarts', renews(['bmc'], timeout(1000), wait(1200), restarted))
const fed = Array.from({ length: 4 }, () => [wait(400), alive]).flat()
disruptive('fed', keeps('bmc', timeout(1000), ...fed, timeout(0)))
watchdog('watchdog-unsaved', 'A reset of the device disables a watchdog that is not saved')
disruptive('off', 'a timeout of 567000 ms is gone after hard_reset', timeout(567_000), ...hardReset, async (device) => {
  const { timeout: ms } = await device.read('bmc:watchdog')
  that(ms !== 567_000, 'a timeout of the saved one or 0', ms)
})
watchdog('shutdown', 'A shutdown resets the device after shutdown_timeout')
disruptive('restarts', 'the sessions are new after shutdown_timeout, and not before', async (device) => {
  const ms = Number((await device.read('bmc:watchdog'))['shutdown_timeout'])
  if (!device.isBench && ms > 60_000) throw new Unjudged(`shutdown_timeout is ${ms} ms: too long to wait for`)
  const start = keeps('bmc', done('bmc:watchdog/shutdown', { shutdown: 'start' }), wait(ms / 2))
  await renews(['bmc'], start, wait(ms / 2 + 100), restarted)(device)
})
section('BMC USB hub')('usb-reset', 'POST usbhub/reset applies the saved settings')
disruptive('same', 'without a change the states are the same after usbhub/reset', async (device) => {
  const before = await device.read('bmc:usbhub')
  await done('bmc:usbhub/reset', RESET)(device)
  equal(await device.read('bmc:usbhub'), before, 'GET usbhub')
})

export const bmcSentences = list
