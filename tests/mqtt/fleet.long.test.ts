import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { expectAllAlerts, fleet, killABridge, latencies, percentile, power, shares } from './fleet.testkit.ts'

const SIZE = { twins: 250, seconds: 15, everyMs: 500 }
/** Twins whose clock signal raises an alert a hundred times a second. */
const ALERTING = 10
const LIMIT_MS = 300_000

describeWith('mosquitto', '250 twins on two bridges', (program) => {
  it('brings a thousand values a second through, loses no alert of a killed bridge, and survives the broker', {
    timeout: LIMIT_MS,
  }, async () => {
    const all = await fleet(program, SIZE)
    const found = shares(all)
    await power(all.devices)
    const { writes, times, perSecond } = await latencies(all, SIZE.seconds)
    const figures = {
      found,
      writes,
      arrived: times.length,
      perSecond,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      most: times.at(-1),
    }
    const awayMs = await killABridge(all, ALERTING)
    await all.broker.stop()
    all.received.texts.clear()
    await all.broker.start()
    const startedAt = performance.now()
    await all.received.allOnline(all.devices, 'one')
    const backMs = performance.now() - startedAt
    await expectAllAlerts(all, all.devices.slice(0, ALERTING))
    const report = JSON.stringify({ ...figures, awayMs, backMs })
    if (process.env['SLOTWIRE_FIGURES'] !== undefined) writeFileSync(process.env['SLOTWIRE_FIGURES'], `${report}\n`)
    // A pin that changes twice between two looks shows one of them.
    expect(times.length / writes, report).toBeGreaterThan(0.99)
    expect(perSecond, report).toBeGreaterThan(950)
    expect(figures.p99, report).toBeLessThan(SIZE.everyMs + 100)
    expect(awayMs, report).toBeLessThan(10_000)
    expect(backMs, report).toBeLessThan(30_000)
  })
})
