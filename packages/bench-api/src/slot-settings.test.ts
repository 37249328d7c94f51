import { decimal, extensionDocument } from '@slotwire/contract'
import { createTwin } from '@slotwire/device/twin'
import { expect, it, onTestFinished } from 'vitest'
import { lampContract, lampWorld } from '../../scenario/src/run/lamp-world.testkit.ts'
import { toyDefinition } from '../../twin/src/module/toy-firmware.testkit.ts'
import { benchContract, createBenchExtension } from './bench-extension.ts'

/** A service with a bench that has a lamp in slot 2 and a module without settings in slot 4. */
async function lampBench() {
  const { clock, bench, catalog, chassis } = lampWorld()
  chassis.plug(4, toyDefinition())
  const time = { now: () => clock.now(), pace: 0, step: (ms: number) => clock.advance(ms) }
  const request = () => Promise.reject(new Error('not expected'))
  const journal = { last: { boot: 1, sequence: 0 }, read: () => ({ records: [] }) }
  const extensions = () => [createBenchExtension({ device: { clock, bench, journal, request }, time, catalog })]
  const twin = await createTwin({ clock, layout: {}, extensions })
  await twin.start()
  onTestFinished(() => twin.close())
  const ask = (method: 'GET' | 'POST', path: string, body?: unknown) =>
    twin.request({ method, path: `/slotwire/bench/${path}`, ...(body === undefined ? {} : { body }) })
  return { bench, ask }
}

it('POST set changes settings, and GET slots shows them', async () => {
  const { bench, ask } = await lampBench()
  expect(await ask('POST', 'set', { slot: 2, probe1_celsius: 30.5 })).toMatchObject({ status: 200, body: { status: 'success' } })
  expect(bench.slot(2).settings).toEqual({ probe1Celsius: 30.5, isWet: false })
  const { slots } = (await ask('GET', 'slots')).body as { slots: readonly object[] }
  expect(slots[2]).toMatchObject({ settings: { probe1_celsius: 30.5, is_wet: false } })
  expect(slots[3]).not.toHaveProperty('settings')
})

it.each([
  [2, { probe1_celsius: 126 }, 422, 'probe1_celsius is out of range: -40…125 °C, not 126'],
  [2, { is_wet: 1 }, 422, 'is_wet must be true or false, not a number'],
  [2, { probe2_celsius: 1 }, 422, 'probe2_celsius is unknown: did you mean probe1_celsius?'],
  [4, { probe1_celsius: 1 }, 422, 'the module in slot 4 has no probe1_celsius to set: slotwire.test/lamp has nothing to set'],
  [3, { is_wet: true }, 400, 'slot 3 is empty: plug a module first'],
])('POST set of slot %i rejects %j: %i, %s', async (slot, change, status, message) => {
  const { ask } = await lampBench()
  expect(await ask('POST', 'set', { slot, ...change })).toMatchObject({ status, body: { message } })
})

it('the API document describes the settings of all module types', () => {
  const { components } = extensionDocument(benchContract(lampWorld().catalog), { version: '1.0.0' })
  expect(components.schemas['BenchSetRequest']).toMatchObject({
    properties: {
      probe1_celsius: { type: 'number', minimum: -40, maximum: 125, 'x-unit': '°C', description: 'of lamp' },
      is_wet: { type: 'boolean' },
    },
  })
})

it.each([
  ['probe1Celsius', 'mm', 'setting probe1Celsius is in °C and in mm: give it another name'],
  ['slot', 'mm', 'no setting can be called slot'],
])('the bench rejects a module type with the setting %s in %s: %s', (name, unit, message) => {
  const { catalog, definition } = lampWorld()
  const settings = { [name]: decimal({ unit, min: 0, max: 1, default: 0 }) }
  const tank = { firmware: { ...definition, settings }, contract: lampContract }
  expect(() => benchContract({ ...catalog, tank })).toThrow(message)
})
