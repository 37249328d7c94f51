import { reboot } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { unreadableDescriptor } from '../kernel/kernel-faults.testkit.ts'
import { describeDevice } from './device.testkit.ts'

const CONFIG = { config: Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 10 })) }
describeDevice('an erased descriptor', (device) => {
  it('is read again while its module is in use: its session stays, and other modules get their power', async () => {
    const io = device.module('io', 3)
    const session = await io.session()
    const fault = device.chassis.faults.inject(3, unreadableDescriptor)
    expect((await device.until(io.post('reset', { reset: 'yes' }))).status).toBe(500)
    fault?.clear()
    await device.advance(1000)
    await device.until(device.module('io', 5).set('power-management', CONFIG))
    expect(await device.until(io.read('descriptor'))).not.toMatchObject({ product_name: '' })
    expect(await io.session()).toBe(session)
  })

  it('is read again when its module is not in use, and the module is driven', async () => {
    const fault = device.chassis.faults.inject(3, unreadableDescriptor)
    await device.stopService()
    fault?.clear()
    await device.startService()
    await device.advance(4000)
    expect(await device.module('io', 3).session()).toBeDefined()
  })
})

describeDevice('a module that restarts so quickly that the kernel does not see it leave', (device) => {
  const restarts = [60, 100, 150, 300].flatMap((lowMs) => [0, 25, 50, 75].map((phaseMs) => ({ lowMs, phaseMs })))
  it.each(restarts)('has a new session after $lowMs ms, $phaseMs ms after a heartbeat', async ({ lowMs, phaseMs }) => {
    const io = device.module('io', 3)
    const session = await io.session()
    await device.until(io.set('power-management', CONFIG))
    await device.until(io.set('output/state', { pin: 1, state: 'high' }))
    await device.advance(1000 - (device.clock.now() % 100) + phaseMs)
    device.chassis.faults.inject(3, reboot(lowMs))
    await device.advance(3000)
    const after = await io.session()
    expect([after === undefined, after === session]).toEqual([false, false])
    expect((await device.until(io.get('input/values', { 'cache-control': 'no-cache' }))).status).toBe(200)
    expect((await device.until(io.post('output/state', { pin: 1, state: 'high' }))).status).toBe(400)
  })
})
