import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { raiseAlerts } from './bridges.testkit.ts'
import { expectAllAlerts, fleet, killABridge, latencies, percentile, power, shares } from './fleet.testkit.ts'

const SIZE = { twins: 24, seconds: 4, everyMs: 250 }
const LIMIT_MS = 60_000

describeWith('mosquitto', 'two bridges that share twins', (program) => {
  it('has every device once, and a value at the subscriber within the watch interval and 100 ms', {
    timeout: LIMIT_MS,
  }, async () => {
    const all = await fleet(program, SIZE)
    expect(Object.values(shares(all)).reduce((sum, share) => sum + share)).toBe(SIZE.twins)
    expect(Math.min(...Object.values(shares(all)))).toBeGreaterThan(2)
    await power(all.devices)
    const { writes, times } = await latencies(all, SIZE.seconds)
    expect(times).toHaveLength(writes)
    expect(percentile(times, 0.99)).toBeLessThan(SIZE.everyMs + 100)
  })

  it('loses no alert when a bridge is killed, and has its devices back within ten seconds', { timeout: LIMIT_MS }, async () => {
    const all = await fleet(program, { ...SIZE, twins: 8 })
    expect(await killABridge(all, 8)).toBeLessThan(10_000)
  })

  it('has all devices back within 30 s after the broker was away, and all alerts', { timeout: LIMIT_MS }, async () => {
    const all = await fleet(program, { ...SIZE, twins: 6 })
    for (const twin of all.devices) await raiseAlerts(twin)
    await all.received.until('alerts arrive', () => all.devices.every((twin) => all.received.alertsOf(twin).length > 0))
    await all.broker.stop()
    await new Promise((resolve) => setTimeout(resolve, 3000))
    all.received.texts.clear()
    await all.broker.start()
    const startedAt = performance.now()
    await all.received.allOnline(all.devices)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
    await expectAllAlerts(all, all.devices)
  })
})
