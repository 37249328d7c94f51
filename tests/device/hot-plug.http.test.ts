import { DEFAULT_LAYOUT } from '@slotwire/device/twin'
import { expect, it } from 'vitest'
import * as firmwares from '../../modules/firmwares.ts'
import { describeDevice } from './device.testkit.ts'

const ROUNDS = 10
/** Time until a plugged module is driven. */
const DRIVEN_WITHIN_MS = 2000
const modules = DEFAULT_LAYOUT

describeDevice('hot-plugging', (device) => {
  const sessions = (): Promise<(string | undefined)[]> =>
    Promise.all(modules.map(([slot, service]) => device.module(service, slot).session()))
  const pullOut = (): void => modules.forEach(([slot]) => device.chassis.unplug(slot))
  const putIn = (): void => modules.forEach(([slot, service]) => device.chassis.plug(slot, firmwares[service]))

  it('lists all modules in the end after very fast changes, each with a new session', async () => {
    const before = await sessions()
    for (let round = 0; round < ROUNDS; round++) {
      pullOut()
      await device.advance(round % 4)
      putIn()
      await device.advance((7 * round) % 13)
    }
    await device.advance(DRIVEN_WITHIN_MS)
    const after = await sessions()
    expect(new Set([...before, ...after]).size).toBe(2 * modules.length)
    await device.module('io', 5).read('input/values')
  })
})
