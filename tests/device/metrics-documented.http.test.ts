import { expect, it } from 'vitest'
import { type Device, describeDevice } from './device.testkit.ts'
import { scrape } from './metrics.testkit.ts'
import { documentedRows, rowOf } from './metrics-page.testkit.ts'

const PUMP = {
  slot: 5,
  pin: 1,
  name: 'pump',
  unit: 'bar',
  from: 'current',
  scale: [
    [4, 0],
    [20, 10],
  ],
} as const

const documented = (device: Device): void => {
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
}

describeDevice('docs/guide/metrics.md', documented, { pins: () => [PUMP] })
