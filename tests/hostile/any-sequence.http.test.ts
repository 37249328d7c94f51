import type { Contract } from '@slotwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as allContracts from '../../modules/contracts.ts'
import { cases } from '../../tools/tests/generated-cases.mjs'
import { anyRequest } from '../device/any-request.testkit.ts'
import { endpointsOf } from '../device/bad-request.testkit.ts'
import { Device } from '../device/device.testkit.ts'
import { worlds } from '../device/worlds.testkit.ts'

const contracts: readonly Contract[] = Object.values(allContracts)
const SEQUENCES = cases(4)
const STEPS = 60
/** Time for a restart of the device and its modules. */
const RESTART_MS = 4000
/** Time until the next request. */
const pause = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 50, noNaN: true }), fc.integer({ min: 0, max: 1500 }))

describe.each(worlds.map((world) => [world.name, world] as const))('any sequence of valid requests (%s)', (_name, world) => {
  it('gets no 5xx while the device is up, and each answer is a success or has an error body', async () => {
    const steps = contracts.flatMap((contract) =>
      endpointsOf(contract).map(([, endpoint]) => ({
        // Resets are rare, otherwise most sequences would not get far.
        weight: endpoint.path.endsWith('reset') ? 1 : contract.service === 'io' ? 20 : 4,
        arbitrary: fc.record({ request: anyRequest(contract, endpoint), thenMs: pause }),
      })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { maxLength: STEPS, size: 'max' }), async (sequence) => {
        const device = new Device({}, world)
        await device.start()
        device.chassis.wiring.wire('5/6', '3/6')
        for (const { request, thenMs } of sequence) {
          const { method, url, body } = request
          if (device.chassis.state !== 'up') await device.advance(RESTART_MS)
          const { status, text } = method === 'GET' ? await device.get(url) : await device.post(url, body)
          const isThere = device.chassis.state === 'up' && device.chassis.present().length === 4
          const allowed = isThere ? [200, 400, 422] : [200, 400, 404, 422, 502]
          expect(allowed, `${method} ${url} ${JSON.stringify(body)}: ${text}`).toContain(status)
          await device.advance(thenMs)
        }
        await device.close()
      }),
      { numRuns: SEQUENCES },
    )
  })
})
