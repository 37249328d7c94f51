import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'
import { scrape } from './metrics.testkit.ts'
import { documentedRows, rowOf } from './metrics-page.testkit.ts'

describeDevice('docs/guide/metrics.md', (device) => {
  it('has a row for every metric of the service, as served, and no other row', async () => {
    const io = device.module('io', 5)
    await device.module('power', 1).set('fan/rpm', { measurement_enabled: true })
    await io.set('input/mode', { pin: 3, mode: 'digital' })
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 4, state: 'enabled' })
    await scrape(device)
    await device.advance(2000)
    expect(documentedRows().ofService, 'add or remove rows of docs/guide/metrics.md').toEqual((await scrape(device)).map(rowOf))
  })
})
