// A service that the device watches: if its work stops, the watchdog restarts the device.
// node service.mjs [address]
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'slotwire/client'

const [address = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const WATCHDOG_MS = 60_000
/** The work is healthy if it was done within this time. `performance.now` does not jump when the date is set. */
const HEALTHY_MS = 5000

const device = await connect(address)
const bmc = device.bmc()
let lastDone = performance.now()

await bmc.setWatchdog({ timeout: WATCHDOG_MS })
const feeder = await bmc.feedWhile(() => performance.now() - lastDone < HEALTHY_MS, {
  everyMs: 1000,
  onMissed: (reason) => console.error(`not fed: ${reason}`),
})

const end = new AbortController()
process.once('SIGTERM', () => end.abort())

while (!end.signal.aborted) {
  try {
    const { ntc_0: degrees } = await bmc.temperature({ deadlineMs: 1000 })
    lastDone = performance.now()
    console.log(`${degrees} °C`)
  } catch (error) {
    console.error(String(error))
  }
  await sleep(1000, undefined, { signal: end.signal }).catch(() => undefined)
}

feeder.stop()
await bmc.setWatchdog({ timeout: 0 })
await device.close()
