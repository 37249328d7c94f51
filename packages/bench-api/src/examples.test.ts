import type { Endpoint } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'
import { benchContract } from './bench-extension.ts'

const startTrace = (device: BenchDevice): unknown => device.post('trace/start', { pins: ['5/4'] })

/** Preparations that some examples need. */
const before: Readonly<Record<string, (device: BenchDevice) => unknown>> = {
  getTraceCsv: startTrace,
  getTraceVcd: startTrace,
  step: (device) => device.post('time/pause'),
  stopTrace: startTrace,
  stopScenario: (device) => device.post('scenario/start', { text: 'steps:\n  - at: 1h\n    short: 3/2\n' }),
}

const endpoints = Object.entries<Endpoint>(benchContract(catalog).endpoints)

function pathOf({ path, parameters = {} }: Endpoint): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]?.example))
}

describe('the example of', () => {
  it.each(endpoints)('%s works on the default twin', async (name, endpoint) => {
    const device = await BenchDevice.start()
    await before[name]?.(device)
    const { status, body } = await device.ask(endpoint.method, pathOf(endpoint), endpoint.example)
    expect({ status, body }).toMatchObject({ status: 200 })
    const { reply } = endpoint
    if (reply.type === 'string') return expect(body).toMatch(/^(\$timescale|seconds)/)
    const required = reply.type === 'object' ? reply.required : []
    const known = reply.type === 'object' ? Object.keys(reply.properties) : []
    expect(Object.keys(body)).toEqual(expect.arrayContaining([...required]))
    expect(known).toEqual(expect.arrayContaining(Object.keys(body)))
    return undefined
  })
})
