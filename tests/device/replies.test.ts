import { type Contract, compile, type Endpoint, versionRoot } from '@slotwire/contract'
import { catalog, createTwin } from '@slotwire/device/twin'
import { afterEach, expect, it } from 'vitest'
import * as contracts from '../../modules/contracts.ts'
import { BenchDevice } from '../../packages/bench-api/src/bench-device.testkit.ts'
import { benchContract } from '../../packages/bench-api/src/index.ts'
import { endpointsOf, targetOf, urlOf } from './bad-request.testkit.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** What is wrong with a reply; every object may only have its declared fields, although the API document allows more. */
const problemOf = ({ reply }: Endpoint, body: unknown): string | undefined => compile(reply)(body)

it.each(Object.values<Contract>(contracts))('every success of $service has exactly the declared fields', async (contract) => {
  const twin = await createTwin()
  closing.push(() => twin.close())
  await twin.start()
  const refused: string[] = []
  const root = await twin.request({ method: 'GET', path: `/api/${contract.service}/` })
  expect(problemOf(versionRoot, root.body)).toBeUndefined()
  for (const [name, endpoint] of endpointsOf(contract)) {
    const { status, body } = await twin.request({
      method: endpoint.method,
      path: urlOf(targetOf(contract, endpoint)),
      ...(endpoint.example === undefined ? {} : { body: endpoint.example }),
    })
    if (status === 200) expect([name, problemOf(endpoint, body)]).toEqual([name, undefined])
    else refused.push(name)
  }
  expect(refused).toEqual([])
})

it('every reading of the bench has exactly the declared fields', async () => {
  const device = await BenchDevice.start()
  const { status } = await device.ask('POST', '/slotwire/bench/connect', { pin: '3/1', to: { source: { volts: 24 } } })
  expect(status).toBe(200)
  const trace = await device.post('trace/start', { pins: ['3/1'], for_ms: 1000 })
  expect(trace.status).toBe(200)
  const readings = Object.entries(benchContract(catalog).endpoints).filter(([, { effect }]) => effect === 'read')
  for (const [name, endpoint] of readings) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => `${endpoint.parameters?.[parameter]?.example}`)
    expect([name, problemOf(endpoint, (await device.ask('GET', path)).body)]).toEqual([name, undefined])
  }
  expect(readings.length).toBeGreaterThan(5)
})
