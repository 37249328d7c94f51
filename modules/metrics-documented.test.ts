import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'
import { scrape } from './metrics.testkit.ts'

const HEADER = '| metric | type | labels | says |'

/** The rows of the table of docs/guide/metrics.md. */
function documented(): readonly string[] {
  const lines = readFileSync(new URL('../docs/guide/metrics.md', import.meta.url), 'utf8').split('\n')
  const start = lines.indexOf(HEADER)
  expect(start).toBeGreaterThan(0)
  const rest = lines.slice(start + 2)
  const end = rest.findIndex((line) => !line.startsWith('|'))
  return rest.slice(0, end)
}

describeDevice('docs/guide/metrics.md', (device) => {
  it('has a row for every metric, as it is served, and no other', async () => {
    const io = device.module('io', 5)
    await device.module('power', 1).set('fan/rpm', { measurement_enabled: true })
    await io.set('input/mode', { pin: 3, mode: 'digital' })
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 4, state: 'enabled' })
    await scrape(device)
    await device.advance(2000)
    const served = (await scrape(device)).map(({ name, type, help, samples }) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== 'le'))
      const list = labels.size === 0 ? 'none' : [...labels].map((label) => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${type} | ${list} | ${help} |`
    })
    expect(documented()).toEqual(served)
  })
})
